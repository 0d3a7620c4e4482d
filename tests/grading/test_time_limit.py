"""What is read of a learner's text for a hint may cost the hint, and never the night."""

from __future__ import annotations

import signal
import time
from dataclasses import replace
from pathlib import Path

import pytest

from onekernel.backends.base import Finding
from onekernel.grading.fixes import fixed
from onekernel.grading.grader import grade
from onekernel.grading.submission import Submission
from onekernel.grading.time_limit import within_time
from onekernel.messages import Message
from onekernel.sandbox import supervisor
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


NEVER_COUNTS = """
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <unistd.h>

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    for (int i = 0; i < 1000; ++i) {
        char name[40];
        snprintf(name, sizeof name, "out/more%d", i);
        if (FILE* f = fopen(name, "w")) fclose(f);
        sleep(1);
    }
    return cudaGetLastError();
}
"""


@pytest.mark.slow
def test_a_file_that_always_shows_a_sign_of_life_gets_its_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    exercise = replace(COURSE.exercises["vector_add"], seconds=6)
    path = tmp_path / exercise.file
    path.write_text(NEVER_COUNTS)
    monkeypatch.setattr(supervisor, "TOTAL_SECONDS", 300.0)  # where it would end, and be told something else
    result = grade(Submission(COURSE, exercise, path, "simulator", 1))
    assert result.earned == 0
    assert result.verdicts[0].failures[0].message == Message("grading.total-time", {"seconds": 6})


MANY_TYPES = """
template <int depth, int number> struct Tree {
    static constexpr int sum() {
        if constexpr (depth == 0) return number & 1;
        else return Tree<depth - 1, 2 * number>::sum() + Tree<depth - 1, 2 * number + 1>::sum();
    }
};
static_assert(Tree<17, 1>::sum() > 0, "");
"""


@pytest.mark.slow
@pytest.mark.parametrize(("slug", "text", "seconds", "told"), [
    ("softmax_triton", "while True:\n    pass\n", 3.0, "grading.import-timed-out"),
    ("vector_add", MANY_TYPES, 2.0, "grading.build-timed-out"),
])  # fmt: skip
def test_what_hangs_before_a_call_is_told_in_the_words_of_its_language(
    slug: str, text: str, seconds: float, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    exercise = COURSE.exercises[slug]
    path = tmp_path / exercise.file
    path.write_text(text)
    monkeypatch.setattr(supervisor, "BUILD_SECONDS", seconds)
    message = grade(Submission(COURSE, exercise, path, "simulator", 1)).verdicts[0].failures[0].message
    assert message.key == told
