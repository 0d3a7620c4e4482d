"""What the learner's own text says on a line that a finding names."""

from __future__ import annotations

import re

from onekernel.simulator.facts.file import facts_at

MOST_QUOTED = 60  # characters
POINTER = 8  # bytes
_RUNTIME = re.compile(r"cuda[A-Z]\w*")


def line_of(file: str | None, number: int | None) -> str:
    """The source line without its comment and indentation; "" where there is none."""
    lines = facts_at(file).lines
    return lines[number - 1].strip() if number and 0 < number <= len(lines) else ""


def quoted(text: str) -> str:
    """A source line between backticks, shortened, without the spaces that align it."""
    text = re.sub(r"\s+", " ", text)
    return f"`{text if len(text) <= MOST_QUOTED else text[: MOST_QUOTED - 1] + '…'}`"


def runtime_call(file: str | None, number: int | None) -> str:
    """The function of the CUDA runtime that the line calls; "" where it calls none, or several."""
    names = [call.name for call in facts_at(file).calls if call.line == number and _RUNTIME.fullmatch(call.name)]
    return names[0] if len(names) == 1 else ""
