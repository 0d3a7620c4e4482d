"""The questions of a forecast, and the answers that stand in a learner's file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from onekernel.checks.answers.judge import constants
from onekernel.checks.question import Question
from onekernel.messages import Message


def asked(options: Mapping[str, Any]) -> list[Question]:
    """Every question of the check, in order."""
    return [Question(name, about(name)) for name in options["names"]]


def about(name: str) -> Message:
    """What a forecast is about, in half a sentence."""
    return Message(f"grading.forecast-{name.lower().replace('_', '-')}")


def in_file(text: str) -> dict[str, str | None]:
    """What a file forecasts; None for an answer that is still empty. Raises SyntaxError."""
    return {name: answer.strip() or None for name, answer in constants(text).items()}
