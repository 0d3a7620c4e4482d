"""Unpacks what a student packed: plain files within limits, whatever the archive says of itself.

Nothing is written before its name is known to stay inside, and no member is believed about its size: bytes are counted
as they come.
"""

from __future__ import annotations

import bz2
import contextlib
import datetime
import errno
import gzip
import io
import lzma
import os
import stat
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import IO, Any, NamedTuple

from onekernel.errors import UserError
from onekernel.messages import Message

SUFFIXES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")
OTHERS = (".rar", ".7z", ".gz", ".bz2", ".xz", ".zst")  # that are named and not read
MOST_MEMBERS = 20_000
NAME_BYTES = 200  # of a member, with what a zip says beside it
_CHUNK = 1 << 16
_MAGIC = {"zip": b"PK\x03\x04", "gz": b"\x1f\x8b", "bz2": b"BZh", "xz": b"\xfd7zXZ"}
_SAYS_NOTHING = ("", ".cu", ".py", ".md", ".json", ".txt")
_OF_THE_NAME = (errno.ENAMETOOLONG, errno.EISDIR, errno.ENOTDIR, errno.EEXIST, errno.EILSEQ, errno.EINVAL)


class Refused(UserError):
    """An archive that is not unpacked; the message says why."""


class Unpacked(NamedTuple):
    """What came out of an archive: the date of its newest file, and the bytes of all."""

    date: datetime.datetime | None
    size: int


ONE = 128 << 20  # bytes that what one student handed in may hold
ALL = 16 << 30  # and what a system packed for the instructor


def unreadable(error: OSError) -> Message:
    """The note on what of somebody's cannot be read, a file or a folder."""
    path = str(error.filename or "-")
    return Message(f"cohort.note-{'closed' if os.path.isdir(path) else 'unreadable'}", {"file": Path(path).name})


def is_archive(path: Path) -> bool:
    """Whether a file has an archive's name, or none that says what it is, or a source's, and begins as an archive."""
    if not path.is_file():
        return False
    if path.name.lower().endswith(SUFFIXES):
        return True
    return path.suffix.lower() in _SAYS_NOTHING and _kind(path) == "zip"


def _kind(path: Path) -> str | None:
    """What a file begins as, whatever its name says: "zip", "gz", "bz2", "xz" or "tar"."""
    with contextlib.suppress(OSError), path.open("rb") as file:
        head = file.read(512)
        named = next((kind for kind, magic in _MAGIC.items() if head.startswith(magic)), None)
        return named or ("tar" if head[257:262] == b"ustar" else None)
    return None


def stem(name: str) -> str:
    """A name without the archive's suffix."""
    low = name.lower()
    return next((name[: -len(s)] for s in sorted(SUFFIXES, key=len, reverse=True) if low.endswith(s)), name)


def unpack(archive: Path, to: Path, most: int = ONE) -> Unpacked:
    """Writes the plain files of an archive under `to`. Raises Refused for one that
    is broken, holds more than `most` bytes, or a name that leads outside or to elsewhere."""
    try:
        kind = _kind(archive) or archive.name.lower().rpartition(".")[2]
        if kind == "zip":
            with _InPortions(archive) as file, zipfile.ZipFile(file) as z:
                return _write(list(_of_zip(z)), to, most)
        with _plain(archive, kind, most) as plain, tarfile.open(fileobj=plain, mode="r:") as t:
            return _write(_of_tar(t), to, most)
    except (UserError, MemoryError):
        raise
    except OSError as error:
        if error.errno not in (None, *_OF_THE_NAME):
            raise  # this machine's, a full disk say
        raise Refused(Message("cohort.archive-broken", {"file": archive.name})) from None
    except Exception as error:  # what reads archives raises more than it says
        key = "archive-locked" if "password" in str(error) or "encrypted" in str(error) else "archive-broken"
        raise Refused(Message(f"cohort.{key}", {"file": archive.name})) from None


@dataclass(frozen=True)
class _Member:
    name: str
    date: datetime.datetime | None
    link: bool
    opened: Callable[[], IO[bytes] | None]


class _InPortions(io.FileIO):
    """A file of which little is read at once: zipfile reads all the names of an archive in one, and takes ten times
    their bytes for them, before anybody can count them."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > MOST_MEMBERS * NAME_BYTES:
            raise _refused("archive-many", most=MOST_MEMBERS)
        return super().read(-1 if size is None else size)


def _of_zip(archive: zipfile.ZipFile) -> Iterator[_Member]:
    for info in archive.infolist():
        if not info.filename:  # at which Python before 3.12 raises an IndexError, and a later one nothing
            raise ValueError("a file without a name")
        if info.is_dir():
            continue
        kind = info.external_attr >> 16
        date = None
        if info.date_time[0] > 1980:
            try:
                date = datetime.datetime(*info.date_time)
            except ValueError:
                date = None
        # Old tools of Windows part folders by a backslash, which the format forbids.
        yield _Member(info.filename.replace("\\", "/"), date, stat.S_ISLNK(kind), lambda info=info: archive.open(info))  # type: ignore[misc]


@contextlib.contextmanager
def _plain(archive: Path, kind: str, most: int) -> Iterator[IO[bytes]]:
    """A tar that is not compressed any more: its headers alone could ask for all the memory."""
    opened: dict[str, Any] = {"gz": gzip.open, "bz2": bz2.open, "xz": lzma.open}
    kind = next((k for k in opened if kind.endswith(k)), "")  # tgz, too
    if not kind:
        with archive.open("rb") as file:
            yield file
        return
    with tempfile.TemporaryFile() as out:
        with opened[kind](archive) as source:
            while chunk := source.read(_CHUNK):
                if out.tell() + len(chunk) > most:
                    raise _refused("archive-large", most=most)
                out.write(chunk)
        out.seek(0)
        yield out


def _of_tar(archive: tarfile.TarFile) -> Iterator[_Member]:
    for info in archive:
        if info.isdir():
            continue
        date = datetime.datetime.fromtimestamp(info.mtime) if 0 < info.mtime < 1 << 33 else None
        yield _Member(info.name, date, not info.isreg(), lambda info=info: archive.extractfile(info))  # type: ignore[misc]


def _write(members: Iterator[_Member] | list[_Member], to: Path, most: int) -> Unpacked:
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
        total += _copy(member, to.joinpath(*PurePosixPath(member.name).parts), most - total, most)
        if member.date and (newest is None or member.date > newest):
            newest = member.date
    return Unpacked(newest, total)


def _copy(member: _Member, path: Path, room: int, most: int) -> int:
    """Writes a member and returns its bytes. Raises Refused for more than there is `room` for, of `most`."""
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
            if size > room:
                raise _refused("archive-large", most=most)
            out.write(chunk)
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
