"""What the learner's own text says on a line that a finding names."""

from __future__ import annotations

import re

from onekernel.simulator.facts.file import facts_at

MOST_QUOTED = 60  # characters
POINTER = 8  # bytes
_LITERAL = re.compile(r'//.*|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'')
_RUNTIME = re.compile(r"\b(cuda[A-Z]\w*)\s*(?:<[^;()]*>\s*)?\(")


def line_of(file: str | None, number: int | None) -> str:
    """The source line without its comment and indentation; "" where there is none."""
    lines = facts_at(file).lines
    return lines[number - 1].strip() if number and 0 < number <= len(lines) else ""


def as_written(file: str, number: int) -> str:
    """The source line with all that stands on it."""
    lines = facts_at(file).text.split("\n")
    return lines[number - 1] if 0 < number <= len(lines) else ""


def quoted(text: str) -> str:
    """A source line between backticks, shortened, without the spaces that align it."""
    text = re.sub(r"\s+", " ", text)
    return f"`{text if len(text) <= MOST_QUOTED else text[: MOST_QUOTED - 1] + '…'}`"


def mentions(file: str | None, word: str) -> bool:
    """Whether code of the file has the word."""
    return any(word in line for line in facts_at(file).plain_lines)


def runtime_call(file: str | None, number: int | None) -> str:
    """The function of the CUDA runtime that the line calls; "" where it calls none, or several."""
    names = _RUNTIME.findall(facts_at(file).line(number))
    return names[0] if len(names) == 1 else ""


def code_of(line: str) -> str:
    """The line without strings, characters and a comment at its end."""
    return _LITERAL.sub("", line)
