"""Macros that declare shared memory, that launch what they are given, and that stand for whole functions."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest

from onekernel.simulator.facts.declarations import declarations
from onekernel.simulator.facts.macros import macros, macros_of
from onekernel.simulator.facts.tokens import text_of, tokenize
from onekernel.simulator.rewrite.expansions import with_arenas, written_out
from support.simulated import clean, run

LAUNCHER = """
extern "C" cudaError_t run(const float* x, float* y, long n, cudaStream_t stream) {
    k<<<1, 32, 128, stream>>>(x, y);
    return cudaGetLastError();
}
"""
TURNED = "int t = threadIdx.x; s[t] = x[t]; __syncthreads(); y[t] = s[31 - t];"
HEAD = "__global__ void k(const float* x, float* y) {"
KERNEL = f"#define KERNEL(name, T) __global__ void name(const T* x, T* y) {{ \\\n __shared__ T s[32]; {TURNED} }}\n"
SHARING = {
    "by another name": f"#define local __shared__\n{HEAD} local float s[32]; {TURNED} }}",
    "an array of any type": "#define ROOM(name, T, n) __shared__ T name##_all[n]; T (&name)[n] = name##_all\n"
    f"{HEAD} ROOM(s, float, 32); {TURNED} }}",
    "twice in one kernel": f"#define ROOM(name) __shared__ float name[32]\n{HEAD} ROOM(s); ROOM(r);\n"
    "int t = threadIdx.x; s[t] = x[t]; r[t] = 0; __syncthreads(); y[t] = s[31 - t] + r[31 - t]; }",
    "of the launch's size": "#define DYNAMIC(T, name) extern __shared__ T name[]\n"
    f"{HEAD} DYNAMIC(float, s); {TURNED} }}",
    "a whole kernel": f"{KERNEL}KERNEL(k, float)\nstatic int helper() {{ return 0; }}",
    "a list of kernels": f"{KERNEL}#define ALL(X) X(k, float) X(other, double)\nALL(KERNEL)",
}


@pytest.mark.parametrize("kernel", SHARING.values(), ids=SHARING)
def test_shared_memory_may_be_declared_by_a_macro(kernel: str, tmp_path: Path) -> None:
    x = np.arange(32, dtype=np.float32)
    got = clean(tmp_path, f"#include <cuda_runtime.h>\n{kernel}\n{LAUNCHER}", x, np.zeros(32, np.float32))
    np.testing.assert_array_equal(got, x[::-1])


def test_a_finding_in_a_macro_names_the_line_of_its_use(tmp_path: Path) -> None:
    kernel = (
        f"#define ROOM(name) __shared__ \\\n    float name[32]\n{HEAD}\n    ROOM(s);\n"
        "    s[threadIdx.x] = x[threadIdx.x];\n    y[threadIdx.x] = s[32 + threadIdx.x];\n}\n"
    )
    source = f"#include <cuda_runtime.h>\n{kernel}{LAUNCHER}"
    _, report = run(tmp_path, source, np.zeros(32, np.float32), np.zeros(32, np.float32))
    line = next(n for n, text in enumerate(source.splitlines(), 1) if "32 + " in text)
    assert [(f.line, "s[32]" in str(f)) for f in report.findings] == [(line, True)]


def test_functions_behind_a_launch_that_is_written_out_are_still_known(tmp_path: Path) -> None:
    """What is said of a function is put at its own first word, wherever a macro has moved it to."""
    source = """#include <cuda_runtime.h>
