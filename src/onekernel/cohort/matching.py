"""Which file of a student answers which exercise. A name that is nearly right is taken and said; one that is only
similar is named and left alone."""

from __future__ import annotations

import codecs
import difflib
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path, PurePosixPath

from onekernel.cohort.archives import junk, unreadable
from onekernel.course import Course
from onekernel.grading.refusals import KEPT_OPEN
from onekernel.grading.submission import SOURCE_BYTES
from onekernel.messages import Message

PREDICTIONS = "predictions.json"
DEEPEST = 8  # folders within folders that are looked into
MOST_FILES = 20_000
SIMILAR = 0.8
MOST_NAMES = 5  # of what answers no exercise
# Notes on what has an exercise's name and is no file, on a file and a folder that cannot be read, and on archives.
NO_FILES = ("cohort.note-link", "cohort.note-no-file", "cohort.note-folder")
UNREADABLE, CLOSED, PACKED = "cohort.note-unreadable", "cohort.note-closed", ("cohort.archive-", "cohort.note-packed-")
_NO_TEXT = (".ipynb", ".docx", ".doc", ".odt", ".rtf", ".pdf", ".html", ".htm", ".png", ".jpg", ".jpeg", ".heic")
# Written for others to read, in a checkout of the course: the starters, the answers, the tests.
_NOT_THEIRS = (
    "kernels", "solutions", "tests", "docs", "bench", "profiles", "src", "labs", "audits", "findings", "build",
)  # fmt: skip
_COPIES = re.compile(
    r"(?:\s*\(\d+\)|\s*-\s*(?:copy|copia)(?:\s*\(\d+\))?|[\s_]+(?:copy|copia)|-\d{1,2}|[\s_-]+(?:final|fixed|new|v\d+))$"
)
_FIRST = re.compile(r"^(?:copy of|copia de|kopie von)\s+")
_UNICODE = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_POINTER = b"version https://git-lfs.github.com/"


@dataclass(frozen=True)
class Found:
    """The files of a student by the course's names, and what was noticed on the way."""

    files: Mapping[str, Path]  # the course's name of a file -> where it lies
    notes: list[Message] = field(default_factory=list)


@dataclass(frozen=True)
class Unread:
    """What lay where a student's files were looked for and could not be taken: by the course's name of a file what it
    was instead of one that can be read; `rest`, in which any other may lie: a folder or an archive."""

    files: dict[str, Message] = field(default_factory=dict)
    rest: Message | None = None

    def of(self, file: str) -> Message | None:
        """Why a file is not there; None where nothing of that name was handed in."""
        why = self.files.get(file)
        if why is not None and why.key in NO_FILES:
            return why
        why = why or self.rest
        return Message(KEPT_OPEN, {"why": why}) if why else None


def wanted(course: Course) -> dict[str, str]:
    """The name of each file that the course reads -> where it belongs: the small exercises' in practice/."""
    names = {PurePosixPath(e.file).name: e.file for e in course.exercises.values()}
    return names | {PREDICTIONS: PREDICTIONS}


def find(home: Path, course: Course, orders: Mapping[str, int]) -> Found:
    """The files beneath `home` that answer an exercise. `orders` says which of the entries of `home` came later."""
    notes: list[Message] = []
    home = _own_folder(home, course, notes)
    exact: dict[str, list[str]] = {}
    near: dict[str, list[str]] = {}
    others: list[str] = []
    names = wanted(course)
    folders: list[str] = []
    for path in _files(home, notes, folders):
        target, sure = _meant(path, names)
        if target is None:
            others.append(path)
        else:
            (exact if sure else near).setdefault(target, []).append(path)
    files: dict[str, Path] = {}
    for target in {**exact, **near}:
        same = exact.get(target, [])
        mine = sorted([*same, *near.get(target, ())], key=lambda p: _preference(p, target, orders, p in same))
        files[target] = home / mine[0]
        if mine[0] not in same:
            notes.append(Message("cohort.note-near", {"file": mine[0], "exercise": target}))
        rest = [p for p in mine[1:] if not _same(home / p, home / mine[0])]
        if rest:
            values = {"exercise": target, "file": mine[0], "others": ", ".join(sorted(rest)[:5])}
            notes.append(Message("cohort.note-two", values))
    for path in folders:
        meant, _ = _meant(path, names)
        if meant is not None and meant not in files:
            notes.append(Message("cohort.note-folder", {"file": path}))
    notes += _similar(others, names, files)
    return Found(files, notes)


