"""What a learner looks at inside of a kernel: printf, the values of one thread's variable, the compiler's warnings."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from onekernel import cli, messages, simulator
from onekernel.simulator.compilation.compiler import compiler
from onekernel.simulator.facts.tokens import text_of, tokenize
from onekernel.simulator.rewrite.shown import assigned, with_shown
from support.simulated import buffer, run

X = np.arange(1, 65, dtype=np.float32)
HEAD = "__global__ void k(const float* x, float* y, int64_t n) {\n    int t = threadIdx.x;\n"
TAIL = '}\nextern "C" cudaError_t run(const float* x, float* y, int64_t n, cudaStream_t s) {\n'
LAUNCH = "    k<<<1, 64, 0, s>>>(x, y, n);\n    return cudaGetLastError();\n}\n"


def source(body: str) -> str:
    return "#include <stdint.h>\n" + HEAD + body + TAIL + LAUNCH


def test_printf_is_told_with_line_block_and_thread_and_is_no_fault(tmp_path: Path) -> None:
    body = '    if (t < 2) printf("x[%d] is %g\\n", t, x[t]);\n    y[t] = x[t];\n'
    _, report = run(tmp_path, source(body), X, np.zeros_like(X))
    assert {f.severity for f in report.findings} == {"note"}
    assert [(f.line, f.message.text("en")) for f in report.findings] == [
        (4, f"k, block 0, thread {t} prints: x[{t}] is {t + 1}") for t in range(2)
    ]
    assert report.findings[1].message.text("es") == "k, bloque 0, hilo 1 imprime: x[1] is 2"


def test_printf_of_every_thread_is_bounded(tmp_path: Path) -> None:
    body = '    for (int i = 0; i < 100; ++i) printf("%d", i);\n    y[t] = x[t];\n'
    y, report = run(tmp_path, source(body), X, np.zeros_like(X))
    assert len(report.findings) == 64 and (y == X).all()


Values = list[tuple[int, str]]


def shown(tmp_path: Path, body: str, name: str, thread: int = 3, block: int = 0) -> tuple[Values, np.ndarray]:
    """The values of a variable, as (line, text), and y."""
    path = tmp_path / "kernel.cu"
    path.write_text(source(body), encoding="utf-8")
    program = simulator.build(path, "bounds", show=name)
    program.shows = (block, thread)
    out = buffer("y", np.zeros_like(X), True)
    report = program.call("run", [buffer("x", X, False), out, X.size])
    assert [str(f) for f in report.findings] == []
    y = np.frombuffer(out.memory[256 : 256 + X.nbytes].tobytes(), np.float32)
    found = program.shown["first"] + program.shown["last"]
    assert program.shown["count"] >= len(found)
    return [(entry["line"], entry["value"]) for entry in found], y


LOOP = "    float sum = 0.0f;\n    for (int j = 0; j < 3; ++j)\n        sum += x[j] * 0.5f;\n    y[t] = sum;\n"


def test_each_assignment_of_one_thread_is_kept_in_order(tmp_path: Path) -> None:
    values, y = shown(tmp_path, LOOP, "sum")
    assert values == [(4, "0"), (6, "0.5"), (6, "1.5"), (6, "3")]
    assert (y == 3).all()  # the kernel computes what it did


def test_a_loops_variable_and_a_thread_that_is_not_asked_for(tmp_path: Path) -> None:
    assert shown(tmp_path, LOOP, "j")[0] == [(5, "0"), (5, "1"), (5, "2"), (5, "3")]
    assert shown(tmp_path, LOOP, "sum", thread=64)[0] == []
    assert shown(tmp_path, LOOP, "sum", block=1)[0] == []


@pytest.mark.slow
def test_elements_of_an_array_branches_and_steps(tmp_path: Path) -> None:
    body = (
        "    __shared__ float part[64];\n    part[t] = x[t];\n    __syncthreads();\n    int count = 0;\n"
        "    if (t > 2) count++; else count = 7;\n    if (t < 3) part[t] += 1; else part[t] -= part[t] / 2;\n"
        "    y[t] = part[t] + count;\n"
    )
    assert shown(tmp_path, body, "part")[0] == [(5, "4"), (9, "2")]
    assert shown(tmp_path, body, "count")[0] == [(7, "0"), (8, "1")]
    values, y = shown(tmp_path, body, "count", thread=1)
    assert values == [(7, "0"), (8, "7")] and y[3] == 3 and y[1] == 10


@pytest.mark.parametrize(("lang", "point"), [("en", "."), ("es", ",")])
def test_the_command_writes_numbers_as_the_language_does(
    lang: str, point: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ONEKERNEL_ROOT", str(Path(__file__).parents[2]))
    monkeypatch.setattr(messages, "_chosen", None)
    asked = ["show", "softmax_naive", "--solutions", "--value", "sum", "--shape", "1,5"]
    assert cli.main([*asked, "--lang", lang]) == 0
    values = re.findall(r"sum = (\S+)", capsys.readouterr().out)
    assert len(values) > 4 and any(re.fullmatch(rf"\d+\{point}\d+", value) for value in values)
    assert all(float(value.replace(point, ".")) >= 0 for value in values)


def test_many_values_are_bounded(tmp_path: Path) -> None:
    body = "    int last = 0;\n    for (int j = 0; j < 5000; ++j) last = j;\n    y[t] = x[t] + last * 0;\n"
    values, _ = shown(tmp_path, body, "last")
    assert len(values) == 220 and values[-1] == (5, "4999")


@pytest.mark.parametrize(
    ("line", "name", "told"),
    [
        ("if (a == b) c = 1;", "a", 0),
        ("if (a <= b) c = 1;", "c", 1),
        ("for (a = 0; a < 3; a++) { c += a; }", "a", 1),
        ("f(a = 3);", "a", 0),
        ("while (a < 3) a = g(a, b);", "a", 1),
        ("p.a = 3; q->a = 4; a = 5;", "a", 1),
        ("float a[3] = {1, 2, 3}; a[b + 1] = 2;", "a", 1),
        ("float b = 0, a[2] = {1, 2};", "a", 0),
        ("{ b; } float c[2] = {1, 2}, b = c[0], a = 3;", "a", 1),
        ("a <<= 1; a >>= 1; a != b; a >= b;", "a", 2),
    ],
)
def test_what_is_an_assignment(line: str, name: str, told: int) -> None:
    tokens = tokenize(f"void f() {{ {line} }}")
    assert text_of(with_shown(tokens, name)).count("ok_shown") == told
    assert (name in assigned(tokens)) == bool(told) or name == "a"


def test_what_stands_outside_of_every_body_is_not_shown() -> None:
    text = """constexpr int kThreads = 256;
