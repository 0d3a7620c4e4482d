"""Checks that run a Python exercise: how it is run, and the verdict where it gave no answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from onekernel.course import Check
from onekernel.grading.submission import Submission
from onekernel.grading.verdicts import FAILED, NOT_ASSESSED, Failure, Verdict
from onekernel.messages import Message
from onekernel.sandbox import machine, supervisor
from onekernel.sandbox.protocol import Request
from onekernel.sandbox.supervisor import TaskRun


def run(
    submission: Submission, options: Mapping[str, Any], seconds: float, cards: Sequence[Mapping[str, Any]] = ()
) -> TaskRun:
    """What came of a Python exercise. `cards`: simulated ones that it is run on, and told nothing of."""
    request = Request(submission.path.resolve(), "python", options=options, hidden=submission.hidden, cards=cards)
    ours = replace(request, source=submission.course.solution(submission.exercise))
    count = len(options["requests"])
    done = machine.settled(
        lambda: supervisor.run_task(request, count=count, seconds=seconds),
        lambda: supervisor.run_task(ours, count=count, seconds=seconds),
        lambda done: machine.suspected([done.ended] if done.ended else [], [f.code for f in done.build]),
        submission.exercise.file,
    )
    if done.unavailable and not ("kernel" in options and _lacks(submission, options)):
        return TaskRun(ended=Message("grading.says-unavailable", {"why": done.unavailable}))
    return done


def _lacks(submission: Submission, options: Mapping[str, Any]) -> bool:
    """Whether this machine cannot run the backend of the kernel that a port is to use, asked with the solution's."""
    ours = submission.course.root / "solutions" / Path(options["kernel"]).name
    return not supervisor.runs(Request(ours, options["kernel_backend"]))


def trouble(check: Check, done: TaskRun) -> Verdict | None:
    """A verdict where the module gave no answer: its kernel does not build, the process ended."""
    if done.unavailable:
        return Verdict(check, NOT_ASSESSED, note=done.unavailable)
    if done.ended:
        return failed(check, done.ended, code="ended")
    if done.build:
        f = done.build[0]
        return failed(check, f.message, line=f.line, code=f.code)
    return None


def failed(check: Check, message: Message, *, line: int | None = None, code: str) -> Verdict:
    return Verdict(check, FAILED, failures=(Failure(message, check.chapter, line=line, code=code),))
