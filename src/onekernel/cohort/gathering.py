"""Brings together what one student handed in, unpacked, under one folder. Whatever cannot be read of it is a note; what
it may take of the disk and of the time is limited, however much is packed into how little.

The date of a clone's last commit is read without its configuration: a student's .git/config can name programs.
"""

from __future__ import annotations

import datetime
import errno
import itertools
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from onekernel.cohort import archives
from onekernel.cohort.layouts import Piece
from onekernel.grading.submission import SOURCE_BYTES
from onekernel.messages import Message

MOST_ARCHIVES = 16  # of one student
DEEPEST = 3  # an archive in an archive in an archive
# What reading somebody's files is refused for because of them. All else is this machine's: a full disk, a lost server.
_THEIRS = (errno.EACCES, errno.EPERM, errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.ELOOP, errno.ENXIO,
           errno.ENAMETOOLONG)  # fmt: skip
GIT_SECONDS = 4
_GIT_BYTES = 1 << 20
_ALLOCATED = "16m"  # of git at once: a commit of some thousand bytes may say that it unpacks to gigabytes
_HASH = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")
_REF = re.compile(r"refs/[\w./-]+")


@dataclass
class Gathering:
    """What is noticed while somebody's files are brought into the folder `to`: notes, dates, and which of the entries
    there was handed in later."""

    to: Path
    notes: list[Message] = field(default_factory=list)
    dates: list[str] = field(default_factory=list)
    orders: dict[str, int] = field(default_factory=dict)
    room: int = archives.ONE
    unpacked: int = 0

    def bring(self, pieces: list[Piece]) -> Path:
        """The one folder that holds it all: their own, or `to`, with what was packed unpacked."""
        if len(pieces) == 1 and pieces[0].path.is_dir() and not pieces[0].path.is_symlink():
            folder = pieces[0].path
            if date := date_of(folder):
                self.dates.append(date)
            if not any(archives.is_archive(p) for p in _plain_files(folder)):
                self._name_unread(_plain_files(folder))
                return folder
            self._tree(folder, self.to)
            return self.to
        for piece in sorted(pieces, key=lambda p: p.order):
            if piece.path.is_symlink():
                self.notes.append(Message("cohort.note-link", {"file": piece.name}))
                continue
            where = self.to / piece.name
            if piece.name in (".", "..") or where.exists():  # Canvas keeps one name for two files
                other = next(p for n in itertools.count(2) if not (p := self.to / str(n)).exists())
                where = other / (piece.path.name if piece.name in (".", "..") else piece.name)
            self.orders[where.relative_to(self.to).parts[0]] = piece.order
            if piece.path.is_dir():
                self._tree(piece.path, where)
            else:
                self._file(piece.path, where)
        return self.to

    @contextmanager
    def said(self) -> Iterator[None]:
        """Notes what of a student's cannot be read."""
        try:
            yield
        except OSError as error:
            if error.errno not in _THEIRS:
                raise
            self.notes.append(archives.unreadable(error))

    def _tree(self, folder: Path, to: Path) -> None:
        folders: list[Path] = []
        for path in _plain_files(folder, self.notes, folders):
            self._file(path, to / path.relative_to(folder))
        for path in folders:  # one that has a file's name is said, though it holds nothing
            (to / path.relative_to(folder)).mkdir(parents=True, exist_ok=True)

    def _file(self, path: Path, to: Path) -> None:
        with self.said():
            if archives.is_archive(path):
                self._unpack(path, to, 1)
                return
            to.parent.mkdir(parents=True, exist_ok=True)
            with path.open("rb") as source:  # of what is too long to be graded as much as shows that
                to.write_bytes(source.read(SOURCE_BYTES + 1))
            shutil.copystat(path, to)
        self._name_unread([path])

    def _unpack(self, archive: Path, to: Path, depth: int) -> None:
        """Unpacks an archive into a folder that has its name, and so what is packed in it."""
        self.unpacked += 1
        if self.unpacked > MOST_ARCHIVES or depth > DEEPEST:
            self.notes.append(Message("cohort.note-packed-within", {"file": archive.name}))
            return
        try:
            found = archives.unpack(archive, to, self.room)
        except archives.Refused as refused:
            self.notes.append(refused.message)
            shutil.rmtree(to, ignore_errors=True)
            return
        self.room -= found.size
        if found.date:
            self.dates.append(iso(found.date))
        for inner in [p for p in _plain_files(to) if archives.is_archive(p)]:
            with tempfile.TemporaryDirectory(prefix="onekernel-class-") as aside:
                self._unpack(Path(shutil.move(inner, aside)), inner, depth + 1)
        self._name_unread(_plain_files(to))

    def _name_unread(self, paths: Iterable[Path]) -> None:
        for path in paths:
            if path.name.lower().endswith(archives.OTHERS) and not archives.is_archive(path):
                self.notes.append(Message("cohort.note-packed-otherwise", {"file": path.name}))


