"""Unpacks what a student packed: plain files within limits, whatever the archive says of itself.

Nothing is written before its name is known to stay inside, and no member is believed about its size: bytes are counted
as they come.
"""

from __future__ import annotations

import bz2
import contextlib
import datetime
import gzip
import lzma
import stat
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import IO, Any

from onekernel.errors import UserError
from onekernel.messages import Message

SUFFIXES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")
OTHERS = (".rar", ".7z", ".gz", ".bz2", ".xz", ".zst")  # that are named and not read
MOST_MEMBERS = 20_000
_CHUNK = 1 << 16
_BROKEN = (zipfile.BadZipFile, zipfile.LargeZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, ValueError,
           NotImplementedError, RuntimeError)  # fmt: skip


class Refused(UserError):
    """An archive that is not unpacked; the message says why."""


@dataclass(frozen=True)
class Limits:
    """Bytes that an archive may hold: a file, and all of them; a larger file is left out, a larger whole refused."""

    file: int
    whole: int


ONE = Limits(file=8 << 20, whole=128 << 20)  # what one student handed in
ALL = Limits(file=512 << 20, whole=16 << 30)  # what a system packed for the instructor


def is_archive(path: Path) -> bool:
    return path.is_file() and path.name.lower().endswith(SUFFIXES)


def stem(name: str) -> str:
    """A name without the archive's suffix."""
    low = name.lower()
    return next((name[: -len(s)] for s in sorted(SUFFIXES, key=len, reverse=True) if low.endswith(s)), name)


def unpack(archive: Path, to: Path, limits: Limits = ONE) -> datetime.datetime | None:
    """Writes the plain files of an archive under `to`, and returns the date of the newest. Raises Refused for one that
    is broken, holds too much, or a name that leads outside or to elsewhere."""
    try:
        if archive.name.lower().endswith(".zip"):
            with zipfile.ZipFile(archive) as z:
                return _write(list(_of_zip(z)), to, limits)
        with _plain(archive, limits) as plain, tarfile.open(fileobj=plain, mode="r:") as t:
            return _write(_of_tar(t), to, limits)
    except _BROKEN as error:
        key = "archive-locked" if "password" in str(error) or "encrypted" in str(error) else "archive-broken"
        raise Refused(Message(f"cohort.{key}", {"file": archive.name})) from None
    except OSError as error:
        if error.errno is not None and error.filename is None and "compressed" not in str(error):
            raise  # this machine's, a full disk say
        raise Refused(Message("cohort.archive-broken", {"file": archive.name})) from None


@dataclass(frozen=True)
class _Member:
    name: str
    date: datetime.datetime | None
    link: bool
    opened: Callable[[], IO[bytes] | None]


def _of_zip(archive: zipfile.ZipFile) -> Iterator[_Member]:
    for info in archive.infolist():
        if info.is_dir():
            continue
        kind = info.external_attr >> 16
        date = None
        if info.date_time[0] > 1980:
            try:
                date = datetime.datetime(*info.date_time)
            except ValueError:
                date = None
        yield _Member(info.filename, date, stat.S_ISLNK(kind), lambda info=info: archive.open(info))  # type: ignore[misc]


@contextlib.contextmanager
def _plain(archive: Path, limits: Limits) -> Iterator[IO[bytes]]:
    """A tar that is not compressed any more: its headers alone could ask for all the memory."""
    name = archive.name.lower()
    opened: dict[str, Any] = {"gz": gzip.open, "bz2": bz2.open, "xz": lzma.open}
    kind = next((k for k in opened if name.endswith(k)), None)
    if kind is None:
        with archive.open("rb") as file:
            yield file
        return
    with tempfile.TemporaryFile() as out:
        with opened[kind](archive) as source:
            while chunk := source.read(_CHUNK):
                if out.tell() + len(chunk) > limits.whole:
                    raise _refused("archive-large", most=limits.whole)
                out.write(chunk)
        out.seek(0)
        yield out


def _of_tar(archive: tarfile.TarFile) -> Iterator[_Member]:
    for info in archive:
        if info.isdir():
            continue
        date = datetime.datetime.fromtimestamp(info.mtime) if 0 < info.mtime < 1 << 33 else None
        yield _Member(info.name, date, not info.isreg(), lambda info=info: archive.extractfile(info))  # type: ignore[misc]


def _write(members: Iterator[_Member] | list[_Member], to: Path, limits: Limits) -> datetime.datetime | None:
    newest: datetime.datetime | None = None
    total = 0
    for number, member in enumerate(members):
        if number >= MOST_MEMBERS:
            raise _refused("archive-many", most=MOST_MEMBERS)
        if _outside(member.name):
            raise _refused("archive-outside", name=member.name[:200])
        if junk(member.name):
            continue
        if member.link:
            raise _refused("archive-link", name=member.name[:200])
        total += _copy(member, to.joinpath(*PurePosixPath(member.name).parts), limits, total)
        if member.date and (newest is None or member.date > newest):
            newest = member.date
    return newest


def _copy(member: _Member, path: Path, limits: Limits, before: int) -> int:
    """Writes a member and returns its bytes; one that is larger than a file may be is not left there."""
    source = member.opened()
    if source is None:
        return 0
    if path.is_dir() or any(p.is_file() for p in path.parents):
        raise ValueError(member.name)  # a name that is a file and a folder
    path.parent.mkdir(parents=True, exist_ok=True)
    size = 0
    with source, path.open("wb") as out:
        while chunk := source.read(_CHUNK):
            size += len(chunk)
            if before + size > limits.whole:
                raise _refused("archive-large", most=limits.whole)
            if size <= limits.file:
                out.write(chunk)
    if size > limits.file:
        path.unlink()
    return size


def _outside(name: str) -> bool:
    posix, windows = PurePosixPath(name), PureWindowsPath(name)
    return posix.is_absolute() or bool(windows.drive or windows.root) or ".." in posix.parts or ".." in windows.parts


def junk(name: str) -> bool:
    """Whether a path is what operating systems and editors leave behind, and nobody wrote."""
    parts = PurePosixPath(name).parts
    return any(p in ("__MACOSX", "__pycache__", ".DS_Store", "Thumbs.db", "desktop.ini", ".git", ".ipynb_checkpoints",
                     ".vscode", ".idea", "node_modules", ".venv") or p.startswith("._") for p in parts)  # fmt: skip


def _refused(key: str, **values: object) -> Refused:
    return Refused(Message(f"cohort.{key}", values))
