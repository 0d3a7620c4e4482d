"""A compiler's error, and what is read of the lines around it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from onekernel.simulator.facts.file import Facts, facts_of

Told = tuple[str, dict[str, object], int]
"""A message's name in messages/compile.toml, its values, the line (from 1) of the slip."""

_COMMENT = re.compile(r"//.*|/\*.*?\*/")


@dataclass(frozen=True)
class Complaint:
    """A compiler's error: what it says, of which line of the file's text."""

    what: str
    line: int
    lines: Sequence[str]

    @property
    def facts(self) -> Facts:
        return facts_of("\n".join(self.lines))

    @property
    def text(self) -> str:
        return self.at(self.line)

    def at(self, line: int) -> str:
        """A line without its comment."""
        return without_comment(self.lines[line - 1]).strip() if 0 < line <= len(self.lines) else ""

    def before(self) -> int:
        """The last line before it that has code."""
        return next((n for n in range(self.line - 1, 0, -1) if self.at(n)), self.line)

    def unended(self) -> int | None:
        """The last line before it that has code, where nothing ends or continues it."""
        before = self.before()
        return None if before == self.line or re.search(r"[;{}:,(]$", self.at(before)) else before


def without_comment(line: str) -> str:
    return _COMMENT.sub("", line)


def plain(what: str) -> str:
    """Without the simulator's names for CUDA's types."""
    what = re.sub(r" \{aka [^{}]*\}", "", what)
    what = re.sub(r"(?:const )?ok_dim3_view", "dim3", what)
    return re.sub(r" \[-f?[\w=-]+\]$", "", re.sub(r"__ok::|ok_type_", "", what))[:200]
