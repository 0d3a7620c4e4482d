"""The questions of a forecast, and the answers that stand in a learner's file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from onekernel.checks.answers.recordings import FORECASTS
from onekernel.checks.question import Question
from onekernel.errors import UserError
from onekernel.messages import Message
from onekernel.sandbox.reader import read
from onekernel.sandbox.readers import constants
from onekernel.units import parse


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
