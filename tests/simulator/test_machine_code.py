"""Counts by the code that NVIDIA's compiler makes, and what is said of counts without it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audits.agreement import others_tables
from onekernel import counts, simulator
from onekernel.backends import call_arguments
from onekernel.backends.machine_code import disassembler
from onekernel.cuda import nvcc
from onekernel.ops import OPERATORS
from onekernel.simulator.doubts import promises_of
from onekernel.simulator.facts import facts_of
from onekernel.simulator.machine_code import need
from onekernel.simulator.machine_code.elf import of_any_file
from support import rules
from support.compilers import CLANGS, COMPILERS, GCCS
from support.simulated import buffer

ROOT = Path(__file__).parents[2]
FOUND: dict[str, Any] = json.loads((ROOT / "bench/results/h200/others_vs_ncu.json").read_text(encoding="utf-8"))
compiled = pytest.mark.skipif(
    nvcc.find() is None or disassembler() is None, reason="NVIDIA's compiler and its disassembler are not here"
)

@pytest.fixture(autouse=True)
def nvcc_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONEKERNEL_NVCC", "on")


TILED = """\
__global__ void tiled(const float* a, const float* b, float* c, int n) {
    __shared__ float as[16][PITCH], bs[16][PITCH];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
    float sum = 0;
    for (int k0 = 0; k0 < n; k0 += 16) {
        as[y][x] = a[row * n + k0 + x];
        bs[y][x] = b[(k0 + y) * n + col];
        __syncthreads();
        for (int k = 0; k < 16; ++k) sum += as[y][k] * bs[k][x];  // merged
        __syncthreads();
    }
    c[row * n + col] = sum;
}
extern "C" cudaError_t run(const float* a, const float* b, float* c, cudaStream_t stream) {
    tiled<<<dim3(2, 2), dim3(16, 16), 0, stream>>>(a, b, c, 32);
    return cudaGetLastError();
}
"""
WARP_TILES = 4 * 8 * 2  # blocks, their warps, tiles of k


def tiled(folder: Path, pitch: int, machine_code: bool) -> counts.KernelCounts:
    path = folder / f"tiled_{pitch}.cu"
    path.write_text(TILED.replace("PITCH", str(pitch)), encoding="utf-8")
    program = simulator.build(path, "count", machine_code=machine_code)
    data = np.ones(32 * 32, np.float32)
    report = program.call("run", [buffer("a", data, False), buffer("b", data, False), buffer("c", data, True)])
    assert not report.findings and not report.status
    return report.kernels[0]


@pytest.mark.slow
@compiled
def test_neighbouring_shared_loads_are_merged_as_an_h200_merges_them(tmp_path: Path) -> None:
    # ncu on an H200: 98,304 wavefronts where as many loads as written would take 131,072, a ratio of 24 to 32.
    kernel = tiled(tmp_path, 16, machine_code=True)
    assert kernel.extra["by_code"] and kernel.extra["exact_requests"]
    assert kernel.metrics[counts.SHARED_LOAD_WAVEFRONTS] == 24 * WARP_TILES
    assert kernel.metrics[counts.SHARED_LOAD_CONFLICTS] == 0
    assert kernel.metrics[counts.SHARED_STORE_WAVEFRONTS] == 2 * WARP_TILES
    assert kernel.metrics[counts.LOAD_REQUESTS] == 2 * WARP_TILES


SKEWED = """\
__global__ void skewed(const float* x, float* y, long long n, int skew) {
    long long slot = (long long)blockIdx.x * 256 + threadIdx.x;
    long long first = slot * 4 - skew;
    if (first >= n) return;
    for (int j = 0; j < 4; ++j)
        if (first + j >= 0 && first + j < n) y[first + j] = x[first + j];
}
__global__ void mirrored(const float* x, float* y, long long n, unsigned skew) {
    long long at = n - 1 - (long long)threadIdx.x * 4 - (long long)skew;
    if (at >= 0) y[at] = x[at];
}
extern "C" cudaError_t run(const float* x, float* y, int skew, cudaStream_t stream) {
    skewed<<<2, 256, 0, stream>>>(x, y, 1000, skew);
    mirrored<<<1, 256, 0, stream>>>(x, y, 1000, (unsigned)skew);
    return cudaGetLastError();
}
"""


@pytest.mark.slow
@compiled
@pytest.mark.parametrize("skew", [0, 1, 3])
def test_a_subtraction_of_64_bits_borrows_where_nothing_is_subtracted_too(tmp_path: Path, skew: int) -> None:
    """LEA R2, P0, R2, -R7, 0x2 with R7 = 0 carries. Without that, every index was negative, and nothing was counted."""
    path = tmp_path / "skewed.cu"
    path.write_text(SKEWED, encoding="utf-8")
    program = simulator.build(path, "count", machine_code=True)
    buffers = [buffer("x", np.ones(1000, np.float32), False), buffer("y", np.ones(1000, np.float32), True)]
    report = program.call("run", [*buffers, skew])
    assert not report.findings and not report.status and len(report.kernels) == 2
    for kernel, elements in zip(report.kernels, (1000, (999 - skew) // 4 + 1), strict=True):
        assert kernel.extra["by_code"]
        assert kernel.metrics[counts.BYTES_STORED] == kernel.metrics[counts.BYTES_LOADED] == 4 * elements


def test_without_the_compiler_the_line_is_said_to_be_uncertain(tmp_path: Path) -> None:
    kernel = tiled(tmp_path, 16, machine_code=False)
    line = next(n for n, text in enumerate(TILED.splitlines(), 1) if "// merged" in text)
    assert [line, "shared", ["merges"]] in [doubt[1:] for doubt in kernel.extra["doubts"]]
    assert not kernel.extra["by_code"] and kernel.metrics[counts.SHARED_LOAD_WAVEFRONTS] == 32 * WARP_TILES


PARTS = """\
__device__ float chosen(const float* from, bool near) {
    if (near) return from[0];
    return from[1] + from[2];
}
__global__ void k(const float* x, float* y, int n) {
    __shared__ float s[32];
    const int t = threadIdx.x;
    for (int i = t; i < n; i += 8 + t) y[i] = x[i];  // fewer and fewer lanes, each step together
    __syncwarp();
    s[t] = chosen(x + t, t < 16);  // stored once the lanes have met, or twice
    __syncwarp();
    y[t] = s[31 - t];
}
extern "C" cudaError_t run(const float* x, float* y, int n, cudaStream_t stream) {
    k<<<1, 32, 0, stream>>>(x, y, n);
    return cudaGetLastError();
}
"""


@pytest.mark.slow
@pytest.mark.parametrize("compiler", COMPILERS)
def test_lanes_that_part_and_meet_no_more_make_a_count_uncertain(tmp_path: Path, compiler: str) -> None:
    path = tmp_path / "parts.cu"
    path.write_text(PARTS, encoding="utf-8")
    program = simulator.build(path, "count", machine_code=False, with_compiler=compiler)
    buffers = [buffer("x", np.ones(128, np.float32), False), buffer("y", np.ones(128, np.float32), True)]
    kernel = program.call("run", [*buffers, 100]).kernels[0]
    told = [doubt[1:] for doubt in kernel.extra["doubts"]]
    apart = next(n for n, text in enumerate(PARTS.splitlines(), 1) if "stored once" in text)
    together = kernel.metrics[counts.SHARED_STORE_WAVEFRONTS] == 1
    assert together != ([apart, "shared", ["apart"]] in told)
    fewer = next(n for n, text in enumerate(PARTS.splitlines(), 1) if "fewer and fewer" in text)
    assert not [doubt for doubt in told if "apart" in doubt[2] and doubt[0] == fewer]


BRANCHES = """\
__global__ void k(const float* x, float* y) {
    const int t = threadIdx.x;
    if (t % 32 < 4) y[t] = 2 * x[t];
    else y[t] = 1 + x[t];  // one access of both
    y[256 + t] = x[t ^ 1];
    if (t % 32 < 4) y[256 + t] = 0;  // one store of both
    if (t % 32 < 4) y[512 + t] = 2;
    else y[768 + 2 * t] = 1;  // one store of both, to one of two addresses
}
extern "C" cudaError_t run(const float* x, float* y, int n, cudaStream_t stream) {
    k<<<1, 256, 0, stream>>>(x, y);
    return cudaGetLastError();
}
"""


@pytest.mark.parametrize("machine_code", [False, pytest.param(True, marks=compiled)])
@pytest.mark.slow
def test_two_branches_accesses_may_be_one(tmp_path: Path, machine_code: bool) -> None:
    path = tmp_path / "branches.cu"
    path.write_text(BRANCHES, encoding="utf-8")
    program = simulator.build(path, "count", machine_code=machine_code)
    buffers = [buffer("x", np.ones(256, np.float32), False), buffer("y", np.ones(1280, np.float32), True)]
    kernel = program.call("run", [*buffers, 0]).kernels[0]
    both = {n for n, text in enumerate(BRANCHES.splitlines(), 1) if "of both" in text}
    assert {line for _, line, _, _ in kernel.extra["doubts"]} == (set() if machine_code else both)
    assert kernel.metrics[counts.STORE_REQUESTS] == 8 * (3 if machine_code else 6)


@pytest.mark.slow
@pytest.mark.parametrize("compiler", CLANGS)
def test_lanes_that_leave_a_loop_early_are_said_to_go_apart(compiler: str) -> None:
    """Of eighty threads some make a turn more: clang stores what they have kept in two requests, g++ in one."""
    path = ROOT / "tests/right/mul_online_joined_by_operator.cu"
    call = call_arguments.of_operator(OPERATORS["softmax_mul"], "softmax_mul", None, "float32")
    kernels = []
    for one in (*GCCS[:1], compiler):
        program = simulator.build(path, "count", machine_code=False, with_compiler=one)
        kernels += program.call(call[0], call_arguments.buffers(call[1])).kernels
    usual, other = kernels
    stores = [kernel.metrics[counts.SHARED_STORE_WAVEFRONTS] for kernel in kernels]
    assert stores[0] < stores[1] and not usual.extra["doubts"]
    assert {(space, *what) for _, _, space, what in other.extra["doubts"]} == {("shared", "apart")}


PLAIN = "__global__ void plain(const float* x) {\n    x[0];\n}\n"
PROMISES = "template <class T>\n__global__ void promises(const T* __restrict__ x) {\n    x[0];\n}\n"


@pytest.mark.parametrize(("before", "everywhere"), [
    ("", False),
    ("// no __restrict__ here\n", False),
    ("__global__ void declared(const float* __restrict__ x);\n", False),
    ("__global__ __launch_bounds__(128) void asks(const float* x) { __ldg(x); }\n", False),
    ("#define READS const float* __restrict__\n", True),
    ("using Reads = const float* __restrict;\n", True),
    ("__device__ float at(const float* __restrict__ x, int i) { return x[i]; }\n", True),
])  # fmt: skip
def test_a_promise_of_one_kernel_is_none_of_another(before: str, everywhere: bool) -> None:
    found = promises_of(facts_of(before + PLAIN + PROMISES))
    first = before.count("\n") + 1
    assert found.at(first) == found.at(first + 2) == [False]
    assert found.at(first + 4) == found.at(first + 6) == [True]
    assert found.elsewhere == everywhere and found.at(first + 3) == []


def test_what_cannot_be_aligned_is_certain(tmp_path: Path) -> None:
    assert tiled(tmp_path, 17, machine_code=False).extra["doubts"] == []


def test_what_is_said_of_other_peoples_kernels_is_what_was_counted() -> None:
    def wrong(n: int) -> None:
        row = FOUND["rows"][n]
        said = f"{row['repository']}-{row['kernel']}"
        assert row["different"] == [m for m, (ours, theirs) in row["metrics"].items() if ours != theirs], said
        assert row["reason"] == others_tables.reason_of(row), said
        assert row["by_code"], said

    rules.each(range(len(FOUND["rows"])), wrong, "what the row says follows from its counts")


@pytest.mark.parametrize(
    ("stores", "contends", "more", "conflicts", "reason"),
    [
        (False, False, 90, 90, "B"), (False, False, 90, 0, ""), (False, False, 200, 200, ""),
        (True, False, 200, 200, "B"), (True, False, 200, 0, ""), (True, False, 400, 400, ""),
        (False, True, 90, 0, "D"), (False, True, 200, 0, ""), (True, True, 90, 0, ""),
    ],
)  # fmt: skip
def test_a_difference_is_explained_by_what_the_kernel_does_and_up_to_a_limit(
    stores: bool, contends: bool, more: int, conflicts: int, reason: str
) -> None:
    metrics = {metric: [5, 5] for metric in FOUND["rows"][0]["metrics"]}
    metrics[counts.SHARED_STORE_WAVEFRONTS if stores else counts.SHARED_LOAD_WAVEFRONTS] = [1000, 1000 + more]
    metrics[counts.SHARED_STORE_CONFLICTS if stores else counts.SHARED_LOAD_CONFLICTS] = [0, conflicts]
    row = {"kernel": "k", "metrics": metrics, "contends": contends}
    row["different"] = [m for m, (ours, theirs) in metrics.items() if ours != theirs]
    assert others_tables.reason_of(row) == reason


def test_enough_of_other_peoples_kernels_are_compared() -> None:
    equal = sum(not row["different"] for row in FOUND["rows"])
    assert len(FOUND["rows"]) >= 60 and equal >= 0.85 * len(FOUND["rows"])
    assert [row["kernel"] for row in FOUND["rows"] if row["different"] and not row["reason"]] == []
    assert FOUND["tables"] == others_tables.tables(FOUND["rows"])


SETS = st.integers(0, (1 << 8) - 1)  # registers R0 to R7
CONDITIONS = st.one_of(st.none(), st.integers(0, 13))


@given(SETS, SETS, CONDITIONS, st.integers(0, 127))
def test_a_need_holds_where_its_condition_does(always: int, some: int, condition: int | None, predicates: int) -> None:
    def holds(part: int) -> bool:
        return bool(predicates >> part // 2 & 1) != bool(part % 2)

    def needed(of: int) -> int:
        parts = [of & ((1 << need.WIDTH) - 1)]
        parts += [of >> need.WIDTH * (p + 1) & ((1 << need.WIDTH) - 1) for p in range(14) if holds(p)]
        return parts[0] | sum({1 << k for part in parts for k in range(8) if part >> k & 1})

    whole = need.read(always, some, condition)
    assert needed(whole) == always | (some if condition is None or holds(condition) else 0)
    before = need.written(whole, some, condition)
    assert needed(before) == (needed(whole) & ~some if condition is None or holds(condition) else needed(whole))


ENDLESS = """\
__global__ void k(const float* in, float* out, int64_t n) {
    for (int64_t i = threadIdx.x; i < n;) out[i] = in[i];  // endless
}
extern "C" cudaError_t run(const float* a, float* b, int64_t n, cudaStream_t) {
    k<<<1, 64>>>(a, b, n);
    return cudaGetLastError();
}
"""


@compiled
@pytest.mark.slow
def test_the_time_limit_is_the_kernels_own_and_names_its_line(tmp_path: Path) -> None:
    path = tmp_path / "endless.cu"
    path.write_text(ENDLESS, encoding="utf-8")
    data = np.ones(64, np.float32)
    program = simulator.build(path, "count", time_limit=0.2)
    report = program.call("run", [buffer("a", data, False), buffer("b", data, True), 64])
    assert [(f.code, f.line) for f in report.findings] == [("time-limit", 2)]
    assert report.kernels[0].extra["why_not_by_code"] == "too long"


CALLS = """\
__device__ float doubled(float v) { return 2 * v; }
__device__ float squared(float v) { return v * v; }
__global__ void by_a_pointer(const float* x, float* y, int which) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float (*f)(float) = which ? doubled : squared;
    y[i] = f(x[i]);
}
__device__ float added_up(const float* x, int n) { return n ? x[n] + added_up(x, n - 1) : 0; }
__global__ void by_itself(const float* x, float* y, int) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = added_up(x, i % 4);
}
extern "C" cudaError_t run(const float* x, float* y, cudaStream_t stream) {
    KERNEL<<<2, 128, 0, stream>>>(x, y, 1);
    return cudaGetLastError();
}
"""


@pytest.mark.slow
@compiled
@pytest.mark.parametrize("kernel", ["by_a_pointer", "by_itself"])
def test_what_is_called_by_a_pointer_or_by_itself_is_counted_as_written(tmp_path: Path, kernel: str) -> None:
    path = tmp_path / f"{kernel}.cu"
    path.write_text(CALLS.replace("KERNEL", kernel), encoding="utf-8")
    program = simulator.build(path, "count", machine_code=True)
    report = program.call("run", [buffer(name, np.ones(256, np.float32), name == "y") for name in "xy"])
    (counted,) = report.kernels
    assert not counted.extra["by_code"] and counted.extra["why_not_by_code"] == "CALL"
    assert counted.metrics[counts.STORE_REQUESTS] == 8


# The last piece of a vector is copied in part, and one behind it not at all; two instances of one nameless kernel.
FILLED = """\
#include <cuda_runtime.h>
#include <stdint.h>
namespace {
template <typename T>
__global__ void bring(const T* a, T* b, int64_t n) {
    __shared__ __align__(16) T tile[1024];
    const int64_t first = (int64_t)blockIdx.x * 1024 + threadIdx.x * 4, left = n - first;
    const int bytes = left >= 4 ? 16 : left > 0 ? (int)left * 4 : 0;
    const uint32_t to = (uint32_t)__cvta_generic_to_shared(tile + threadIdx.x * 4);
    const T* from = bytes ? a + first : a;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    for (int k = 0; k < 4; k++) b[first + k] = tile[(threadIdx.x * 4 + k + 4) % 1024];
}
}
extern "C" cudaError_t run(const float* a, float* b, int64_t n, cudaStream_t stream) {
    const unsigned blocks = (unsigned)((n + 1023) / 1024);
    if (n > 1 << 20) bring<int><<<blocks, 256, 0, stream>>>((const int*)a, (int*)b, n);
    else bring<float><<<blocks, 256, 0, stream>>>(a, b, n);
    return cudaGetLastError();
}
"""


@pytest.mark.slow
@compiled
def test_copies_that_fill_with_zeros_are_counted_by_machine_code_in_a_nameless_namespace_too(tmp_path: Path) -> None:
    path = tmp_path / "filled.cu"
    path.write_text(FILLED, encoding="utf-8")
    program = simulator.build(path, "count")
    assert program.codes is not None
    assert not [code.unreadable for code in program.codes.kernels if code.unreadable]
    n = 1024 + 6
    out = np.zeros(2048, np.float32)
    asked = [buffer("a", np.arange(n, dtype=np.float32), False), buffer("b", out, True), n]
    report = program.call("run", asked)
    assert not report.findings and not report.status
    (kernel,) = report.kernels
    assert kernel.extra["by_code"]
    assert kernel.metrics[counts.LOAD_REQUESTS] == 8 + 1  # of eight warps of the first block, and one of the second
    assert kernel.metrics[counts.LOAD_SECTORS] == 128 + 1


def test_a_nameless_namespace_is_told_by_each_compiler_in_its_own_words() -> None:
    ours = "_ZN12_GLOBAL__N_15bringIfNS_4ArgsEEEvPKT_"
    nvccs = "_ZN30_GLOBAL__N__ab61e25c_4_z_cu_go5bringIfNS_4ArgsEEEvPKT_"
    assert of_any_file(ours) == of_any_file(nvccs) == "_ZN5bringIfNS_4ArgsEEEvPKT_"
    both = "_Z5bringIN12_GLOBAL__N_14ArgsEN12_GLOBAL__N_14MoreEEvT_"
    assert of_any_file(both) == "_Z5bringIN4ArgsEN4MoreEEvT_"
