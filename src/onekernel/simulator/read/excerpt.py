"""What the learner's own text says on a line that a finding names."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

MOST_QUOTED = 60  # characters
POINTER = 8  # bytes
_LITERAL = re.compile(r'//.*|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'')
_RUNTIME = re.compile(r"\b(cuda[A-Z]\w*)\s*(?:<[^;()]*>\s*)?\(")


def lines_of(file: str | None) -> tuple[str, ...]:
    """The file's lines as it stands now; none where there is no file, or none that can be read."""
    try:
        now = Path(file or "").stat()
        return _read(file or "", now.st_ino, now.st_size, now.st_mtime_ns)
    except OSError:
        return ()


@lru_cache(maxsize=8)
def _read(file: str, *_as_of: int) -> tuple[str, ...]:
    """The lines of a file of that inode, size and time: a learner writes it again while a process lives on."""
    return tuple(Path(file).read_text(encoding="utf-8", errors="replace").splitlines())


def line_of(file: str | None, number: int | None) -> str:
    """The source line without its comment and indentation; "" where there is none."""
    lines = lines_of(file)
    return lines[number - 1].partition("//")[0].strip() if number and 0 < number <= len(lines) else ""


def as_written(file: str, number: int) -> str:
    """The source line with all that stands on it."""
    lines = lines_of(file)
    return lines[number - 1] if 0 < number <= len(lines) else ""


def quoted(text: str) -> str:
    """A source line between backticks, shortened, without the spaces that align it."""
    text = re.sub(r"\s+", " ", text)
    return f"`{text if len(text) <= MOST_QUOTED else text[: MOST_QUOTED - 1] + '…'}`"


def code_lines(file: str) -> list[str]:
    """The file's lines without strings and without comments at their ends."""
    return [code_of(line) for line in lines_of(file)]


def mentions(file: str | None, word: str) -> bool:
    """Whether code of the file has the word."""
    return any(word in code_of(line) for line in lines_of(file))


def runtime_call(file: str | None, number: int | None) -> str:
    """The function of the CUDA runtime that the line calls; "" where it calls none, or several."""
    lines = lines_of(file)
    names = _RUNTIME.findall(code_of(lines[number - 1])) if number and number <= len(lines) else []
    return names[0] if len(names) == 1 else ""


def code_of(line: str) -> str:
    """The line without strings, characters and a comment at its end."""
    return _LITERAL.sub("", line)
