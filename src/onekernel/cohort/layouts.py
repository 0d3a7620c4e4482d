"""How the systems that collect work name what they hand out: whose a folder or a file is.

Sources: Canvas, lib/content_zipper.rb (github.com/instructure/canvas-lms): NAME_[LATE_]USER_ATTACHMENT_FILE. Moodle,
mod/assign/locallib.php and feedback/offline (github.com/moodle/moodle): "Full name_ID_assignsubmission_file_", with ID
the number behind "Participant" in the grading worksheet. Gradescope, "Export submissions": submission_NNN and
submission_metadata.yml.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from onekernel.cohort import archives

FOLDERS, CANVAS, MOODLE, GRADESCOPE = "folders", "canvas", "moodle", "gradescope"
METADATA = "submission_metadata.yml"
_METADATA_BYTES = 64 << 20
_CANVAS = re.compile(r"(?P<name>[^_]+)_(?P<late>LATE_)?(?P<user>\d+)_(?P<attachment>\d+)_(?P<file>.+)")
_MOODLE = re.compile(r"(?P<name>.+?)_(?P<id>\d+)_assignsubmission_(?P<what>file|onlinetext)_?(?P<file>.*)")
_GRADESCOPE = re.compile(r"submission_(?P<id>\d+)")
_FIELD = re.compile(r"\s*(?:- )?:?(?P<key>name|sid|email|created_at): *(?P<value>.*)")


@dataclass(frozen=True)
class Owner:
    """Whose something is: a name as the system writes it, and the system's own numbers."""

    name: str
    ids: dict[str, str] = field(default_factory=dict)
    late: bool = False
    date: str = ""  # as the system says, ISO 8601


@dataclass(frozen=True)
class Piece:
    """A file or folder of somebody, and the name that it had before the system put the owner's in front."""

    owner: Owner
    path: Path
    name: str
    order: int = 0  # of two of one name the higher was handed in later


def pieces(folder: Path) -> tuple[str, list[Piece]]:
    """The layout of a folder, and what lies in it, by owner. A folder or an archive that no system named is a student's
    own."""
    entries = sorted(p for p in folder.iterdir() if not p.name.startswith((".", "__MACOSX")))
    for layout, read in ((GRADESCOPE, _gradescope), (CANVAS, _canvas), (MOODLE, _moodle)):
        found = list(read(folder, entries))
        if found and (layout == GRADESCOPE or 2 * len(found) > len(entries)):
            return layout, found
    packed = (*archives.SUFFIXES, *archives.OTHERS)
    theirs = (p for p in entries if p.is_dir() or p.is_symlink() or p.name.lower().endswith(packed))
    return FOLDERS, [Piece(Owner(p.name), p, p.name) for p in theirs]


def _canvas(folder: Path, entries: list[Path]) -> Iterator[Piece]:
    for path in entries:
        if path.is_file() and (found := _CANVAS.fullmatch(path.name)):
            owner = Owner(found["name"], {"canvas": found["user"]}, late=bool(found["late"]))
            yield Piece(owner, path, found["file"], int(found["attachment"][:18]))


def _moodle(folder: Path, entries: list[Path]) -> Iterator[Piece]:
    for path in entries:
        if found := _MOODLE.fullmatch(path.name):
            yield Piece(Owner(found["name"], {"moodle": found["id"]}), path, found["file"] or path.name)


def _gradescope(folder: Path, entries: list[Path]) -> Iterator[Piece]:
    known = _metadata(folder / METADATA)
    for path in entries:
        if path.is_dir() and (found := _GRADESCOPE.fullmatch(path.name)):
            for owner in known.get(path.name) or [Owner(path.name, {"gradescope": found["id"]})]:
                yield Piece(owner, path, path.name)


def _metadata(path: Path) -> dict[str, list[Owner]]:
    """submission_NNN -> those who handed it in. Of the YAML the few lines that say so are read, and no more: a parser
    for all of YAML would be a door."""
    if not path.is_file() or path.is_symlink() or path.stat().st_size > _METADATA_BYTES:
        return {}
    found: dict[str, list[dict[str, str]]] = {}
    dates: dict[str, str] = {}
    at = ""
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        if (head := re.fullmatch(r"(submission_\d+):\s*", line)) is not None:
            at = head[1]
            found[at] = []
        elif at and re.match(r"  :?history:", line):
            at = ""  # earlier attempts follow, with dates of their own
        elif at and (told := _FIELD.fullmatch(line)):
            value = told["value"].strip().strip("'\"")
            if told["key"] == "created_at":
                dates.setdefault(at, _iso(value))
            elif told["key"] == "name":
                found[at].append({"name": value})
            elif found[at]:
                found[at][-1][told["key"]] = value
    return {
        key: [Owner(who["name"], {"gradescope": key.removeprefix("submission_"), **_ids(who)}, date=dates.get(key, ""))
              for who in owners] for key, owners in found.items()
    }  # fmt: skip


def _ids(who: dict[str, str]) -> dict[str, str]:
    return {key: who[key] for key in ("sid", "email") if who.get(key)}


def _iso(date: str) -> str:
    """ "2026-09-29 02:30:41.160906000 Z" -> "2026-09-29T02:30:41Z"; empty for what is no date."""
    found = re.match(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.\d+)? ?(Z|[+-]\d\d:?\d\d)?", date)
    return f"{found[1]}T{found[2]}{found[3] or ''}" if found else ""
