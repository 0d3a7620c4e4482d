"""Reads what a class handed in: a folder or one archive of it all, in the layout of whatever system collected it. Each
student's files are copied into a folder of their own, under the course's names, where they are graded.

Whatever is wrong with one student's is a note on that student, and stops nobody else.
"""

from __future__ import annotations

import datetime
import os
import re
import shutil
import tempfile
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from onekernel.cohort import archives, commits, layouts, matching
from onekernel.cohort.layouts import Owner, Piece
from onekernel.course import Course
from onekernel.errors import UserError
from onekernel.grading.submission import SOURCE_BYTES
from onekernel.messages import Message, plain

WORK = "work"  # the folder, under that of the results, in which files are graded


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

    def path(self, file: str) -> Path:
        return self.home / file


@dataclass(frozen=True)
class HandedIn:
    layout: str
    students: tuple[Student, ...]


def read(source: Path, course: Course, out: Path) -> HandedIn:
    """The class in `source`, its files copied to `out`/work. Raises UserError for a source with nobody in it."""
    if not source.exists():
        raise UserError(Message.of("cohort.no-source", source=source))
    work = out / WORK
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    with _opened(source) as folder:
        layout, pieces = layouts.pieces(_inner(folder, source.is_file()))
        if layout == layouts.FOLDERS and _is_one(folder, course):
            raise UserError(Message.of("cohort.one-student", source=source, name=folder.name))
        students = tuple(_students(pieces, course, work))
    if not students:
        raise UserError(Message.of("cohort.nobody", source=source))
    return HandedIn(layout, students)


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
        archives.unpack(source, Path(folder), archives.ALL)
        yield Path(folder)


def _inner(folder: Path, packed: bool) -> Path:
    """Where the class begins: exports pack everything into one more folder, and so do archives."""
    entries = [p for p in folder.iterdir() if not archives.junk(p.name) and not p.name.startswith(".")]
    if len(entries) != 1 or not entries[0].is_dir() or entries[0].is_symlink():
        return folder
    if layouts.pieces(folder)[0] != layouts.FOLDERS:
        return folder
    exported = layouts.pieces(entries[0])[0] != layouts.FOLDERS
    return _inner(entries[0], packed) if exported or (packed and _folders_only(entries[0])) else folder


def _folders_only(folder: Path) -> bool:
    entries = [p for p in folder.iterdir() if not archives.junk(p.name) and not p.name.startswith(".")]
    return len(entries) > 1 and all(p.is_dir() or archives.is_archive(p) for p in entries)


def _is_one(folder: Path, course: Course) -> bool:
    """Whether the files of one student lie there, and not a class."""
    names = {Path(e.file).name for e in course.exercises.values()}
    return any(p.is_file() and p.name in names for p in folder.iterdir())


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
    owner, notes = pieces[0].owner, list[Message]()
    dates: list[str] = [owner.date] if owner.date else []
    with tempfile.TemporaryDirectory(prefix="onekernel-class-") as scratch:
        brought = Path(scratch)
        orders: dict[str, int] = {}
        found = matching.Found({})
        try:
            at = _gathered(pieces, brought, notes, dates, orders)
            found = matching.find(at, course, orders)
        except OSError as error:
            if error.errno in (None, 28, 122):  # this machine's disk, and not a folder that cannot be read
                raise
            notes.append(Message("cohort.note-unreadable", {"file": Path(str(error.filename or "-")).name}))
        notes += found.notes
        for target, path in sorted(found.files.items()):
            _copy(path, home / target, notes)
        if not dates:
            times = [p.stat().st_mtime for p in found.files.values() if p.is_file()]
            dates = [_iso(datetime.datetime.fromtimestamp(max(times)))] if times else []
    if not found.files and not notes:
        notes.append(Message("cohort.note-nothing"))
    late = any(p.owner.late for p in pieces)
    return Student(key, name, home, tuple(sorted(found.files)), tuple(notes), owner.ids, late, max(dates, default=""))


def _gathered(
    pieces: list[Piece], brought: Path, notes: list[Message], dates: list[str], orders: dict[str, int]
) -> Path:
    """The one folder that holds all that somebody handed in: their own, or `brought`, with what was packed unpacked."""
    if len(pieces) == 1 and pieces[0].path.is_dir() and not pieces[0].path.is_symlink():
        folder = pieces[0].path
        if date := commits.date(folder):
            dates.append(date)
        packed = [p for p in sorted(folder.iterdir()) if archives.is_archive(p) and not archives.junk(p.name)]
        _name_unread(folder.iterdir(), notes)
        if not packed:
            return folder
        for path in packed:
            _unpack(path, brought / archives.stem(path.name), notes, dates)
        for path in folder.iterdir():
            if path not in packed and path.is_file() and not path.is_symlink():
                _place(path, brought / path.name)
            elif path.is_dir() and not path.is_symlink() and not archives.junk(path.name):
                _tree(path, brought / path.name)
        return brought
    _name_unread((p.path for p in pieces), notes)
    for piece in sorted(pieces, key=lambda p: p.order):
        if piece.path.is_symlink():
            notes.append(Message("cohort.note-link", {"file": piece.name}))
        elif archives.is_archive(piece.path):
            _unpack(piece.path, brought / f"{piece.order}", notes, dates)
        elif piece.path.is_dir():
            _tree(piece.path, brought / piece.name)
        else:
            where = brought / piece.name
            if where.exists():  # Canvas keeps one name for two files: the later one counts
                where = brought / f"{piece.order}" / piece.name
                where.parent.mkdir(exist_ok=True)
            _place(piece.path, where)
            orders[where.relative_to(brought).as_posix()] = piece.order
    return brought


def _name_unread(paths: Iterable[Path], notes: list[Message]) -> None:
    for path in paths:
        if path.is_file() and path.name.lower().endswith(archives.OTHERS) and not archives.is_archive(path):
            notes.append(Message("cohort.note-packed-otherwise", {"file": path.name}))


def _unpack(path: Path, to: Path, notes: list[Message], dates: list[str]) -> None:
    try:
        date = archives.unpack(path, to)
    except archives.Refused as refused:
        notes.append(refused.message)
        shutil.rmtree(to, ignore_errors=True)
        return
    if date:
        dates.append(_iso(date))


def _tree(folder: Path, to: Path) -> None:
    """Copies the plain files of a folder that are short enough to be graded."""
    for at, inner, names in os.walk(folder):
        inner[:] = [d for d in inner if not archives.junk(d) and not (Path(at) / d).is_symlink()]
        for name in names:
            path = Path(at) / name
            if path.is_file() and not path.is_symlink() and not archives.junk(name):
                _place(path, to / path.relative_to(folder))


def _place(path: Path, to: Path) -> None:
    if path.stat().st_size <= SOURCE_BYTES:
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, to)


def _copy(path: Path, to: Path, notes: list[Message]) -> None:
    to.parent.mkdir(parents=True, exist_ok=True)
    to.write_bytes(matching.text_of(path, path.name, notes))


def _iso(date: datetime.datetime) -> str:
    return date.isoformat(timespec="seconds")
