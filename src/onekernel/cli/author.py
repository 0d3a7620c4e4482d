"""`onekernel author`: what is generated from something else, written or, with --check, only compared."""

from __future__ import annotations

import argparse
import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

from onekernel import course as courses
from onekernel import gaps
from onekernel.cli.console import tell, verbatim
from onekernel.errors import UserError
from onekernel.messages import Message

_STAMP = re.compile(r"<!-- en: (\w+) -->")


def starters(args: argparse.Namespace) -> int:
    root = courses.find_root()
    return _report("starters", root, gaps.write_starters(root, check=args.check), args.check)


def stamp(args: argparse.Namespace) -> int:
    """Fills in the hash that each Spanish page carries; with --check, lists the pages whose English has moved on."""
    root = courses.find_root()
    stale = []
    for spanish, english in pairs(root):
        if not english.is_file():
            shown = {"spanish": spanish.relative_to(root), "english": english.relative_to(root)}
            raise UserError(Message("cli.no-english", shown))
        if stamp_of(spanish) != hash_of(english):
            stale.append(spanish)
            if not args.check:
                _write_stamp(spanish, hash_of(english))
    return _report("stamps", root, stale, args.check)


def tables(args: argparse.Namespace) -> int:
    """Writes the tables of the pages, and the numbers in their sentences, from result files; with --check, lists the
    pages that show old ones."""
    from onekernel.bench import tables as measured
    from onekernel.book import excerpts, floors, practice, samples, values

    root = courses.find_root()
    parts = (measured.refresh, values.refresh, samples.refresh, practice.refresh, floors.refresh, excerpts.refresh)
    stale = {page for refresh in parts for page in refresh(root, args.check)}
    return _report("tables", root, sorted(stale), args.check)


def figures(args: argparse.Namespace) -> int:
    """Draws the chapters' figures from what was recorded; with --check, lists those that are stale."""
    from onekernel.book import figures as drawn

    root = courses.find_root()
    return _report("figures", root, drawn.refresh(root, args.check), args.check)


def drawings(args: argparse.Namespace) -> int:
    """Draws what the chapters show of how things are built; with --check, lists the files that are stale."""
    from onekernel.book import drawings as drawn

    root = courses.find_root()
    return _report("drawings", root, drawn.refresh(root, args.check), args.check)


def recording(args: argparse.Namespace) -> int:
    """Plays the front page's session and draws it; with --check, lists the pictures that show another one."""
    from onekernel.book import recording as played

    root = courses.find_root()
    return _report("recording", root, played.refresh(root, args.check), args.check)


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


def _report(what: str, root: Path, paths: list[Path], check: bool) -> int:
    for path in paths:
        verbatim(str(path.relative_to(root) if path.is_relative_to(root) else path))
    if not paths:
        tell(f"{what}-fresh")
        return 0
    tell(f"{what}-stale" if check else f"{what}-written", count=len(paths))
    return 1 if check else 0
