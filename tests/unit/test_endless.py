"""Which loop of a file cannot end is told from its text where it is certain, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

from onekernel.cohort import endless
from support.course import ROOT

KERNEL = """#include <cuda_runtime.h>
__device__ int helper(int v) { return v + 1; }
__device__ void changed(int& v) { v += 1; }
__global__ void f(const float* x, float* y, int64_t n, unsigned m, int* flag) {
    __shared__ int shared;
    int i = threadIdx.x, step = 64;
    int j = 3;
    unsigned k = 7;
    LOOP
}
"""
CERTAIN = {
    "no step": "for (int s = 128; s > 0;) { y[s] = 0; }",
    "a step that is not kept": "for (int s = 128; s > 0; s / 2) __syncthreads();",
    "a shift that is not kept": "for (int s = blockDim.x / 2; s > 0; s >> 1) { if (threadIdx.x < s) y[0] += y[s]; }",
    "what the condition tests stays": "while (j > 0) { __syncthreads(); if (threadIdx.x < j) y[0] = x[0]; }",
    "another one counts": "while (j < n) { i += blockDim.x; }",
    "true": "while (true) { y[0] += 1; }",
    "one": "do { y[0] += 1; } while (1);",
    "nothing": "for (;;) { }",
    "halved and never below 0": "for (int s = 64; s >= 0; s /= 2) { y[s] = 0; }",
    "shifted and never below 0": "for (int s = 64; s >= 0; s >>= 1) { y[s] = 0; }",
    "without a sign": "while (k >= 0) { y[k] = 0; k--; }",
    "doubled from 0": "for (int s = 0; s < n; s *= 2) { y[s] = 0; }",
    "beside shared memory": "extern __shared__ float room[]; while (j > 0) { room[0] = 0; }",
    "a call that takes values": "while (j < 9) { i = helper(j); }",
}
UNCERTAIN = {
    "it ends": "for (int s = 64; s > 0; s /= 2) { y[s] = 0; }",
    "it breaks": "while (true) { if (y[0] > 1) break; }",
    "it returns": "for (;;) { if (y[0] > 1) return; }",
    "it waits for memory": "while (flag[0] == 0) { }",
    "it waits for a pointer": "while (*flag == 0) { }",
    "it waits for what is shared": "while (shared == 0) { }",
    "it asks a function": "while (atomicCAS(flag, 0, 1)) { }",
    "its address is known": "int* p = &j; while (j > 0) { p[0] -= 1; }",
    "a reference": "int& r = j; while (j > 0) { r -= 1; }",
    "changed by a call": "while (j < 9) { changed(j); }",
    "a lambda": "auto less = [&] { j -= 1; }; while (j > 0) { less(); }",
    "a call decides": "while (helper(j) > 0) { y[0] = 1; }",
    "it traps": "while (true) { if (y[0] > 1) __trap(); }",
    "of a function that ends the process": "while (true) { if (y[0] > 1) exit(1); }",
    "two of them": "while (j > 0) { } while (true) { }",
    "doubled from 1": "for (int s = 1; s < n; s *= 2) { y[s] = 0; }",
    "counted down with a sign": "for (int s = 64; s >= 0; s--) { y[s] = 0; }",
    "never": "do { y[0] = 1; } while (0);",
    "a name from elsewhere": "while (elsewhere > 0) { y[0] = 1; }",
    "in a directive": "while (true) {\n#ifdef SOMETHING\n break;\n#endif\n}",
}
PYTHON = {
    "true": ("while True:\n    pass\n", 1),
    "stays": ("def f(n):\n    i = 0\n    while i < n:\n        j = i + 1\n", 3),
    "of numbers": ("def f(x, n, tl):\n    at = 0\n    while at < n:\n        tl.store(x + at, tl.load(x + at))\n", 3),
    "counts": ("i = 0\nwhile i < 9:\n    i += 1\n", None),
    "breaks": ("while True:\n    if f():\n        break\n", None),
    "is guarded": ("try:\n    while True:\n        next(it)\nexcept StopIteration:\n    pass\n", None),
    "changes an object": ("while items:\n    items.pop()\n", None),
    "passes an object": ("while items != []:\n    shorten(items)\n", None),
    "asks": ("while ready():\n    pass\n", None),
    "global": ("def g():\n    global i\n    i = 9\nwhile i < 9:\n    g()\n", None),
    "no Python": ("while True\n", None),
    "two": ("while True:\n    while True:\n        pass\n", None),
}


def head(tmp_path: Path, name: str, text: str) -> int | None:
    path = tmp_path / name
    path.write_text(text)
    return endless.head(path)


@pytest.mark.parametrize("loop", CERTAIN.values(), ids=CERTAIN)
def test_a_loop_that_cannot_end_is_named_by_its_first_line(loop: str) -> None:
    assert endless.in_cuda(KERNEL.replace("LOOP", loop)) == [9]


@pytest.mark.parametrize("loop", UNCERTAIN.values(), ids=UNCERTAIN)
def test_what_may_end_is_not_named(loop: str) -> None:
    assert len(endless.in_cuda(KERNEL.replace("LOOP", loop))) != 1


@pytest.mark.parametrize(("text", "line"), PYTHON.values(), ids=PYTHON)
def test_in_python(text: str, line: int | None, tmp_path: Path) -> None:
    assert head(tmp_path, "x.py", text) == line


def test_a_file_is_read_apart_and_one_that_cannot_be_read_names_nothing(tmp_path: Path) -> None:
    assert head(tmp_path, "x.cu", KERNEL.replace("LOOP", CERTAIN["one"])) == 9
    assert head(tmp_path, "x.cu", '#include "exits.h"\n' + KERNEL.replace("LOOP", CERTAIN["one"])) is None
    assert head(tmp_path, "y.py", "(" * 100_000) is None
    assert endless.head(tmp_path / "nothing.cu") is None


@pytest.mark.parametrize("folder", ["solutions", "tests/right"])
def test_no_right_file_has_such_a_loop(folder: str) -> None:
    files = [p for p in (ROOT / folder).rglob("*") if p.suffix in (".cu", ".py")]
    found = {p.name: (endless.in_cuda if p.suffix == ".cu" else endless.in_python)(p.read_text()) for p in files}
    assert len(found) > 20 and {name: lines for name, lines in found.items() if lines} == {}
