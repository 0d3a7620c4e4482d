"""What is read of a learner's text for a hint may cost the hint, and never the night."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest

from onekernel.backends.base import Finding
from onekernel.grading.fixes import fixed
from onekernel.grading.time_limit import within_time
from onekernel.messages import Message
from support.corpus import graded
from support.course import ROOT

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
