"""What is written from something else: each part is written anew, or with `check` only compared."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from onekernel import gaps
from onekernel.errors import UserError
from onekernel.messages import Message

_STAMP = re.compile(r"<!-- en: (\w+) -->")


def stamp(root: Path, check: bool = False) -> list[Path]:
    """The hash that each Spanish page carries, of the English page that it translates."""
    stale = []
    for spanish, english in pairs(root):
        if not english.is_file():
            shown = {"spanish": spanish.relative_to(root), "english": english.relative_to(root)}
            raise UserError(Message("cli.no-english", shown))
        if stamp_of(spanish) != hash_of(english):
            stale.append(spanish)
            if not check:
                _write_stamp(spanish, hash_of(english))
    return stale


PARTS: dict[str, Callable[[Path, bool], list[Path]]] = {"starters": gaps.write_starters, "stamp": stamp}
"""By the word of `onekernel author`: writes it under a root, with True only compares; the files that were stale."""


def pairs(root: Path) -> Iterator[tuple[Path, Path]]:
    """Every Spanish page with the English one that it translates."""
    for spanish in sorted((root / "docs" / "es").rglob("*.md")):
        yield spanish, root / "docs" / "en" / spanish.relative_to(root / "docs" / "es")
    labs = sorted(p for p in (root / "labs").glob("**/") if p != root / "labs")
    for folder in (root, *labs, root / "profiles"):
        for spanish in sorted(folder.glob("*.es.md")):
            yield spanish, spanish.with_name(spanish.name.removesuffix(".es.md") + ".md")


def stamp_of(spanish: Path) -> str | None:
    """The hash in a Spanish page's first line; None where there is none."""
    with spanish.open(encoding="utf-8") as file:
        match = _STAMP.fullmatch(file.readline().strip())
    return match[1] if match else None


def hash_of(english: Path) -> str:
    return hashlib.sha256(english.read_bytes()).hexdigest()[:16]


def _write_stamp(spanish: Path, stamp: str) -> None:
    text = spanish.read_text(encoding="utf-8")
    if stamp_of(spanish) is not None:
        text = text.split("\n", 1)[1]
    spanish.write_text(f"<!-- en: {stamp} -->\n{text}", encoding="utf-8")
