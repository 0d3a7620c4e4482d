"""Judges what was predicted of a kernel's traffic against what is counted."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from onekernel import counts
from onekernel.checks import Question
from onekernel.checks.counting import OF_BYTES, call_at, counted, uncertain
from onekernel.checks.measures import Counted, bytes_requested
from onekernel.checks.prediction import QUANTITIES, answers
from onekernel.course import Check
from onekernel.errors import UserError
from onekernel.grading.buffers import Call
from onekernel.grading.submission import Ran, Submission
from onekernel.grading.verdicts import FAILED, NOT_ASSESSED, PARTIAL, PASSED, Failure, Verdict
from onekernel.messages import Message
from onekernel.numerals import Quantity
from onekernel.units import parse, understood

CLOSE = 0.05  # a prediction within 5 % is right
READS = "reads_per_element"


def plan(submission: Submission, check: Check) -> list[Call]:
    """One call at the check's sizes; none before the predictions are there."""
    return (
        []
        if _missing(submission, check)
        else [call_at(submission, check.options["sizes"], submission.exercise.dtypes[0])]
    )


def judge(submission: Submission, check: Check, ran: Ran, before: list[Verdict]) -> Verdict:
    """Points by the error of each prediction: all within 5 %, none from a factor of two, in proportion between.

    Of what NVIDIA's compiler may make less than was counted, no prediction is told to be wrong.
    """
    questions = check.options["questions"]
    if _missing(submission, check):
        why = Message("grading.predict-first", {"slug": submission.exercise.slug})
        return Verdict(check, FAILED, failures=(Failure(why, check.chapter, code="predict-first"),))
    found, failures = counted(submission, check, ran)
    if failures:
        return Verdict(check, FAILED, failures=tuple(failures))
    share, wrong, right = 0.0, [], []
    for question in questions:
        quantity = QUANTITIES[question["quantity"]]
        actual = quantity.count(found)
        predicted = submission.predictions[question["id"]]
        got = _share(predicted, actual, quantity.unit)
        share += got / len(questions)
        what = Message(f"grading.quantity-{question['quantity']}")
        values = {"predicted": understood(predicted), "actual": Quantity(actual, quantity.unit), "what": what}
        if got < 1 and (doubt := uncertain(found.kernels, quantity.space, OF_BYTES)):
            return Verdict(check, NOT_ASSESSED, note=doubt)
        if got < 1:
            wrong.append(Failure(Message("grading.prediction", values), check.chapter, code="prediction"))
        else:
            right.append(Message("grading.prediction-right", values))
    status = PASSED if not wrong else PARTIAL if share else FAILED
    details = (*right, *_shared_already(submission, check, found), *_lessons(found))
    return Verdict(check, status, round(check.points * share, 1), tuple(wrong), details=details)


def _missing(submission: Submission, check: Check) -> bool:
    return any(question["id"] not in submission.predictions for question in check.options["questions"])


def _shared_already(submission: Submission, check: Check, c: Counted) -> list[Message]:
    """Said where the kernel loads less than half of what the course's does: it is right, and not what was asked for."""
    reads = QUANTITIES[READS].count(c)
    asked = [q["id"] for q in check.options["questions"] if q["quantity"] == READS]
    known = answers(submission.course.root, submission.exercise.slug) or {}
    naive = [parse(known[name]).value for name in asked if name in known]
    return [Message("grading.lesson-shared", {"reads": reads})] if naive and 2 * reads < naive[0] else []


def _lessons(c: Counted) -> list[Message]:
    """The figures that explain the traffic, whatever was predicted."""
    told = [Message("grading.lesson-requested", {"factor": bytes_requested(c)})]
    requests = c.total(counts.LOAD_REQUESTS)
    if requests:
        sectors = c.total(counts.LOAD_SECTORS) / requests
        told.append(Message("grading.lesson-sectors", {"sectors": sectors}))
    distinct = sum(b.unique_loaded + b.unique_stored for k in c.kernels for b in k.buffers)
    if distinct:
        told.append(Message("grading.lesson-distinct", {"bytes": Quantity(distinct, "B")}))
    return told


def _share(predicted: str, actual: float, unit: str) -> float:
    try:
        quantity = parse(predicted)
    except UserError:
        return 0.0
    value = quantity.value
    if quantity.unit != unit:
        return 0.0
    if value <= 0 or actual <= 0:
        return float(value == actual)
    factor = max(value / actual, actual / value)
    return 1.0 if factor <= 1 + CLOSE else max(0.0, 1 - math.log2(factor))


def asked(options: Mapping[str, Any]) -> list[Question]:
    """The questions of a check, in order."""
    return [
        Question(q["id"], Message(f"grading.quantity-{q['quantity']}"), QUANTITIES[q["quantity"]].unit)
        for q in options["questions"]
    ]
