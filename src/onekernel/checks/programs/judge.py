"""Judges what the programs of a Triton kernel do, as the interpreter sees it."""

from __future__ import annotations

from math import prod

from onekernel.checks.counting import call_at
from onekernel.course import Check
from onekernel.grading.buffers import Call
from onekernel.grading.judging import judge_call
from onekernel.grading.submission import Ran, Submission
from onekernel.grading.verdicts import FAILED, PASSED, Failure, Verdict
from onekernel.messages import Message
from onekernel.sandbox.reader import read
from onekernel.sandbox.reasons import words_of_reasons

WORDS = 12  # that the reasons for some configurations have together, at the least


def plan(submission: Submission, check: Check) -> list[Call]:
    """A call at the check's sizes, and at its other ones where it has some."""
    asked = [check.options["sizes"], *check.options.get("also", ())]
    return [call_at(submission, sizes, submission.exercise.dtypes[0]) for sizes in asked]


def judge(submission: Submission, check: Check, ran: Ran, before: list[Verdict]) -> Verdict:
    """All points or none.

    "tile": no access of a program has more than `limit` elements. "shared-rows": at most one program for `limit` rows.
    "configurations": an autotuner that is called at one of the sizes has `limit` different ones, and the file gives
    reasons beside them.
    """
    failures = [failure for call, outcome in ran for failure in judge_call(submission, check, call, outcome)]
    if failures:
        return Verdict(check, FAILED, failures=tuple(failures))
    seen = [kernel for _, outcome in ran if outcome.report for kernel in outcome.report.kernels]
    limit = check.options["limit"]
    rows = check.options["sizes"].get("rows", 1)
    if check.options["feature"] == "tile":
        value = max((int(k.extra.get("widest", 0)) for k in seen), default=0)
        good = 0 < value <= limit
    elif check.options["feature"] == "shared-rows":
        value = max((prod(k.grid) for k in seen), default=0)
        good = 0 < value * limit <= rows
    else:
        value = max((int(k.extra.get("configurations", 0)) for k in seen), default=0)
        good = value >= limit
        if good and read(words_of_reasons, submission.path.read_text(encoding="utf-8")) < WORDS:
            return _failed(submission, check, Message("grading.programs-reasons", {"words": WORDS}), "reasons")
    facts = {"value": value, "limit": limit, "rows": rows, **check.options["sizes"]}
    note = Message(f"grading.programs-{check.options['feature']}", facts)
    if good:
        return Verdict(check, PASSED, check.points, note=note)
    missing = Message(f"grading.programs-no-{check.options['feature']}", facts)
    return _failed(submission, check, missing, str(check.options["feature"]))


def _failed(submission: Submission, check: Check, message: Message, code: str) -> Verdict:
    return Verdict(check, FAILED, failures=(Failure(message, check.chapter, file=str(submission.path), code=code),))
