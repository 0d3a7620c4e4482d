"""Where a class begins, in a folder or an archive that holds nothing but one more folder: there, or is that folder one
student's? The names of the exercises inside decide: students answer the same ones, the folders of one student do not.
"""

from __future__ import annotations

import re
from pathlib import Path

from onekernel.cohort import archives, layouts, matching
from onekernel.course import Course
from onekernel.errors import UserError
from onekernel.messages import Message

_LISTS = (".csv", ".xlsx", ".xls", ".ods")  # of names or marks, which teachers lay beside the submissions
# What a student calls folders of their own: nobody's name.
_OWN = re.compile(
    r"(?:(?:lab|week|semana|practica|práctica|tarea|assignment|hw|homework|ejercicio|exercise)s?|practice|v|version|"
    r"versión|old|new|final|backup|copy|copia|draft|src|kernels|triton|cuda|docs|notes|notas)?[\s_-]*\d{0,2}"
)


def where(folder: Path, course: Course, notes: list[Message]) -> Path:
    """The folder of the class. What was assumed on the way, where it is a guess, is added to the `notes`."""
    entries = _entries(folder)
    if len(entries) != 1 or not entries[0].is_dir() or entries[0].is_symlink():
        return folder
    if layouts.pieces(folder)[0] != layouts.FOLDERS:
        return folder
    only = entries[0]
    deeper = where(only, course, notes)
    if deeper != only or layouts.pieces(only)[0] != layouts.FOLDERS:
        return deeper
    theirs = [p for p in _entries(only) if p.suffix.lower() not in _LISTS]
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


def refuse_one(folder: Path, source: Path, course: Course) -> None:
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
