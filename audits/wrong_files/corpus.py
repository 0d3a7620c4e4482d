"""The wrong files: each is a right one of `bases/` with a mistake edited in, as `files/EXERCISE.toml` says.

A record has `name`, `base`, `edits` (pairs of old and new, each old found exactly once), `mistake`, what a teacher
would say, and `line`, a text that stands once in the wrong file, where the mistake lies. What the grader's messages
told of it was read by a person: `told` is one of TOLD, and `codes` are the codes of what was read. Both
are missing until somebody has read it.

But:    a base answers one exercise, that of the records that name it.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
BASES, FILES = HERE / "bases", HERE / "files"
TOLD = ("right", "narrowed", "none", "misled")
"""The mistake is named; the place or the kind of input is; only that the result is wrong; something else is named."""


@dataclass(frozen=True)
class WrongFile:
    """One wrong file: `edits` of (old, new) that make it from its `base`; `told` is None until somebody has judged."""

    name: str
    exercise: str
    base: str
    edits: tuple[tuple[str, str], ...]
    mistake: str
    line: str
    told: str | None = None
    codes: tuple[str, ...] = ()

    @property
    def file(self) -> str:
        return self.name + Path(self.base).suffix

    def text(self) -> str:
        """The wrong file. Raises ValueError for an edit whose old text does not stand exactly once in the base."""
        made = (BASES / self.base).read_text(encoding="utf-8")
        for old, new in self.edits:
            if made.count(old) != 1:
                raise ValueError(f"{self.name}: found {made.count(old)} times: {old!r}")
            made = made.replace(old, new)
        return made


def wrong_files() -> list[WrongFile]:
    """The corpus, exercise by exercise."""
    return [_read(path.stem, record) for path in sorted(FILES.glob("*.toml")) for record in _records(path)]


def bases() -> dict[str, str]:
    """Each base and the exercise that it answers."""
    return {each.base: each.exercise for each in wrong_files()}


def _records(path: Path) -> list[dict[str, Any]]:
    return list(tomllib.loads(path.read_text(encoding="utf-8"))["file"])


def _read(exercise: str, record: dict[str, Any]) -> WrongFile:
    edits = tuple((old, new) for old, new in record.pop("edits"))
    return WrongFile(exercise=exercise, edits=edits, codes=tuple(record.pop("codes", ())), **record)