static const float kScale{2}, kBias = 3.0f;
namespace n { enum { A = 1 }; struct S { int member = 4; float twice(float v) const { float w = 2 * v; return w; } }; }
template <int N = 4> __device__ int f(int given = 3) { int inner = given; inner += N; return inner; }
"""
    tokens = tokenize(text)
    assert assigned(tokens) == ["w", "inner"]
    for name in ("kThreads", "kBias", "A", "member", "N", "given"):
        assert text_of(with_shown(tokens, name)) == text


def test_warnings_are_kept_beside_the_build_and_are_no_findings(tmp_path: Path) -> None:
    if compiler().family != "g++":
        pytest.skip("g++'s warnings are read, and no other's")
    path = tmp_path / "warned.cu"
    path.write_text(source("    float sum;\n    if (t = 3) sum += x[t];\n    y[t] = sum;\n"), encoding="utf-8")
    for _ in range(2):  # made, and found in the cache
        program = simulator.build(path)
        assert [(w.line, w.code, w.severity) for w in program.warnings] == [
            (5, "warning-assignment", "warning"), (4, "warning-uninitialised", "warning")
        ]  # fmt: skip


def test_behind_a_declaration_stands_a_statement_of_its_own() -> None:
    for line in ("float b = 1, a = 3;", "{ b; } float c[2] = {1, 2}, a = 3;", "for (;;) { } T<int> a = 3;"):
        assert text_of(with_shown(tokenize(f"void f() {{ {line} }}"), "a")).count("; ::__ok::ok_shown") == 1, line