#define LAUNCH(kernel, stream, ...) kernel<<<1, 32, 0, stream>>>(__VA_ARGS__)
template <typename T> __global__ void k(const T* x, T* y, T by) { y[threadIdx.x] = x[threadIdx.x] + by; }
static void start(const float* x, float* y, cudaStream_t stream) {
    LAUNCH(k<float>, stream, x, y, 2.0f);
    LAUNCH(k, stream, x, y, 3.0f);
}
static int helper(int n) { int sum = 0; for (int i = 0; i < n; ++i) sum += i; return sum; }
extern "C" cudaError_t run(const float* x, float* y, long n, cudaStream_t stream) {
    start(x, y, stream);
    return helper(3) == 3 ? cudaGetLastError() : cudaErrorUnknown;
}
"""
    x = np.arange(32, dtype=np.float32)
    np.testing.assert_array_equal(clean(tmp_path, source, x, np.zeros(32, np.float32)), x + 3)


@pytest.mark.parametrize(
    "listed",
    ["#define ALL(X) X(add, +) X(sub, -)\nALL(DEFINE)", "DEFINE(add, +)", "DEFINE(add, +);",
     "#define BOTH DEFINE(add, +) DEFINE(sub, -)\nBOTH"],
)  # fmt: skip
def test_behind_a_macro_that_defines_functions_begins_another(listed: str) -> None:
    """Without a semicolon, too: else the launcher began with the kernels, and nothing that they did was seen."""
    tokens = tokenize(
        f"#define DEFINE(name, op) __global__ void k_##name(float* y) {{ y[0] = y[0] op 1; }}\n{listed}\n"
        'extern "C" int launcher(float* y) { return 0; }\n'
    )
    (found,) = declarations(tokens, macros(tokens)).functions
    assert (found.name, found.side) == ("launcher", "host")
    assert text_of(tokens[found.begin :]).startswith("int launcher")


def test_a_macro_before_a_function_of_its_own_text_is_part_of_it() -> None:
    text = "#define BOUND(n) __launch_bounds__(n)\n#define KERNEL __global__\nKERNEL BOUND(32) void k(float* y) { }"
    tokens = tokenize(text)
    (found,) = declarations(tokens, macros(tokens)).functions
    assert (found.name, found.side, text_of(tokens[found.begin :])[:6]) == ("k", "kernel", "KERNEL")


WRITTEN = {
    "#define M(a) f(#a, a##_1)\nM(x + 1 )": 'f("x + 1", x + 1_1)',
    '#define M(a) #a\nM("s\\n")': '"\\"s\\\\n\\""',
    "#define M(a, ...) f(a, ##__VA_ARGS__)\nM(1) M(1, 2, 3)": "f(1) f(1,2, 3)",
    "#define M(rest...) f(rest)\nM(1, 2)": "f(1, 2)",
    "#define M(a) M2(a, a)\n#define M2(a, b) a b\nM(x)": "x x",
    "#define M M + 1\nM": "M + 1",
    "#define M(a) a\nint M = 1;": "int M = 1;",
    "#define M() none\nM()": "none",
    "#define M(a) one(a)\nM()": "one()",
    "#define M 1\n#undef M\nM": "M",
    "#define M 1\nM\n#undef M\n#define M 2\nM": "1 2",
}


@pytest.mark.parametrize(("text", "want"), WRITTEN.items())
def test_a_use_is_written_out_as_the_preprocessor_does(text: str, want: str) -> None:
    tokens = tokenize(text)
    out = text_of(written_out(tokens, macros_of(tokens[:1]), lambda *_: True))
    lines = [line for line in out.splitlines() if not line.startswith("#")]
    assert " ".join(" ".join(lines).split()) == want


DOUBLES = "".join(f"#define A{n + 1} A{n} A{n}\n" for n in range(64)) + "#define A0 __shared__\nA64"
NESTS = "#define A(x) __shared__ x\n" + "A(" * 20000 + ")" * 20000


@pytest.mark.parametrize("text", [DOUBLES, NESTS], ids=["doubles", "nests"])
def test_a_macro_that_stands_for_too_much_is_left_to_the_compiler(text: str) -> None:
    tokens = tokenize(text)
    began = time.process_time()
    with_arenas(tokens, tokens)
    assert time.process_time() - began < 10
