"""Checks of answers with units: a Python file of constants, read and never run.

The right values are computed here from the operator's ledger and the table of cards, not copied from the solution.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from onekernel.bench.cards import Card, card_named, cards
from onekernel.course import Check
from onekernel.errors import UserError
from onekernel.grading.submission import Ran, Submission
from onekernel.grading.verdicts import FAILED, PARTIAL, PASSED, Failure, Verdict
from onekernel.messages import Message
from onekernel.numerals import Quantity
from onekernel.ops import OPERATORS
from onekernel.units import parse

N = 2**24
ITEMSIZE = 2  # fp16
REFERENCE_CARD = "H100 SXM"


@dataclass(frozen=True)
class Right:
    """The right answer: a quantity within a relative tolerance, or a word."""

    value: float | str
    unit: str = ""
    within: float = 0.02


def judge(s: Submission, check: Check, ran: Ran, before: list[Verdict]) -> Verdict:
    """Points in proportion to the right answers of the check's `names`."""
    try:
        given = constants(s.path.read_text(encoding="utf-8"))
    except SyntaxError as error:
        message = Message("grading.syntax", {"line": error.lineno or 0, "why": error.msg})
        return Verdict(check, FAILED, failures=(Failure(message, check.chapter, line=error.lineno, code="syntax"),))
    names = check.options["names"]
    found = [f for f in (_wrong(name, given, check) for name in names) if f]
    right = len(names) - len(found)
    status = PASSED if not found else PARTIAL if right else FAILED
    note = Message("grading.answers", {"right": right, "total": len(names)})
    return Verdict(check, status, round(check.points * right / len(names), 1), tuple(found), note)


def constants(text: str) -> dict[str, str]:
    """The module's NAME = "string" lines. The file is parsed, not executed. Raises SyntaxError."""
    found: dict[str, str] = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    found[target.id] = str(node.value.value)
    return found


def _wrong(name: str, given: Mapping[str, str], check: Check) -> Failure | None:
    def because(key: str, **values: object) -> Failure:
        return Failure(Message(f"grading.{key}", {"name": name, **values}), check.chapter, code=key)

    text = given.get(name, "").strip()
    if not text:
        return because("answer-missing")
    try:
        right = RIGHT[name](given)
    except _NoCard as error:
        return because("answer-card", card=str(error), known=", ".join(cards()))
    except UserError as error:
        return because("answer-unit", text=text, why=error.message)
    if isinstance(right.value, str):
        return None if text.lower() == right.value else because("answer-word", text=text)
    try:
        quantity = parse(text)
    except UserError as error:
        return because("answer-unit", text=text, why=error.message)
    if quantity.unit != right.unit:
        return because("answer-dimension", text=text, unit=right.unit)
    if abs(quantity.value - right.value) <= right.within * abs(right.value):
        return None
    factor = quantity.value / right.value if right.value else float("inf")
    return because("answer-value", text=Quantity(quantity.value, right.unit), factor=factor)


class _NoCard(KeyError):
    def __str__(self) -> str:
        return str(self.args[0])


def _card(given: Mapping[str, str]) -> Card:
    name = given.get("CARD", "").strip()
    card = card_named(name)
    if card is None:
        raise _NoCard(name or "-")
    return card


def _given(given: Mapping[str, str], name: str) -> float:
    return parse(given.get(name, "")).value


_LEDGER = OPERATORS["vector_add"].ledger({"n": N}, ITEMSIZE)
_H100 = cards()[REFERENCE_CARD]
_Rule = Callable[[Mapping[str, str]], Right]

RIGHT: dict[str, _Rule] = {
    "FLOPS": lambda g: Right(_LEDGER.flops, "FLOP"),
    "BYTES": lambda g: Right(_LEDGER.bytes, "B"),
    "INTENSITY": lambda g: Right(_LEDGER.intensity, "FLOP/byte"),
    "RIDGE": lambda g: Right(_H100.fp16 / _H100.bandwidth, "FLOP/byte"),
    "BINDS": lambda g: Right(_binds(_H100.fp16, _H100.bandwidth)),
    "LOWEST_TIME": lambda g: Right(_LEDGER.bytes / _H100.bandwidth, "s"),
    "ATTAINABLE": lambda g: Right(_LEDGER.intensity * _H100.bandwidth, "FLOP/s"),
    "TENSOR_CORES_HELP": lambda g: Right("no"),
    "FLOPS_TO_BALANCE": lambda g: Right(_H100.fp16 / _H100.bandwidth * _LEDGER.bytes / N, "FLOP"),
    "CARD": lambda g: Right(g["CARD"].strip().lower() if _card(g) else ""),
    "CARD_BANDWIDTH": lambda g: Right(_card(g).bandwidth, "B/s", 0.10),
    "CARD_PEAK": lambda g: Right(_card(g).fp16, "FLOP/s", 0.10),
    "CARD_RIDGE": lambda g: Right(_given(g, "CARD_PEAK") / (_given(g, "CARD_BANDWIDTH") or 1), "FLOP/byte"),
    "CARD_BINDS": lambda g: Right(_binds(_card(g).fp16, _card(g).bandwidth)),
    "CARD_LOWEST_TIME": lambda g: Right(_LEDGER.bytes / (_given(g, "CARD_BANDWIDTH") or 1), "s"),
}


def _binds(peak: float, bandwidth: float) -> str:
    return "memory" if _LEDGER.intensity < peak / bandwidth else "compute"
