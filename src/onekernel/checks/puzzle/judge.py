"""Judges predictions that stand in a file of constants: NAME = a number, or a word. The file is read and never run.

The truth about a kernel is what the simulator counts of `shown.cu`, beside the exercise, when the file is graded.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from onekernel.backends.occupancy import occupancy
from onekernel.checks.tallies import TALLIES
from onekernel.counts import KernelCounts
from onekernel.course import Check
from onekernel.errors import UserError
from onekernel.grading import buffers
from onekernel.grading.submission import Ran, Submission
from onekernel.grading.verdicts import FAILED, NOT_ASSESSED, PARTIAL, PASSED, Failure, Verdict
from onekernel.messages import Message
from onekernel.ops import Case
from onekernel.sandbox import supervisor
from onekernel.sandbox.protocol import Request
from onekernel.sandbox.reader import read
from onekernel.sandbox.readers import figures
from onekernel.units import parse

SHOWN = "shown.cu"
_COMMAS = re.compile(r"\d+(?:[.,]\d+)+")


def judge(submission: Submission, check: Check, ran: Ran, before: list[Verdict]) -> Verdict:
    """Points in proportion to the right answers."""
    given = read(figures, submission.path.read_text(encoding="utf-8"))
    questions = check.options["questions"]
    counted = _counted(submission, [q for q in questions if "count" in q])
    if isinstance(counted, Message):
        return Verdict(check, NOT_ASSESSED, note=counted)
    failures, right = _missing(submission, check, questions, given), []
    for question in questions:
        name = question["name"]
        truth, within = _truth(question, counted)
        if name not in given:
            continue
        why = _wrong(name, given[name], truth, within)
        if why is None:
            key = "practice.right-word" if isinstance(truth, str) else "practice.right"
            right.append(Message(key, {"name": name, "value": truth}))
            continue
        see = f"onekernel hint {submission.exercise.slug}"
        failures.append(Failure(why, check.chapter, file=str(submission.path), code=why.key.split(".")[1], see=see))
    status = PASSED if not failures else PARTIAL if right else FAILED
    note = Message("grading.answers", {"right": len(right), "total": len(questions)})
    earned = round(check.points * len(right) / len(questions), 1)
    return Verdict(check, status, earned, tuple(failures), note, tuple(right))


def _truth(question: Mapping[str, Any], counted: Mapping[str, tuple[KernelCounts, ...]]) -> tuple[float | str, float]:
    """The right answer, and how far off still counts, as a share of it."""
    if "count" in question:
        return TALLIES[question["count"]].value(counted[question["name"]]), 1e-9
    if "occupancy" in question:
        return getattr(occupancy(**question["occupancy"]), question["of"]), 1e-9
    if "word" in question:
        return str(question["word"]).lower(), 0.0
    return float(question["value"]), question.get("within", 1e-9)


def _missing(
    submission: Submission, check: Check, questions: list[Mapping[str, Any]], given: Mapping[str, float | str]
) -> list[Failure]:
    """The questions without an answer, told together."""
    found = []
    for sort in ("a-number", "a-word"):
        open_ones = [q["name"] for q in questions if q["name"] not in given and _sort(q) == sort]
        if open_ones:
            values = {"name": ", ".join(open_ones), "count": len(open_ones), "what": Message(f"practice.{sort}")}
            message = Message("practice.no-answer", values)
            found.append(Failure(message, check.chapter, file=str(submission.path), code="no-answer"))
    return found


def _sort(question: Mapping[str, Any]) -> str:
    return "a-word" if "word" in question or question.get("of") == "limit" else "a-number"


def _wrong(name: str, given: float | str, truth: float | str, within: float) -> Message | None:
    """What is wrong with an answer; the right one is not told."""
    if isinstance(truth, str):
        right = isinstance(given, str) and given.strip().lower() == truth
        return None if right else Message("practice.wrong-word", {"name": name, "given": str(given)})
    is_whole = float(truth).is_integer()
    if isinstance(given, str):
        try:
            read_as = parse(given, whole=is_whole)
        except UserError:
            read_as = None
        marked = _COMMAS.fullmatch(given)
        fits = read_as is not None and read_as.unit in ("", "B")
        if read_as is None or not fits or (marked and not (is_whole and read_as.value.is_integer())):
            if marked:
                return Message("practice.comma", {"name": name, "given": given})
            return Message("practice.no-answer", {"name": name, "count": 1, "what": Message("practice.a-number")})
        given = read_as.value
    if abs(given - truth) <= within * abs(truth):
        return None
    if is_whole and round(given, 3) == given != round(given, 2):  # 16.384, of whole things
        return Message("practice.point", {"name": name, "given": repr(given), "whole": round(1000 * given)})
    return Message(f"practice.too-{'many' if given > truth else 'few'}", {"name": name, "given": float(given)})


def _counted(
    submission: Submission, questions: list[Mapping[str, Any]]
) -> dict[str, tuple[KernelCounts, ...]] | Message:
    """What the kernels of `shown.cu` do at each question's sizes, by the question's name; or why nobody counts here."""
    if not questions:
        return {}
    path = (submission.exercise.home or Path()) / SHOWN
    like = submission.operator.cases[0]
    calls = []
    for q in questions:
        case = Case(q["name"], "counted", q["sizes"], like.fill, like.about)
        call = buffers.make(
            submission.operator,
            q.get("launcher", submission.exercise.slug),
            case,
            submission.exercise.dtypes[0],
            submission.seed,
        )
        calls.append((call.function, call.args))
    # Counted as it is written, on every machine alike: NVIDIA's compiler is not asked, where it is here.
    options = {"mode": "count", "machine_code": False}
    outcome = supervisor.run(Request(path.resolve(), "simulator", calls, (), options, hidden=submission.hidden))
    if outcome.unavailable:
        return outcome.unavailable
    reports = [done.report for done in outcome.calls]
    errors = [f.message for r in reports if r for f in r.findings if f.severity == "error"]
    if not outcome.built or None in reports or errors:
        why = outcome.ended or (outcome.build or [None])[0] or (errors or [Message("grading.gave-up", {"times": 1})])[0]
        return Message("grading.answer-fails", {"file": SHOWN, "why": getattr(why, "message", why)})
    return {q["name"]: r.kernels for q, r in zip(questions, reports, strict=True) if r}
