"""What the learner's own text says around a line that a finding names."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

MOST_QUOTED = 60  # characters
_LITERAL = re.compile(r'//.*|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'')
_LOOP = re.compile(r"\b(?:for|while|do)\b")


@lru_cache(maxsize=8)
def _lines(file: str) -> tuple[str, ...]:
    try:
        return tuple(Path(file).read_text(encoding="utf-8").splitlines())
    except (OSError, ValueError):
        return ()


def line_of(file: str | None, number: int | None) -> str:
    """The source line without its comment and indentation; "" where there is none."""
    lines = _lines(file) if file else ()
    return lines[number - 1].partition("//")[0].strip() if number and 0 < number <= len(lines) else ""


def quoted(text: str) -> str:
    """A source line between backticks, shortened."""
    return f"`{text if len(text) <= MOST_QUOTED else text[: MOST_QUOTED - 1] + '…'}`"


def in_loop(file: str | None, number: int | None) -> bool:
    """Whether a loop of the same function stands around the line: told by braces, or by a loop that needs none."""
    lines = _lines(file) if file else ()
    if not number or not 0 < number <= len(lines):
        return False
    if _LOOP.search(_code(lines[number - 1])):
        return True
    open_braces = 0
    for k in range(number - 2, -1, -1):
        code = _code(lines[k])
        if k == number - 2 and _LOOP.search(code) and not code.rstrip().endswith((";", "{", "}")):
            return True
        for at in range(len(code) - 1, -1, -1):
            if code[at] == "}":
                open_braces += 1
            elif code[at] == "{" and open_braces:
                open_braces -= 1
            elif code[at] == "{" and _LOOP.search(code[:at]):
                return True
    return False


def _code(line: str) -> str:
    """The line without strings, characters and a comment at its end."""
    return _LITERAL.sub("", line)
