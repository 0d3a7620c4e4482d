"""The one reading of a file: its functions and their sides, what stands around a line, its arrays and numbers."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from onekernel.simulator.facts import BRANCHES, LOOPS, facts_at, facts_of
from onekernel.simulator.facts.elements import changes
from onekernel.simulator.facts.functions import name_of
from onekernel.simulator.facts.kernels import kernels
from onekernel.simulator.facts.tokens import text_of

TURNS = """__global__ void k(float* x, int n)
{
    for (unsigned int i = 0;
         i < n; i++)
    {
        if (i > 2)
            x[i] = 1;
        else x[i] = 2;
    }
    do
        n--;
    while (n > 4);
    x[0] = 3;  // for if while
}
#define AGAIN do { if (1) {} } while (0)
int f() { return 1; }
"""


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("__global__ void k(float* x) { x[0] = 1; }", [("k", "kernel")]),
        ("#define KERNEL __global__ void\nKERNEL k(float* x) { }", [("k", "kernel")]),
        ("template <int N = 4> __device__ int f(int a) { return a; }", [("f", "device")]),
        ("template <class T = int> struct P { __host__ __device__ T f() { return 1; } };", [("f", "both")]),
        ("auto f(int a) -> int { if (a) { return 1; } return 2; }", [("f", "host")]),
        ("struct P { int a; P(int b) : a{b} { } ~P() { } };", [("P", "host"), ("P", "host")]),
        ("struct P { __device__ int operator()(int i) const { for (;;) { } } };", [("operator", "device")]),
        ("int main() try { } catch (...) { }", [("main", "host")]),
        ("int f(int a);\nint a[] = {1, 2};\nenum E { ONE };", []),
    ],
)
def test_functions_are_found_with_their_sides(text: str, found: list[tuple[str, str]]) -> None:
    assert [(f.name, f.side) for f in facts_of(text).functions] == found


@pytest.mark.parametrize(
    ("text", "parameters"),
    [
        ("void f(pair<int, float> p, int a = 3) { }", ["p", "a"]),
        ("struct P { int operator()(int i, float t[4]) { } };", ["i", "t"]),
        ("void f(void) { }", []),
    ],
)
def test_parameters_stand_behind_the_name(text: str, parameters: list[str]) -> None:
    facts = facts_of(text)
    (f,) = facts.functions
    assert [name_of(parameter) for parameter in f.parameters(facts.code)] == parameters


def test_a_statement_is_around_its_lines_with_braces_or_without() -> None:
    facts = facts_of(TURNS)
    lines = range(1, TURNS.count("\n") + 1)
    assert [n for n in lines if facts.around(n, LOOPS)] == [*range(3, 13)]
    assert [n for n in lines if facts.around(n, BRANCHES)] == [6, 7, 8]
    assert [f.name for f in map(facts.function_at, (13, 16)) if f] == ["k", "f"]
    assert [turns.name for turns in facts.counted(7)] == ["i"] and facts.line(13).strip() == "x[0] = 3;"


def test_arrays_know_their_memory_and_numbers_their_names() -> None:
    facts = facts_of(
        "#define N (8)  // of them\nconstexpr int kRows = 4;\n__device__ float a[2] = {1, 2}, b[kRows][N];\n"
        "__global__ void k(const float* x) {\n    extern __shared__ __align__(16) float s[];\n    float own[N];\n}\n"
    )
    assert {array.name: array.words for array in facts.arrays} == {
        "a": {"__device__"}, "b": {"__device__"}, "s": {"extern", "__shared__"}, "own": set(),
    }  # fmt: skip
    assert facts.numbers == {"N": "8", "kRows": "4"} and facts.in_memory >= {"a", "s"}


def test_a_file_that_is_written_again_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "a.cu"
    file.write_text("void f() { }\n")
    assert [f.name for f in facts_at(file).functions] == ["f"]
    file.write_text("void other() { }\n")
    assert [f.name for f in facts_at(file).functions] == ["other"]
    file.unlink()
    assert facts_at(file).functions == facts_at(None).functions == []


def test_many_branches_in_each_other_are_read_all_the_same() -> None:
    deep = "void f(int a) { " + "if (a) " * 1200 + "a = 1; }"
    started = time.process_time()
    assert len(facts_of(deep).statements) == 1200  # Python itself stops at 1,000 calls in each other
    assert time.process_time() - started < 20


NAMES = """template <class T> __global__ void k(const float* __restrict__ x, int64_t n, float (&tile)[4], T = {}) {
    extern __shared__ alignas(16) unsigned char room[];
    std::vector<int> v(3);
    for (unsigned i = 0, *p = x + 1; i < n; i++) { a * b; f({i}); }
    return i;
}
struct Pair { float x, y[2]; };
enum Kind { ONE };
"""


def test_names_are_declared_with_the_words_of_their_types() -> None:
    found = {one.name: (" ".join(one.type), one.is_array, one.is_integer) for one in facts_of(NAMES).named}
    assert found == {
        "n": ("int64_t", False, True), "tile": ("float ( &", False, False), "b": ("a *", False, False),
        "v": ("std :: vector < int >", False, False),
        "x": ("float", False, False), "room": ("extern __shared__ unsigned char", True, True),
        "i": ("unsigned", False, True), "p": ("unsigned *", False, False), "y": ("float", True, False),
    }  # fmt: skip
    assert [(one.name, one.line) for one in facts_of(NAMES).named][:2] == [("x", 1), ("n", 1)]


def test_what_changes_a_name() -> None:
    code = facts_of("a = b; a == b; a <= b; a <<= 1; ++a; a--; b.a += 2; aa = 1; a != 2; c[a] = 3;").code
    assert changes(code, "a") == ["=", "<<=", "++", "--", "+="]
    assert changes(facts_of("--a > 0").code, "a") == ["--"]


def test_calls_have_what_they_are_given() -> None:
    text = 'if (x) cudaMalloc<float>(&p, sizeof(int) * (n + 1));\nf(g(1, "a, b"),\n  2); i < n;'
    found = [(call.name, call.line, call.given) for call in facts_of(text).calls]
    assert found == [
        ("cudaMalloc", 1, ("&p", "sizeof(int) * (n + 1)")), ("f", 2, ('g(1, "a, b")', "2")), ("g", 2, ("1", '"a, b"')),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("if (i < n) *sum += x[i];", [("*sum", "+=", "x[i]")]),
        ("p->x[i][j] <<= 2;", [("p->x[i][j]", "<<=", "2")]),
        ("(*q)[k]++; --s[t];", [("(*q)[k]", "++", ""), ("s[t]", "--", "")]),
        ("float a = 1, b[2] = {3, 4};", [("a", "=", "1"), ("b[2]", "=", "{3,4}")]),
        ("x = a == b; if (c <= d) f(e != g);", [("x", "=", "a==b")]),
        ("y = a * b; return *z = w;", [("y", "=", "a*b"), ("*z", "=", "w")]),
    ],
)
def test_a_store_is_known_by_its_target_its_sign_and_its_value(text: str, stored: list[tuple[str, str, str]]) -> None:
    facts = facts_of(f"void f() {{ {text} }}")
    assert [(s.target.text, s.sign, text_of(facts.code[slice(*s.value)])) for s in facts.stores] == stored


def test_lambdas_are_known_by_their_words_and_their_bodies() -> None:
    text = "auto f = [=](int i) mutable -> int { return a[i]; }; k([] __device__ { }); p = [](int) { };"
    facts = facts_of(f"void h() {{ {text} [[nodiscard]] int g(); b[0] = {{}}; }}")
    found = [(one.name, one.of_auto, one.words, one.bracket is not None) for one in facts.lambdas]
    assert found == [("f", True, (), True), ("", False, ("__device__",), False), ("p", False, (), True)]
    assert [facts.code[one.body + 1].text for one in facts.lambdas] == ["return", "}", "}"]


@pytest.mark.parametrize("between", ["", "static void ", "__launch_bounds__(32) "])
def test_a_kernel_is_a_template_whatever_stands_behind_its_header(between: str) -> None:
    facts = facts_of(f"template <class T, int N = (1 < 2)> {between}__global__ void k(T* x) {{}}")
    assert kernels(facts.tokens) == ({"k": 2}, {"k": 1})
