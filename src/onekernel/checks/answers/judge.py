"""Judges answers with units: a Python file of constants, read and never run."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from onekernel.bench.cards import cards
from onekernel.checks.answers.right import UnknownCard, rule
from onekernel.course import Check
from onekernel.errors import UserError
from onekernel.grading.submission import Ran, Submission
from onekernel.grading.verdicts import FAILED, PARTIAL, PASSED, Failure, Verdict
from onekernel.messages import Message
from onekernel.numerals import Quantity
from onekernel.sandbox.reader import read
from onekernel.sandbox.readers import constants
from onekernel.units import parse


def judge(submission: Submission, check: Check, ran: Ran, before: list[Verdict]) -> Verdict:
    """Points in proportion to the right answers of the check's `names`."""
    given = read(constants, submission.path.read_text(encoding="utf-8"))
    names = check.options["names"]
    missing = [name for name in names if not given.get(name, "").strip()]
    found = [f for f in (_wrong(name, given, check) for name in names if name not in missing) if f]
    right = len(names) - len(missing) - len(found)
    if missing:
        lacks = Message("grading.answer-missing", {"names": ", ".join(missing), "count": len(missing)})
        found.append(Failure(lacks, check.chapter, code="answer-missing"))
    status = PASSED if not found else PARTIAL if right else FAILED
    note = Message("grading.answers", {"right": right, "total": len(names)})
    return Verdict(check, status, round(check.points * right / len(names), 1), tuple(found), note)


def _wrong(name: str, given: Mapping[str, str], check: Check) -> Failure | None:
    def because(key: str, **values: object) -> Failure:
        return Failure(Message(f"grading.{key}", {"name": name, **values}), check.chapter, code=key)

    text = given[name].strip()
    try:
        right = rule(name)(given)
    except UnknownCard as error:
        return because("answer-card", card=str(error), known=", ".join(cards()))
    except UserError as error:
        return because("answer-unit", text=text, why=error.message)
    if isinstance(right.value, str):
        if right.among and text.lower() not in right.among:
            return because("answer-choice", text=text, words=", ".join(f'"{word}"' for word in right.among))
        return None if text.lower() == right.value else because("answer-word", text=text)
    if isinstance(right.value, frozenset):
        return _lines(text, right.value, because)
    try:
        quantity = parse(text)
    except UserError as error:
        return because("answer-unit", text=text, why=error.message)
    if quantity.unit and not right.unit:
        return because("answer-bare", text=text)
    if quantity.unit != right.unit:
        return because("answer-dimension" if quantity.unit else "answer-no-unit", text=text, unit=right.unit)
    if abs(quantity.value - right.value) <= right.within * abs(right.value):
        return None
    factor = quantity.value / right.value if right.value else float("inf")
    return because("answer-value", text=Quantity(quantity.value, right.unit), factor=factor)


def _lines(text: str, right: frozenset[int], because: Callable[..., Failure]) -> Failure | None:
    """Numbers of lines: "37", "37, 50". How many are right is told, and not which."""
    found = re.findall(r"[0-9]{1,6}", text)
    if not found or re.sub(r"[0-9,;\s]", "", text):
        return because("answer-no-lines", text=text)
    given = {int(n) for n in found}
    if given == right:
        return None
    return because("answer-lines", right=len(given & right), total=len(right), wrong=len(given - right))
