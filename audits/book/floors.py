"""The floors of the house, as docs/*/architecture.md shows them: `floors.toml` has them, from the ground up.

A module imports only from floors below its own; tests/unit/test_imports.py enforces that.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from audits.book import tables

_DATA = tomllib.loads(Path(__file__).with_name("floors.toml").read_text(encoding="utf-8"))
FLOORS: tuple[tuple[str, ...], ...] = tuple(
    tuple(name for name, room in floor.items() if isinstance(room, dict)) for floor in _DATA["floors"]
)
"""The rooms of each floor, from the ground up: modules and packages of `onekernel`."""
_PAGE = "docs/*/architecture.md"


def refresh(root: Path, check: bool = False) -> list[Path]:
    """Writes picture and table anew; with `check` only compares. The pages that were stale."""

    def filled(page: Path, text: str) -> str:
        lang = tables.language_of(page, root)
        for part, lines in (("picture", _picture(lang)), ("table", _table(lang))):
            text = tables.between(text, f"<!-- floors: {part} -->", "<!-- /floors -->", "\n".join(lines))
        return text

    return tables.rewrite(sorted(root.glob(_PAGE)), filled, check)


def _picture(lang: str) -> list[str]:
    """A floor a line, the front doors at the top."""
    lines = []
    for rooms, floor in zip(reversed(FLOORS), reversed(_DATA["floors"]), strict=True):
        if floor.get("wall"):
            lines.append(f"    == {_DATA['wall'][lang]} ==")
        lines.append("    " + "   ".join(rooms))
    return ["", *lines, ""]


def _table(lang: str) -> list[str]:
    """A room a row, from the ground up."""
    every: list[tuple[str, Any]] = [
        (name, floor[name]) for rooms, floor in zip(FLOORS, _DATA["floors"], strict=True) for name in rooms
    ]
    return ["", _DATA["head"][lang], "|---|---|", *(f"| `{name}` | {room[lang]} |" for name, room in every), ""]
