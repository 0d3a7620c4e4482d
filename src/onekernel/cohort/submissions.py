"""Reads what a class handed in: a folder or one archive of it all, in the layout of whatever system collected it. Each
student's files are copied into a folder of their own, under the course's names, where they are graded.

Whatever is wrong with one student's is a note on that student, and stops nobody else. How late it was is a fact for a
column, and never a penalty of ours.
"""

from __future__ import annotations

import datetime
import math
import re
import shutil
import tempfile
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from onekernel import learners
from onekernel.cohort import archives, layouts, matching
from onekernel.cohort.gathering import Gathering, iso
from onekernel.cohort.layouts import Owner, Piece
from onekernel.course import Course
from onekernel.errors import UserError, naming
from onekernel.messages import Message, plain, say

WORK = "work"  # the folder, under that of the results, in which files are graded
MOST_NOTES = 30  # on one student
MOST_NAMES = 20  # of what is nobody's


@dataclass(frozen=True)
class Student:
    """Somebody of the class: `key` names their folder, page and results; `files` are the course's names that they
    handed in, in `home`."""

    key: str
    name: str
    home: Path
    files: tuple[str, ...]
    notes: tuple[Message, ...] = ()
    ids: Mapping[str, str] = field(default_factory=dict)
    late: bool = False
    date: str = ""  # when it was handed in, or last changed: ISO 8601, as the source says
    unread: matching.Unread = field(default_factory=matching.Unread)

    def path(self, file: str) -> Path:
        return self.home / file

    def unread_of(self, file: str) -> Message | None:
        """Why the course's `file` is not there, though something was handed in."""
        return None if file in self.files else self.unread.of(file)


@dataclass(frozen=True)
class HandedIn:
    layout: str
    students: tuple[Student, ...]
    notes: tuple[Message, ...] = ()  # on what is no student's


def read(source: Path, course: Course, out: Path) -> HandedIn:
    """The class in `source`, its files copied to `out`/work. Raises UserError for a source with nobody in it."""
    if not source.exists():
        raise UserError(Message.of("cohort.no-source", source=source))
    work = out / WORK
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    with _opened(source) as folder:
        notes: list[Message] = []
        inner = layouts.folder_of_class(folder, course, notes)
        layout, pieces = layouts.pieces(inner)
        if layout == layouts.FOLDERS:
            layouts.refuse_one_student(inner, source, course)
        students = tuple(_students(pieces, course, work))
        notes += _left_alone(inner, layout, pieces)
    if not students:
        raise UserError(Message.of("cohort.nobody", source=source))
    return HandedIn(layout, students, tuple(notes))


def _left_alone(folder: Path, layout: str, pieces: Iterable[Piece]) -> Iterator[Message]:
    """What lies among the submissions and is nobody's, by its name."""
    taken = {p.path.name for p in pieces} | ({layouts.METADATA} if layout == layouts.GRADESCOPE else set())
    names = sorted(p.name for p in folder.iterdir() if p.name not in taken and not archives.junk(p.name))
    if names:
        shown = ", ".join(names[:MOST_NAMES]) + (", ..." if len(names) > MOST_NAMES else "")
        yield Message("cohort.note-nobodys", {"count": len(names), "names": shown})


def one(folder: Path, course: Course, work: Path, date: str = "") -> Student:
    """The one student whose files lie in `folder`, copied to `work`."""
    work.mkdir(parents=True)
    owner = Owner(folder.name, date=date)
    return _student(folder.name, folder.name, [Piece(owner, folder, folder.name)], course, work / folder.name)


@contextmanager
def _opened(source: Path) -> Iterator[Path]:
    """The folder; of an archive, what it holds."""
    if source.is_dir():
        yield source
        return
    if not archives.is_archive(source):
        raise UserError(Message.of("cohort.no-folder", source=source))
    with tempfile.TemporaryDirectory(prefix="onekernel-class-") as folder:
        with naming(folder):
            archives.unpack(source, Path(folder), archives.ALL)
        yield Path(folder)


def _students(pieces: Iterable[Piece], course: Course, work: Path) -> Iterator[Student]:
    mine: dict[tuple[str, ...], list[Piece]] = {}
    for piece in pieces:
        owner = piece.owner
        name = archives.stem(owner.name) if not owner.ids and archives.is_archive(piece.path) else owner.name
        who = (name, *(f"{k}={v}" for k, v in sorted(owner.ids.items())))
        mine.setdefault(who, []).append(piece)
    taken: set[str] = set()
    for (name, *_), theirs in sorted(mine.items(), key=lambda item: (item[0][0].casefold(), item[0])):
        key = _key(name, taken)
        yield _student(key, plain(name).replace("\n", " "), theirs, course, work / key)


def _key(name: str, taken: set[str]) -> str:
    """A name for files: letters, digits, "-" and "_", no two alike."""
    clean = unicodedata.normalize("NFC", name)
    stem = re.sub(r"[^\w-]+", "_", clean).strip("_-")[:60] or "student"
    key, number = stem, 1
    while key.casefold() in taken:
        number += 1
        key = f"{stem}_{number}"
    taken.add(key.casefold())
    return key


def _student(key: str, name: str, pieces: list[Piece], course: Course, home: Path) -> Student:
    home.mkdir()
    owner = pieces[0].owner
    files: list[str] = []
    with tempfile.TemporaryDirectory(prefix="onekernel-class-") as scratch, naming(scratch):
        brought = Gathering(Path(scratch), dates=[owner.date] if owner.date else [])
        notes, dates = brought.notes, brought.dates
        with brought.said():
            there = brought.bring(pieces)
            found = matching.find(there, course, brought.orders)
            notes += found.notes
            if not found.files and not notes:
                notes.append(matching.nothing(there))
            times = []
            for target, path in sorted(found.files.items()):
                with brought.said():
                    _copy(path, home / target, notes)
                    files.append(target)
                    times.append(path.stat().st_mtime)
            if times and not dates:
                dates.append(iso(datetime.datetime.fromtimestamp(max(times))))
    if matching.PREDICTIONS in files and not _predicts(home):
        notes.append(Message("cohort.note-predictions"))
    late = any(p.owner.late for p in pieces)
    return Student(key, name, home, tuple(files), _first(notes), owner.ids, late, max(dates, default=""),
                   matching.unread(notes, course, files))  # fmt: skip


def _predicts(home: Path) -> bool:
    try:
        learners.read_predictions(home)
    except UserError:
        return False
    return True


def _first(notes: list[Message]) -> tuple[Message, ...]:
    """As many notes as somebody reads."""
    more = len(notes) - MOST_NOTES
    return (*notes[:MOST_NOTES], Message("cohort.note-more", {"count": more})) if more > 0 else tuple(notes)


def _copy(path: Path, to: Path, notes: list[Message]) -> None:
    data = matching.text_of(path, path.name, notes)
    to.parent.mkdir(parents=True, exist_ok=True)
    with naming(to):
        to.write_bytes(data)


def lateness(student: Student, due: datetime.datetime | None) -> str:
    """How long after `due` a student's files were handed in, in words; that the system marked them late, where it did;
    else empty. A date without a zone is one of this machine's."""
    if due is not None and student.date:
        try:
            handed_in = datetime.datetime.fromisoformat(student.date).astimezone()
        except (ValueError, OverflowError):  # the last hour of the year 9999 is in no other zone
            handed_in = due
        if handed_in > due:
            return say("cohort.late-by", hours=math.ceil((handed_in - due) / datetime.timedelta(hours=1)))
    return say("cohort.late") if student.late else ""