def unread(notes: Iterable[Message], course: Course, files: Collection[str]) -> Unread:
    """What `notes` say of the exercises' files that are not among `files`."""
    names = wanted(course)
    found, rest = Unread(), None
    for note in notes:
        target, _ = _meant(str(note.values.get("file", "")), names)
        if target is not None and target not in files and note.key in (*NO_FILES, UNREADABLE):
            found.files.setdefault(target, note)
        elif note.key == CLOSED or note.key.startswith(PACKED):
            rest = rest or note
    return replace(found, rest=rest)


def answered(home: Path, course: Course) -> set[str]:
    """The course's names of the files beneath `home` that answer an exercise, by name alone. Everybody predicts: that
    tells no two apart."""
    names = wanted(course)
    found = set()
    with suppress(OSError):  # what cannot be read stops nobody here, and is said where it is gathered
        found |= {_meant(path, names)[0] for path in _files(home, [])}
    return {name for name in found if name is not None and name != PREDICTIONS}


def nothing(home: Path) -> Message:
    """What is said where nothing answers an exercise: what there is instead."""
    names = list(_files(home, []))
    if not names:
        return Message("cohort.note-empty")
    shown = ", ".join(names[:MOST_NAMES]) + (", ..." if len(names) > MOST_NAMES else "")
    return Message("cohort.note-nothing", {"names": shown})


def text_of(path: Path, name: str, notes: list[Message]) -> bytes:
    """What is graded of a file: its bytes, without a byte-order mark. Text in UTF-16, or as editors on Windows once
    saved it, becomes UTF-8."""
    with path.open("rb") as file:
        data = file.read(SOURCE_BYTES + 1)
    if data.startswith(_POINTER):
        notes.append(Message("cohort.note-lfs", {"file": name}))
    for mark, encoding in _UNICODE:
        if data.startswith(mark):
            text = data.decode(encoding, "replace")
            notes.append(Message("cohort.note-mark", {"file": name, "encoding": encoding.upper().removesuffix("-SIG")}))
            return text.encode()
    if not data.strip():
        notes.append(Message("cohort.note-empty-file", {"file": name}))
    if len(data) > SOURCE_BYTES:
        notes.append(Message("cohort.note-large-file", {"file": name}))
        return data
    if b"\r" in data and b"\n" not in data:  # lines as Macs once ended them, which compilers take for one
        data = data.replace(b"\r", b"\n")
        notes.append(Message("cohort.note-line-ends", {"file": name}))
    for first, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        if data[first:16:2] == bytes(8):  # every other byte of what begins with eight letters of ASCII
            notes.append(Message("cohort.note-utf16", {"file": name}))
            return data.decode(encoding, "replace").encode()
    if not _is_utf8(data) and not any(byte < 32 and byte not in b"\t\n\f\r" for byte in data):
        notes.append(Message("cohort.note-windows", {"file": name}))
        return data.decode("cp1252", "replace").encode()
    return data


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _own_folder(home: Path, course: Course, notes: list[Message]) -> Path:
    """The folder in which a student worked: in a checkout of the course the one in learners/ that they brought."""
    for at in (home, *(p for p in _folders(home) if not p.is_symlink())):
        learners = at / "learners"
        if os.path.isdir(at / "labs") and learners.is_dir() and not learners.is_symlink():
            theirs = [p for p in _folders(learners) if not (course.root / "learners" / p.name).is_dir()]
            theirs = theirs or list(_folders(learners))
            current = learners / ".current"
            if len(theirs) > 1 and current.is_file() and not current.is_symlink():
                with current.open("rb") as file:
                    named = file.read(200).decode("utf-8", "replace").strip()
                theirs = [p for p in theirs if p.name == named] or theirs
            if len(theirs) == 1:
                notes.append(Message("cohort.note-checkout", {"folder": f"learners/{theirs[0].name}"}))
                return theirs[0]
            if theirs:
                names = ", ".join(p.name for p in theirs[:5])
                notes.append(Message("cohort.note-which-learner", {"names": names}))
    return home


def _folders(at: Path) -> list[Path]:
    return sorted(p for p in at.iterdir() if p.is_dir() and not p.is_symlink() and not p.name.startswith("."))


