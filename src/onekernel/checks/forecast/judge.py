"""Judges a forecast against what the recorded trace shows. What was committed counts, not what the file says now."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from onekernel.checks import Question
from onekernel.checks.answers.right import FORECASTS, Right
from onekernel.course import Check
from onekernel.errors import UserError
from onekernel.grading.submission import Ran, Submission
from onekernel.grading.verdicts import FAILED, PARTIAL, PASSED, Failure, Verdict
from onekernel.messages import Message
from onekernel.numerals import Quantity
from onekernel.sandbox.reader import read
from onekernel.sandbox.readers import constants
from onekernel.units import parse, understood


def judge(submission: Submission, check: Check, ran: Ran, before: list[Verdict]) -> Verdict:
    """Points by the error of each forecast: a word is right or wrong; a number counts whole within its tolerance,
    nothing from a factor of two beyond it, in proportion between."""
    names = check.options["names"]
    if any(name not in submission.predictions for name in names):
        why = Message("grading.predict-first-file", {"slug": submission.exercise.slug})
        return Verdict(check, FAILED, failures=(Failure(why, check.chapter, code="predict-first"),))
    share, wrong, right = 0.0, [], []
    for name in names:
        truth, text = FORECASTS[name]({}), submission.predictions[name].strip()
        got = share_of(text, truth)
        share += got / len(names)
        values = {"predicted": understood(text), "actual": _actual(truth), "what": about(name)}
        if got < 1:
            wrong.append(Failure(Message("grading.forecast-wrong", values), check.chapter, code="prediction"))
        else:
            right.append(Message("grading.forecast-right" if _exact(text, truth) else "grading.forecast-near", values))
    status = PASSED if not wrong else PARTIAL if share else FAILED
    note = Message("grading.answers", {"right": len(right), "total": len(names)})
    return Verdict(check, status, round(check.points * share, 1), tuple(wrong), note, tuple(right))


def share_of(text: str, truth: Right) -> float:
    """From 1 for a forecast that is right to 0 for one that is off by more than twice the tolerance, or no number."""
    if not isinstance(truth.value, float):
        return float(text.lower() == truth.value)
    try:
        given = parse(text)
    except UserError:
        return 0.0
    if given.unit != truth.unit or given.value <= 0:
        return 0.0
    factor = max(given.value / truth.value, truth.value / given.value) / (1 + truth.within)
    return 1.0 if factor <= 1 else max(0.0, 1 - math.log2(factor))


def _exact(text: str, truth: Right) -> bool:
    """Whether a forecast that counts in full is the answer, and not only within its tolerance."""
    return not isinstance(truth.value, float) or math.isclose(parse(text).value, truth.value, rel_tol=0.005)


def _actual(truth: Right) -> Quantity | str:
    return Quantity(truth.value, truth.unit) if isinstance(truth.value, float) else str(truth.value)


def asked(options: Mapping[str, Any]) -> list[Question]:
    """Every question of the check, in order."""
    return [Question(name, about(name)) for name in options["names"]]


def about(name: str) -> Message:
    """What a forecast is about, in half a sentence."""
    return Message(f"grading.forecast-{name.lower().replace('_', '-')}")


def in_file(text: str) -> dict[str, str | None]:
    """What a file forecasts; None for an answer that is still empty. Raises SyntaxError, and UserError for an answer
    that is no number."""
    given = {name: answer.strip() or None for name, answer in read(constants, text).items() if name in FORECASTS}
    for name, answer in given.items():
        try:
            unit = parse(answer).unit if answer else ""
        except UserError as error:
            raise UserError(Message.of("grading.answer-unit", name=name, text=answer, why=error.message)) from None
        if unit:
            raise UserError(Message.of("grading.answer-bare", name=name, text=answer))
    return given
