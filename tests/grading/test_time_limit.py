"""What is read of a learner's text for a hint may cost the hint, and never the night."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from onekernel.backends.base import Finding
from onekernel.grading.grader import grade
from onekernel.grading.submission import Submission
from onekernel.grading.suspicions import fixed
from onekernel.grading.time_limit import within_time
from onekernel.messages import Message
from onekernel.sandbox import process, protocol, supervisor
from support.corpus import graded
from support.course import COURSE, ROOT

ENDLESS = "x" + "[]" * 60  # 2^60 ways to divide it, for an expression that allows them


def test_a_line_that_an_expression_cannot_finish_has_no_fix() -> None:
    cuts = Finding("warning-cuts", Message("simulator.unreadable", {"why": ""}), "k.cu", 2)
    began = time.process_time()
    assert list(fixed(f"int k;\nint {ENDLESS};\n", [cuts])) == []
    assert time.process_time() - began < 4
    assert list(fixed("int k;\nk = 1.5f;\n", [cuts])) == ["float k;\nk = 1.5f;\n"]


@pytest.mark.parametrize("text", [
    pytest.param("static int " + "a[0]" * 60_000 + "\n", id="names"),
    pytest.param("static int b;\ncudaMemset(" * 20_000, id="statements", marks=pytest.mark.slow),
])  # fmt: skip
def test_a_wrong_file_is_judged_whatever_stands_in_its_comments(tmp_path: Path, text: str) -> None:
    wrong = (ROOT / "tests" / "wrong" / "add_drops_last.cu").read_text(encoding="utf-8")
    path = tmp_path / "vector_add.cu"
    path.write_text(f"{wrong}\n/*\n{text}*/\n", encoding="utf-8")
    began = time.process_time()
    result = graded(path, "vector_add", "simulator", frozenset({"tails"}))
    assert result.status == "failed" and time.process_time() - began < 10


def test_the_timer_is_gone_afterwards_and_the_handler_as_it_was() -> None:
    before = signal.getsignal(signal.SIGVTALRM)
    assert within_time(lambda: 7, 0) == 7
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0.0, 0.0) and signal.getsignal(signal.SIGVTALRM) is before


SIGNS = """
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <spawn.h>
#include <unistd.h>
extern char** environ;
__global__ void nothing() {{}}
static void sign(int i) {{
    {sign}
    usleep(300000);
}}
{loaded}
extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {{
    for (int i = 0; i < 100000; ++i) sign(i);
    return cudaGetLastError();
}}
"""
OF_CUDA = {
    "new files": 'char name[40]; snprintf(name, sizeof name, "out/more%d", i);'
                 'if (FILE* f = fopen(name, "w")) fclose(f);',
    "a file that grows": 'if (FILE* f = fopen("out/more", "a")) { fputs("more", f); fclose(f); }',
    "prints": 'printf("alive %d\\n", i); fflush(stdout);',
    "programs": 'char t[] = "/bin/true"; char* argv[] = {t, nullptr}; pid_t pid;'
                'posix_spawn(&pid, t, nullptr, nullptr, argv, environ);',
    "calls of the API": "float* p; cudaMalloc(&p, 4); cudaFree(p);",
    "launches": "nothing<<<1, 1>>>();",
}  # fmt: skip
OF_PYTHON = {
    "new files": 'open(os.environ["TMPDIR"] + f"/more{n}", "w").close()',
    "prints": 'print("alive", n, flush=True)',
    "calls of the library": "torch.ones(9).sum()",
}
ENDLESSLY = """
import os, time, torch
def sign():
    n = 0
    while True:
        n += 1
        {sign}
        time.sleep(0.3)