def _plain_files(
    folder: Path, notes: list[Message] | None = None, folders: list[Path] | None = None
) -> list[Path]:
    """The plain files beneath a folder that somebody wrote. What else there is goes to the `notes`, or to `folders`."""
    found, others, inside = [], notes if notes is not None else [], folders if folders is not None else []
    for at, inner, names in os.walk(folder, onerror=lambda error: others.append(archives.unreadable(error))):
        inner[:] = [d for d in inner if not archives.junk(d)]
        for path in (Path(at) / name for name in (*inner, *names) if not archives.junk(name)):
            if path.is_symlink():
                others.append(Message("cohort.note-link", {"file": str(path.relative_to(folder))}))
            elif path.is_file():
                found.append(path)
            elif path.is_dir():
                inside.append(path)
            else:
                others.append(Message("cohort.note-no-file", {"file": str(path.relative_to(folder))}))
    return found


def iso(date: datetime.datetime) -> str:
    return date.isoformat(timespec="seconds")


def date_of(folder: Path) -> str:
    """When the commit that is checked out in `folder` was made, ISO 8601; empty where that cannot be read."""
    git = folder / ".git"
    if not os.path.isdir(git) or git.is_symlink() or (git / "objects").is_symlink():
        return ""
    try:
        commit = _head(git)
        if commit is None:
            return ""
        with tempfile.TemporaryDirectory(prefix="onekernel-git-") as ours:
            env = {"PATH": os.environ.get("PATH", os.defpath), "HOME": ours, "LC_ALL": "C"}
            env |= {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_ALLOC_LIMIT": _ALLOCATED}
            _git(["init", "-q", "--bare", ours], env)
            env["GIT_ALTERNATE_OBJECT_DIRECTORIES"] = _quoted(str((git / "objects").resolve()))
            said = _git([f"--git-dir={ours}", "cat-file", "commit", commit], env)
    except (OSError, subprocess.SubprocessError):
        return ""
    found = re.search(rb"^committer .*> (\d{1,12}) ([+-])(\d\d)(\d\d)$", said[:_GIT_BYTES], re.MULTILINE)
    if not found:
        return ""
    offset = datetime.timedelta(hours=int(found[3]), minutes=int(found[4])) * (-1 if found[2] == b"-" else 1)
    try:
        return datetime.datetime.fromtimestamp(int(found[1]), datetime.timezone(offset)).isoformat(timespec="seconds")
    except (ValueError, OverflowError, OSError):
        return ""


def _quoted(path: str) -> str:
    """A path as git reads one in a list that is parted by colons."""
    path = path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{path}"'


def _git(words: list[str], env: dict[str, str]) -> bytes:
    return subprocess.run(["git", *words], env=env, check=True, capture_output=True, timeout=GIT_SECONDS).stdout


def _head(git: Path) -> str | None:
    """The hash that HEAD stands for."""
    head = _read(git / "HEAD").strip()
    if _HASH.fullmatch(head):
        return head
    name = head.removeprefix("ref: ")
    if not _REF.fullmatch(name) or ".." in name:
        return None
    loose = _read(git / name).strip()
    if _HASH.fullmatch(loose):
        return loose
    packed = (line.split(" ", 1) for line in _read(git / "packed-refs").splitlines() if " " in line)
    return next((h for h, ref in packed if ref == name and _HASH.fullmatch(h)), None)


def _read(path: Path) -> str:
    if path.is_symlink() or not path.is_file():
        return ""
    with path.open("rb") as file:
        return file.read(_GIT_BYTES).decode("utf-8", "replace")
