"""How the systems that collect work lay out what they hand out: whose a folder or a file is, and where a class begins.

Sources: Canvas, lib/content_zipper.rb (github.com/instructure/canvas-lms): NAME_[LATE_]USER_ATTACHMENT_FILE, with
anon_XXXXX for a class without names, and NAME_USER_text.html for what was typed in or linked. Moodle,
mod/assign/locallib.php and feedback/offline (github.com/moodle/moodle): "Full name_ID_assignsubmission_file_", with ID
the number behind "Participant" in the grading worksheet. Gradescope, "Export submissions": submission_NNN and
submission_metadata.yml.

A folder or an archive may hold nothing but one more folder: does the class begin there, or is that folder one
student's? The names of the exercises inside decide: students answer the same ones, the folders of one student do not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from onekernel.cohort import archives, matching
from onekernel.course import Course
from onekernel.errors import UserError
from onekernel.messages import Message

FOLDERS, CANVAS, MOODLE, GRADESCOPE = "folders", "canvas", "moodle", "gradescope"
METADATA = "submission_metadata.yml"
_METADATA_BYTES = 64 << 20
_CANVAS = re.compile(
    r"(?:(?P<name>.+?)_)??(?P<late>LATE_)?(?:(?P<user>\d+)|(?P<anonymous>anon_[A-Za-z0-9]{5}))_"
    r"(?:(?P<attachment>\d+)_(?P<file>.+)|(?:text|link)\.html)",
    re.ASCII | re.DOTALL,
)
_MOODLE = re.compile(r"(?P<name>.+?)_(?P<id>\d+)_assignsubmission_(?P<what>file|onlinetext)_?(?P<file>.*)")
_GRADESCOPE = re.compile(r"submission_(?P<id>\d+)")
_FIELD = re.compile(r"\s*(?:- )?:?(?P<key>name|sid|email|created_at): *(?P<value>.*)")
_PART = re.compile(r"  :?(?P<part>\w+): *(?P<value>.*)")
_SHEETS = (".csv", ".xlsx", ".xls", ".ods")  # of names or marks, which teachers lay beside the submissions
# What a student calls folders of their own: nobody's name.
_OWN = re.compile(
    r"(?:(?:lab|week|semana|practica|práctica|tarea|assignment|hw|homework|ejercicio|exercise)s?|practice|v|version|"
    r"versión|old|new|final|backup|copy|copia|draft|src|kernels|triton|cuda|docs|notes|notas)?[\s_-]*\d{0,2}"
)


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
        if (path.is_symlink() or path.is_file()) and (found := _CANVAS.fullmatch(path.name)):
            ids = {"canvas": found["user"]} if found["user"] else {"anonymous": found["anonymous"]}
            owner = Owner(found["name"] or found["anonymous"] or found["user"], ids, late=bool(found["late"]))
            yield Piece(owner, path, found["file"] or path.name, int((found["attachment"] or "0")[:18]))


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
    at = part = ""
    for line in path.read_text(encoding="utf-8-sig", errors="replace").split("\n"):
        if (head := re.fullmatch(r"(submission_\d+):\s*", line)) is not None:
            at, part = head[1], ""
            found[at] = []
        elif at and (inner := _PART.fullmatch(line)):
            part = inner["part"]  # tests have names, and earlier attempts submitters and dates, of their own
            if part == "created_at":
                dates[at] = _iso(_scalar(inner["value"]))
        elif part == "submitters" and (told := _FIELD.fullmatch(line)):
            if told["key"] == "name":
                found[at].append({"name": _scalar(told["value"])})
            elif found[at]:
                found[at][-1][told["key"]] = _scalar(told["value"])
    return {
        key: [Owner(who["name"], {"gradescope": key.removeprefix("submission_"), **_ids(who)}, date=dates.get(key, ""))
              for who in owners] for key, owners in found.items()
    }  # fmt: skip


def _scalar(text: str) -> str:
    """The value that a line of YAML writes: plain, or in quotes of one of two kinds."""
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'")
    if len(text) > 1 and text[0] == text[-1] == '"':
        spelled = re.sub(r"\\x([0-9A-Fa-f]{2})", r"\\u00\1", text)
        try:
            return str(json.loads(spelled))
        except ValueError:
            return text[1:-1]
    return text


def _ids(who: dict[str, str]) -> dict[str, str]:
    return {key: who[key] for key in ("sid", "email") if who.get(key)}


def _iso(date: str) -> str:
    """ "2026-09-29 02:30:41.160906000 Z" -> "2026-09-29T02:30:41Z"; empty for what is no date."""
    found = re.match(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.\d+)? ?(Z|[+-]\d\d:?\d\d)?", date)
    return f"{found[1]}T{found[2]}{found[3] or ''}" if found else ""


def folder_of_class(folder: Path, course: Course, notes: list[Message]) -> Path:
    """The folder of the class. What was assumed on the way, where it is a guess, is added to the `notes`."""
    entries = _entries(folder)
    if len(entries) != 1 or not entries[0].is_dir() or entries[0].is_symlink():
        return folder
    if pieces(folder)[0] != FOLDERS:
        return folder
    only = entries[0]
    deeper = folder_of_class(only, course, notes)
    if deeper != only or pieces(only)[0] != FOLDERS:
        return deeper
    theirs = [p for p in _entries(only) if p.suffix.lower() not in _SHEETS]
    if len(theirs) < 2 or not all(p.is_dir() or archives.is_archive(p) for p in theirs) or _repository(only):
        return folder
    names = [p.name for p in theirs]
    answered = [matching.answered(p, course) for p in theirs if p.is_dir()]
    both = {name for n, a in enumerate(answered) for b in answered[:n] for name in a & b}
    if (both or not any(answered)) and not all(map(_own, names)):
        notes.append(Message("cohort.note-a-class", {"folder": only.name, "count": len(theirs)}))
        return only
    notes.append(Message("cohort.note-one-student", {"folder": only.name, "names": ", ".join(names[:5])}))
    return folder


def refuse_one_student(folder: Path, source: Path, course: Course) -> None:
    """Raises UserError where the files of one student lie in the folder, or their folders, one for each lab."""
    known = matching.wanted(course)
    entries = _entries(folder)
    labs = {lab.name for lab in course.labs}
    apart = [p for p in entries if p.is_dir() and not p.is_symlink() and (_own(p.name) or p.name in labs)]
    answered = [matching.answered(p, course) for p in apart] if len(apart) == len(entries) > 1 else []
    by_lab = any(answered) and sum(map(len, answered)) == len(set().union(*answered))
    if by_lab or any(p.is_file() and p.name in known for p in entries):
        raise UserError(Message.of("cohort.one-student", source=source, name=folder.name))


def _entries(folder: Path) -> list[Path]:
    return sorted(p for p in folder.iterdir() if not archives.junk(p.name) and not p.name.startswith("."))


def _repository(folder: Path) -> bool:
    return (folder / ".git").exists() or ((folder / "labs").is_dir() and (folder / "learners").is_dir())


def _own(name: str) -> bool:
    return _OWN.fullmatch(archives.stem(name).strip().lower()) is not None
