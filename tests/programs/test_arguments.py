"""What `<<<...>>>` makes of its arguments: tests/programs/arguments.cu."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from onekernel.simulator.facts.tokens import text_of, tokenize
from onekernel.simulator.rewrite.launches import write_stubs

HERE = Path(__file__).parent
SEEN = """
a variable: 5 6 7 8, made 0, copied 1, destroyed 1, converted 0
a value: 6 7 8 9, made 1, copied 0, destroyed 1, converted 0
a number: 7 8 9 10, made 1, copied 0, destroyed 1, converted 0
of a template: 5 6 7 8, made 0, copied 1, destroyed 1, converted 0
a number for a template: 9 10 11 12, made 1, copied 0, destroyed 1, converted 0
by a pointer: 5 6 7 8, made 0, copied 1, destroyed 1, converted 0
cudaLaunchKernel: 5 6 7 8, made 0, copied 0, destroyed 0, converted 0
cooperative: 5 6 7 8, made 0, copied 0, destroyed 0, converted 0
cudaLaunchKernelEx: 5 6 7 8, made 0, copied 1, destroyed 1, converted 0
an operator: 2 2 2 2, converted 1
an operator for an overload: 3.5 3.5 3.5 3.5, converted 1
the other overload: 3 3 3 3, made 0, copied 0, destroyed 0, converted 0
deduced: 9 9 9 9, made 0, copied 0, destroyed 0, converted 0
named: 8 8 8 8, made 0, copied 0, destroyed 0, converted 0
a pack: 10 10 10 10, made 0, copied 0, destroyed 0, converted 0
defaults: 7 7 7 7, made 0, copied 0, destroyed 0, converted 0
braces: 3 3 3 3, made 0, copied 0, destroyed 0, converted 0
a default in C: 8 8 8 8, made 0, copied 0, destroyed 0, converted 0
sorts: 21 22 23 24, made 0, copied 0, destroyed 0, converted 0
a functor: 0 2 4 6, made 0, copied 0, destroyed 0, converted 0
a lambda: 3 4 5 6, made 0, copied 0, destroyed 0, converted 0
a view: 3 3 3 3, made 0, copied 0, destroyed 0, converted 0
a pair: 7 7 7 7, made 0, copied 0, destroyed 0, converted 0
NULL: 1 1 1 1, made 0, copied 0, destroyed 0, converted 0
objects of the host: 1 1 1 1, made 0, copied 2, destroyed 2, converted 0
captured: 1 1 1 1, made 0, copied 2, destroyed 2, converted 0
a graph: 5 6 7 8, made 0, copied 0, destroyed 0, converted 0
no error
"""


def test_arguments_become_parameters_once_and_threads_have_their_bytes() -> None:
    command = [sys.executable, "-c", "import sys; from onekernel.cli import main; sys.exit(main())", "run"]
    done = subprocess.run(
        [*command, HERE / "arguments.cu"], capture_output=True, text=True, timeout=600, check=False
    )
    assert done.stdout.splitlines() == SEEN.split("\n")[1:-1], done.stderr
    assert done.returncode == 0 and "Nothing wrong was found" in done.stderr


@pytest.mark.parametrize(
    ("kernel", "stub"),
    [
        (
            "template <int N, class T> static __global__ void k(T* __restrict__ x, const int n = N < 2 ? 1 : 2) {}",
            "template <int N, class T, class OkHow> OK_QUIET inline int ok_stub_k(const OkHow& ok_how,"
            " T* __restrict__ x, const int n = N < 2 ? 1 : 2)"
            " { return ok_how.template ok_run<decltype(x), decltype(n)>(x, n); }",
        ),
        (
            "template <class T> __global__ void __launch_bounds__(256) k(pair<T, int> p, T, const unsigned, T[4]);",
            "template <class T, class OkHow> OK_QUIET inline int ok_stub_k(const OkHow& ok_how,"
            " pair<T, int> p, T ok_1, const unsigned ok_2, T ok_3[4]);",
        ),
        (
            "template <class... T> __global__ void k(float (*f)(float), float (&)[3], T&... rest, map<int, T>...) {}",
            "template <class... T, class OkHow> OK_QUIET inline int ok_stub_k(const OkHow& ok_how,"
            " float (*f)(float), float (&ok_1)[3], T&... rest, map<int, T>... ok_3)"
            " { return ok_how.template ok_run<decltype(f), decltype(ok_1), decltype(rest)..., decltype(ok_3)...>"
            "(f, ok_1, rest..., ok_3...); }",
        ),
        (
            "__global__ void k(int n = f(1, 2), struct A a = A{1, 2}, typename B::c = {}) {}",
            "template <class OkHow> OK_QUIET inline int ok_stub_k(const OkHow& ok_how,"
            " int n = f(1, 2), struct A a = A{1, 2}, typename B::c ok_2 = {})"
            " { return ok_how.template ok_run<decltype(n), decltype(a), decltype(ok_2)>(n, a, ok_2); }",
        ),
        (
            "template <class T> __global__ void k(void) {}",
            "template <class T, class OkHow> OK_QUIET inline int ok_stub_k(const OkHow& ok_how)"
            " { return ok_how.template ok_run<>(); }",
        ),
    ],
)  # fmt: skip
def test_a_stub_takes_what_its_kernel_takes(kernel: str, stub: str) -> None:
    written = text_of(write_stubs(tokenize(kernel), {}, {"k": 2}))
    said = " ".join(written.removesuffix(kernel).split())
    assert said.replace(" ,", ",").replace(" )", ")") == f'extern "C++" {stub}' and written.endswith(kernel)


@pytest.mark.parametrize(
    "declaration",
    ["struct A { friend __global__ void k(int x); };", "template <> __global__ void k<int>(int x) {}",
     "template <> __global__ void k(int x) {}", "template __global__ void k(float x);", "using k = A::b;"],
)  # fmt: skip
def test_no_stub_beside_what_is_declared_elsewhere(declaration: str) -> None:
    assert text_of(write_stubs(tokenize(declaration), {}, {"k": 2})) == declaration


def test_a_stub_comes_along_where_its_kernels_name_is_taken() -> None:
    assert text_of(write_stubs(tokenize("using a::k;"), {"k": 1}, {})) == "using a::ok_stub_k; using a::k;"
