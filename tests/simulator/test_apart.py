"""Traffic that only machine code shows, held to what ncu counted on an H200: `apart_h200.json`. One warp, k = 3."""

import json
from pathlib import Path

import numpy as np
import pytest

from onekernel import counts, simulator
from onekernel.backends.base import Scalar
from onekernel.cuda import nvcc
from support.simulated import buffer

MEASURED = json.loads(Path(__file__).with_name("apart_h200.json").read_text(encoding="utf-8"))["kernels"]
COUNTED = {
    "constant": (counts.CONSTANT_REQUESTS,),
    "local_loads": (counts.LOCAL_LOAD_REQUESTS, counts.LOCAL_LOAD_SECTORS),
    "local_stores": (counts.LOCAL_STORE_REQUESTS, counts.LOCAL_STORE_SECTORS),
    "reductions": (counts.REDUCTION_REQUESTS, counts.REDUCTION_SECTORS),
    "atomics": (counts.ATOMIC_REQUESTS, counts.ATOMIC_SECTORS),
    "shared_atomics": (counts.SHARED_ATOMIC_WAVEFRONTS, counts.SHARED_ATOMIC_CONFLICTS),
    "shared_loads": (counts.SHARED_LOAD_WAVEFRONTS, counts.SHARED_LOAD_CONFLICTS),
}


def _local() -> dict[str, str]:
    """An array that is indexed by a variable: all lanes read one element, each its own, two lanes one."""
    found = {}
    for name in ("char", "short", "int", "double", "float4", "float2"):
        value = {"float4": "make_float4(i,i,i,i)", "float2": "make_float2(i,i)"}.get(name, f"({name})(i+k)")
        for pattern, index in (("same", "k*5"), ("each", "k + threadIdx.x"), ("pairs", "k + threadIdx.x / 2")):
            part = f"a[({index}) & 63]" + (".x" if name.startswith("float") else "")
            found[f"local_{pattern}_{name}"] = (
                f"{name} a[64]; for (int i = 0; i < 64; i++) a[(i * k) & 63] = {value}; y[threadIdx.x] = (float){part};"
            )
    found["local_half_warp"] = (
        "int a[64]; for (int i = 0; i < 64; i++) a[(i * k) & 63] = i;"
        "if (threadIdx.x < 16) y[threadIdx.x] = a[(k + threadIdx.x) & 63]; else y[threadIdx.x] = 0;"
    )
    return found


def _constant() -> dict[str, str]:
    places = {
        "same": "k & 255", "each": "(threadIdx.x * k) & 255", "two": "((threadIdx.x & 1) + k) & 255",
        "sixteen": "(threadIdx.x / 2 + k) & 255", "stride16": "(threadIdx.x * 16 + k) & 511",
        "half": "(threadIdx.x % 16 * k) & 255",
    }  # fmt: skip
    found = {}
    for pattern, at in places.items():
        found |= {f"const_{pattern}_{name}": f"y[threadIdx.x] = (float)c{name[0]}[{at}];"
                  for name in ("float", "double", "char")}  # fmt: skip
        found[f"const_{pattern}_float4"] = f"float4 v = c4[{at}]; y[threadIdx.x] = v.x + v.y + v.z + v.w;"
    return found


PLACES = {
    "same": "0", "each": "threadIdx.x", "two": "threadIdx.x & 1", "sixteen": "threadIdx.x & 15",
    "sector": "threadIdx.x * 8", "line": "threadIdx.x * 32", "eight": "threadIdx.x & 7", "odd": "threadIdx.x * 3",
}  # fmt: skip
BANKS = {"bank": "threadIdx.x * 32", "banks2": "threadIdx.x * 2", "banks3": "threadIdx.x * 3"}
VALUES = {"float": "(float)k", "int": "k", "double": "(double)k", "u64": "(unsigned long long)k",
          "float4": "make_float4(k, k, k, k)", "float2": "make_float2(k, k)"}  # fmt: skip