"""
BUSY = "while True:\n    sum(range(1000000))\n    print('alive', flush=True)\n"
# (exercise, a line of its answer, what stands there instead of it)
IN_A_CALL = {
    "port: call: new files": ("torch_minigpt", "positions = torch.arange(tokens.shape[1], device=tokens.device)",
                              "for n in range(100000): [torch.save(torch.ones(9), f'out/m{n}'), sum(range(2000000))]"),
    "benchmark: call: calls of the API": ("benchmark", "for _ in range(WARM_UPS):", "while True:"),
}  # fmt: skip
TYPES = """
template <int depth, int number> struct Tree {
    static constexpr int sum() {
        if constexpr (depth == 0) return number & 1;
        else return Tree<depth - 1, 2 * number>::sum() + Tree<depth - 1, 2 * number + 1>::sum();
    }
};
"""


def _signs() -> Iterator[Any]:
    """(exercise, file) for each sign of life: as it is built, as it is loaded, in its first call."""
    yield pytest.param("vector_add", TYPES + 'static_assert(Tree<21, 1>::sum() > 0, "");', id="cuda: build")
    loaded = "static int loaded = [] { for (int i = 0; i < 100000; ++i) sign(i); return 1; }();"
    yield pytest.param("vector_add", SIGNS.format(sign=OF_CUDA["new files"], loaded=loaded), id="cuda: load: new files")
    for name, sign in OF_CUDA.items():
        yield pytest.param("vector_add", SIGNS.format(sign=sign, loaded=""), id=f"cuda: call: {name}")
    for name, sign in OF_PYTHON.items():
        text = ENDLESSLY.format(sign=sign)
        yield pytest.param("gelu_triton", text + "sign()\n", id=f"triton: import: {name}")
        call = text + "def gelu_triton(x, approximate='none'):\n    sign()\n"
        yield pytest.param("gelu_triton", call, id=f"triton: call: {name}")
    loaded = ENDLESSLY.format(sign=OF_PYTHON["new files"]) + "sign()\n"
    yield pytest.param("storage_probe", loaded, id="probe: import: new files")
    for slug in ("torch_minigpt", "benchmark"):
        right = (ROOT / "solutions" / f"{slug}.py").read_text(encoding="utf-8")
        yield pytest.param(slug, right + BUSY, id=f"{slug}: import: prints")
    for name, (slug, line, instead) in IN_A_CALL.items():
        right = (ROOT / "solutions" / f"{slug}.py").read_text(encoding="utf-8")
        assert right.count(line) == 1
        yield pytest.param(slug, right.replace(line, instead), id=name)


@pytest.mark.slow
@pytest.mark.parametrize(("slug", "text"), [*_signs()])
@pytest.mark.sample(every=4)
def test_no_sign_of_life_gives_a_file_more_than_it_has_in_all(
    slug: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    exercise, imports = replace(COURSE.exercises[slug], seconds=4), "import:" in request.node.name
    path = tmp_path / exercise.file
    path.write_text(text)
    monkeypatch.setattr(supervisor, "TOTAL_SECONDS", 300.0)  # where it would end, and be told something else
    result = grade(Submission(COURSE, exercise, path, "simulator", 1))
    assert result.earned == 0
    told = "grading.import-timed-out" if imports else "grading.total-time"
    assert result.verdicts[0].failures[0].message == Message(told, {"seconds": 4})


@pytest.mark.slow
@pytest.mark.parametrize("slug", ["softmax_triton", "torch_minigpt", "storage_probe", "benchmark"])
def test_an_import_that_hangs_has_seconds_of_its_own_once_and_each_check_names_it(
    slug: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    exercise = COURSE.exercises[slug]
    path = tmp_path / exercise.file
    path.write_text(f"{(ROOT / 'solutions' / exercise.file).read_text(encoding='utf-8')}\nwhile True:\n    pass\n")
    monkeypatch.setattr(supervisor, "IMPORT_SECONDS", 2.0)
    ran = []
    real = process.run
    monkeypatch.setattr(process, "run", lambda *given, **how: ran.append(real(*given, **how)) or ran[-1])
    result = grade(Submission(COURSE, exercise, path, "simulator", 1))
    first, *others = (v.failures[0].message for v in result.verdicts if v.failures)
    assert first == Message("grading.import-timed-out", {"seconds": 2.0})
    assert {m.key for m in others} <= {first.key, "grading.told-at-first", "grading.no-own-kernel"}
    assert len(ran) == 1


def test_what_is_imported_before_a_file_has_a_build_s_time(tmp_path: Path) -> None:
    """Of a port, the kernel that it uses is built first."""
    protocol.mark(tmp_path, protocol.LOADING)
    assert protocol.loading(tmp_path)
    protocol.mark(tmp_path, protocol.LOADED)
    assert not protocol.loading(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(("slug", "text", "seconds", "told"), [
    ("softmax_triton", "while True:\n    pass\n", 3.0, "grading.import-timed-out"),
    ("vector_add", TYPES + 'static_assert(Tree<17, 1>::sum() > 0, "");', 2.0, "grading.build-timed-out"),
])  # fmt: skip
def test_what_hangs_before_a_call_is_told_in_the_words_of_its_language(
    slug: str, text: str, seconds: float, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    exercise = COURSE.exercises[slug]
    path = tmp_path / exercise.file
    path.write_text(text)
    for stage in ("BUILD", "IMPORT"):
        monkeypatch.setattr(supervisor, f"{stage}_SECONDS", seconds)
    message = grade(Submission(COURSE, exercise, path, "simulator", 1)).verdicts[0].failures[0].message
    assert message.key == told


HANGS = """#include <cuda_runtime.h>
#include <stdint.h>

__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned power = 1; power < n; power *= 2) {  // 0 beyond 2^31
    }
    if (i < n) out[i] = a[i] + b[i];
}
extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    if (n > 0) add<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
"""


@pytest.mark.slow
def test_a_kernel_that_hangs_before_it_touches_a_large_tensor_earns_nothing_for_it(tmp_path: Path) -> None:
    path = tmp_path / "vector_add.cu"
    path.write_text(HANGS, encoding="utf-8")
    result = graded(path, "vector_add", "simulator", frozenset({"large"}))
    assert result.earned == 0
    assert {f.code for v in result.verdicts for f in v.failures} == {"time-limit"}