def _files(home: Path, notes: list[Message], folders: list[str] | None = None) -> Iterator[str]:
    """The plain files beneath a folder, as paths from it; a link is said and left alone. The folders that were looked
    into go to `folders`."""
    seen = 0
    checkout = os.path.isdir(home / "labs") and os.path.isdir(home / "solutions")  # False where nobody may look
    for folder, inner, names in os.walk(home, onerror=lambda error: notes.append(unreadable(error))):
        at = Path(folder).relative_to(home)
        hidden = {d for d in inner if d.startswith(".") or junk(d) or (Path(folder) / d).is_symlink()}
        hidden |= set(_NOT_THEIRS) if checkout and at == Path() else set()
        inner[:] = sorted(set(inner) - hidden)
        if inner and len(at.parts) >= DEEPEST:
            notes.append(Message("cohort.note-deep", {"folder": at.as_posix(), "most": DEEPEST}))
            inner.clear()
        if folders is not None:
            folders += [(at / name).as_posix() for name in inner]
        if ".gitmodules" in names:
            notes.extend(_not_cloned(Path(folder)))
        for name in sorted(names):
            path = at / name
            if junk(name) or name.startswith("."):
                continue
            if (home / path).is_symlink():
                notes.append(Message("cohort.note-link", {"file": str(path)}))
            elif (home / path).is_file():
                seen += 1
                if seen > MOST_FILES:
                    notes.append(Message("cohort.note-many", {"most": MOST_FILES}))
                    return
                yield path.as_posix()
            else:
                notes.append(Message("cohort.note-no-file", {"file": str(path)}))


def _not_cloned(folder: Path) -> Iterator[Message]:
    """The submodules of a clone that hold nothing: it was cloned without them."""
    listed = folder / ".gitmodules"
    if listed.is_symlink() or not listed.is_file():
        return
    with listed.open("rb") as file:
        text = file.read(SOURCE_BYTES).decode("utf-8", "replace")
    for found in re.findall(r"^[ \t]*path[ \t]*=[ \t]*(\S[^\n]{0,200})$", text, re.MULTILINE)[:MOST_NAMES]:
        inner = folder / found.strip()
        if not os.path.isdir(inner) or os.path.islink(inner) or not inner.is_relative_to(folder):
            continue  # no folder either where the name is one that no system takes
        if not any(inner.iterdir()):
            yield Message("cohort.note-submodule", {"folder": found.strip()})


def _meant(path: str, names: Mapping[str, str]) -> tuple[str | None, bool]:
    """The course's name of a file, and whether it has exactly that name."""
    name = PurePosixPath(path).name
    if name in names:
        return names[name], True
    plain = {_plain(n): full for n, full in names.items()}
    return plain.get(_plain(name)), False


@lru_cache(maxsize=1024)  # the course's names come again with each file
def _plain(name: str) -> str:
    """A name without what editors, systems and haste do to it: "Vector-Add (1).CU.txt" -> "vector_add.cu"."""
    low = name.strip(" .\t").lower()
    low = _FIRST.sub("", low)
    for wrong in (".txt", ".text", ".download", ".cpp", ".c", ".h"):
        if low.endswith((f".cu{wrong}", f".py{wrong}", f".md{wrong}", f".json{wrong}")):
            low = low.removesuffix(wrong)
    if low.endswith(".cuda"):
        low = low.removesuffix("da")
    stem, dot, suffix = low.rpartition(".")
    while (shorter := _COPIES.sub("", stem)) != stem:
        stem = shorter
    return re.sub(r"[\s_-]+", "_", stem.strip()) + dot + suffix


def _preference(path: str, target: str, orders: Mapping[str, int], same: bool) -> tuple[int, bool, bool, int, str]:
    """The one handed in last first, then that with exactly the name, at its place, the nearest to the top."""
    return -orders.get(path.split("/")[0], 0), not same, path != target, path.count("/"), path


def _same(one: Path, other: Path) -> bool:
    try:
        return one.stat().st_size == other.stat().st_size <= SOURCE_BYTES and one.read_bytes() == other.read_bytes()
    except OSError:
        return False


def _similar(others: list[str], names: Mapping[str, str], files: Mapping[str, Path]) -> Iterator[Message]:
    """A file that nobody asked for, with a name like that of one that is missing."""
    missing = {n: full for n, full in names.items() if full not in files and full != PREDICTIONS}
    for path in others[:200]:
        name = PurePosixPath(path).name.lower()
        near = difflib.get_close_matches(name, missing, n=1, cutoff=SIMILAR) if len(name) < 80 else []
        if near:
            key = "note-no-text" if name.endswith(_NO_TEXT) else "note-similar"
            yield Message(f"cohort.{key}", {"file": path, "exercise": missing[near[0]]})
