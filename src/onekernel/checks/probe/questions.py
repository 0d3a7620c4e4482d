"""The questions of a probe, and the answers that stand in a learner's file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from onekernel.checks.question import Question
from onekernel.messages import Message
from onekernel.minigpt import storage
from onekernel.sandbox.reader import read


def asked(options: Mapping[str, Any]) -> list[Question]:
    """Every question, in order."""
    return [Question(name, Message(f"minigpt.probe-{name}")) for name in storage.TRUTH]


def in_file(text: str) -> dict[str, bool | None]:
    """What a file predicts. Raises SyntaxError, and UserError for a file without predictions."""
    given: dict[str, bool | None] = read(storage.predictions, text)
    return given
