"""A file is graded on the simulator, or in Triton's interpreter, before a GPU runs it.

There device memory is closed to the host, every access is checked and a loop without an end is stopped, where a GPU
names no line and may not come back. What it counts is counted there on every machine. On the GPU the file must be right
as well, and how fast it is counts. Where this machine cannot simulate, the GPU's word stands.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module

from onekernel.course import Check
from onekernel.grading.calling import built_meanwhile
from onekernel.grading.submission import Submission
from onekernel.grading.verdicts import FAILED, PASSED, Failure, Verdict
from onekernel.messages import Message

Grade = Callable[[Submission], list[Verdict]]


def on_both(submission: Submission, grade: Grade) -> list[Verdict]:
    """The verdicts of a submission that a GPU is to run. `grade` judges the checks of one on its device."""
    simulated = [c for c in submission.exercise.checks if not c.kind.needs_gpu]
    if simulated != list(submission.exercise.checks):  # torch, beside which a kernel is timed, takes seconds to import
        threading.Thread(target=import_module, args=["torch"], daemon=True).start()
    with built_meanwhile(submission) as built:
        there = {v.check.id: v for v in grade(_with(submission, "simulator", simulated))}
        shown = [v for v in there.values() if v.check.kind.shows_right]
        right = [v.check for v in shown if v.status != FAILED]
        asked = [c for c in submission.exercise.checks if c in right or (c.kind.needs_gpu and len(right) == len(shown))]
        if asked:
            built()
    here = {v.check.id: v for v in grade(_with(submission, submission.device, asked))} if asked else {}
    verdicts = [here.get(c.id) or there.get(c.id) or right_first(c) for c in submission.exercise.checks]
    wrong = any(v.check.kind.shows_right and v.status != PASSED for v in verdicts)
    return [right_first(v.check) if wrong and v.check.kind.needs_right and v.earned else v for v in verdicts]


def right_first(check: Check) -> Verdict:
    """How fast or frugal a wrong kernel is means nothing."""
    why = Failure(Message("grading.right-first"), check.chapter, code="right-first")
    return Verdict(check, FAILED, failures=(why,))


def _with(submission: Submission, device: str, checks: list[Check]) -> Submission:
    return replace(submission, device=device, exercise=replace(submission.exercise, checks=tuple(checks)))