def _atomic() -> dict[str, str]:
    """On global memory: sums of every type, and what keeps the old value; with lanes that take no part."""
    found = {}
    for pattern, at in PLACES.items():
        for name, value in VALUES.items():
            add = f"atomicAdd(({name}*)y + ({at}), {value})"
            found[f"red_{pattern}_{name}"] = f"{add};"
            found[f"atom_{pattern}_{name}"] = f"{name} o = {add}; if (o == ({name})12345) y[2000] = 1;"
        found[f"max_{pattern}_int"] = f"atomicMax((int*)y + ({at}), k + (int)threadIdx.x);"
        found[f"cas_{pattern}_int"] = f"atomicCAS((int*)y + ({at}), 0, k);"
        found[f"cas_{pattern}_u64"] = f"atomicCAS((u64*)y + ({at}), 0ull, (u64)k);"
        found[f"exch_{pattern}_int"] = f"atomicExch((int*)y + ({at}), k + (int)threadIdx.x);"
        found[f"part_{pattern}_float"] = f"if (threadIdx.x % 3) atomicAdd(y + ({at}), (float)k);"
    return found


def _on_shared() -> dict[str, str]:
    operations = {
        "satom_float": "atomicAdd(s + at, (float)(k + threadIdx.x));",
        "satom_int": "atomicAdd(s + at, (int)(k + threadIdx.x));",
        "scas_int": "atomicCAS(s + at, 0, k);",
        "sexch_int": "atomicExch(s + at, k + (int)threadIdx.x);",
        "smax_int": "atomicMax(s + at, k + (int)threadIdx.x);",
        "sadd_u64": "atomicAdd(s + at, (u64)(k + threadIdx.x));",
        "sadd_double": "atomicAdd(s + at, (double)(k + threadIdx.x));",
        "sold_int": "old = atomicAdd(s + at, k + (int)threadIdx.x);",
    }
    found = {}
    for pattern, at in {**PLACES, **BANKS}.items():
        for operation, text in operations.items():
            name, kind = operation.split("_")
            found[f"{name}_{pattern}_{kind}"] = (
                f"__shared__ {kind} s[1024]; int old = 0; for (int i = threadIdx.x; i < 1024; i += 32) s[i] = 0;"
                f"__syncwarp(); {text.replace('s + at', f's + ({at})')} __syncwarp();"
                "y[threadIdx.x] = (float)s[threadIdx.x * 3] + old;"
            )
    return found


MADE = {**_local(), **_constant(), **_atomic(), **_on_shared()}


@pytest.mark.slow
@pytest.mark.skipif(nvcc.find() is None, reason="NVIDIA's compiler is not here")
def test_it_is_what_an_h200_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONEKERNEL_NVCC", "on")
    assert MADE.keys() >= MEASURED.keys()
    file = tmp_path / "apart.cu"
    lines = ["using u64 = unsigned long long;", "__constant__ float cf[1024]; __constant__ double cd[1024];",
             "__constant__ signed char cc[1024]; __constant__ float4 c4[512];"]  # fmt: skip
    for name in MEASURED:
        lines += [f"__global__ void {name}(float* y, int k) {{ {MADE[name]} }}",
                  f'extern "C" cudaError_t call_{name}(float* y, int64_t k, cudaStream_t) {{',
                  f"    {name}<<<1, 32>>>(y, (int)k);", "    return cudaGetLastError();", "}"]  # fmt: skip
    file.write_text("\n".join(lines), encoding="utf-8")
    program = simulator.build(file, "count", arch="sm_90")
    wrong = {}
    for name, measured in MEASURED.items():
        given = [buffer("y", np.zeros(1 << 16, np.float32), True), Scalar("k", 3)]
        (kernel,) = program.call(f"call_{name}", given).kernels
        assert kernel.extra["by_code"], (name, kernel.extra["why_not_by_code"])
        counted = {key: [int(kernel.metrics[m]) for m in metrics] for key, metrics in COUNTED.items()}
        counted = {key: values for key, values in counted.items() if any(values)}
        if counted != measured:
            wrong[name] = (counted, measured)
    assert not wrong
