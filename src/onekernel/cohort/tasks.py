"""What is to be graded: a task is one file of one student. Its key is a hash of all that its result depends on, so that
a result that was written down is taken where nothing has changed, and graded again where something has."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import onekernel
from onekernel import __version__, learners
from onekernel.cohort.handed_in import Student
from onekernel.course import Course, Exercise, Lab
from onekernel.errors import UserError
from onekernel.grading.submission import Submission

# What decides about a result: a sentence that is worded better does not.
_MACHINERY = ("backends", "checks", "cuda", "grading", "labs", "minigpt", "ops", "sandbox", "simulator", "triton")


@dataclass(frozen=True)
class Task:
    """One file to grade. `closed` are the folders of the class, which no submission may read."""

    student: str
    exercise: str
    path: Path
    device: str
    seed: int
    predictions: dict[str, str]
    closed: tuple[Path, ...]
    key: str
    timed: bool = False  # it measures speed: alone on its GPU
    on_gpu: bool = False

    @property
    def of(self) -> tuple[str, str]:
        return self.student, self.exercise

    def submission(self, course: Course) -> Submission:
        return Submission(course, course.exercises[self.exercise], self.path, self.device, self.seed, self.predictions,
                          self.closed)  # fmt: skip


def exercises(course: Course, students: Iterable[Student], asked: Sequence[Exercise]) -> tuple[Exercise, ...]:
    """What a class is graded on: what was `asked` for, else the labs of which somebody handed in a file."""
    if asked:
        return tuple(asked)
    there = {file for s in students for file in s.files}
    return tuple(e for lab in course.labs for e in lab.exercises if any(x.file in there for x in lab.exercises))


def make(
    course: Course, students: Sequence[Student], graded: Sequence[Exercise], device: str, seed: int,
    closed: Sequence[Path],
) -> list[Task]:
    """Every task, in the order of the students. Of an elective lab only what somebody has begun: nobody loses points
    that nobody asked for."""
    labs = {e.slug: lab for lab in course.labs for e in lab.exercises}
    machinery = fingerprint(course, graded)
    found = []
    for student in students:
        predictions = _predictions(student)
        for exercise in graded:
            if labs[exercise.slug].elective and not _begun(course, student, exercise):
                continue
            mine = predictions.get(exercise.slug, {})
            on_gpu = device == "cuda" and not exercise.arch and any(c.kind.runs_code for c in exercise.checks)
            facts = [machinery[exercise.slug], device, seed, sorted(mine.items()), _content(student, exercise)]
            key = hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:32]
            found.append(
                Task(student.key, exercise.slug, student.path(exercise.file), device, seed, mine, tuple(closed), key,
                     on_gpu and any(c.kind.needs_gpu for c in exercise.checks), on_gpu)
            )  # fmt: skip
    return found


def fingerprint(course: Course, graded: Iterable[Exercise]) -> dict[str, str]:
    """Exercise -> a hash of what judges it: the lab, the solution, the machinery."""
    package = Path(onekernel.__path__[0])
    machinery = hashlib.sha256(__version__.encode())
    for name in _MACHINERY:
        for path in sorted(p for p in (package / name).rglob("*") if p.is_file() and "__pycache__" not in p.parts):
            machinery.update(str(path.relative_to(package)).encode() + path.read_bytes())
    labs: dict[str, Lab] = {lab.name: lab for lab in course.labs}
    found = {}
    for exercise in graded:
        mine = machinery.copy()
        own = [*sorted(p for p in exercise.home.rglob("*") if p.is_file())] if exercise.home else []
        for path in (labs[exercise.lab].folder / "lab.toml", course.solution(exercise), *own):
            mine.update(path.name.encode() + (path.read_bytes() if path.is_file() else b""))
        found[exercise.slug] = mine.hexdigest()
    return found


def _content(student: Student, exercise: Exercise) -> list[tuple[str, str]]:
    """The hashes of what the exercise's result depends on: its file; where Python is run or read, which may use a
    kernel that lies beside it, all of the student's files."""
    alone = exercise.operator is not None
    files = [exercise.file] if alone else sorted({exercise.file, *student.files})
    return [(f, _hash(student.path(f))) for f in files]


def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "-"


def _begun(course: Course, student: Student, exercise: Exercise) -> bool:
    """Whether somebody handed in the exercise, and not its starter as it stands."""
    path = student.path(exercise.file)
    return path.is_file() and path.read_bytes() not in {t.encode() for t in course.starters(exercise).values()}


def _predictions(student: Student) -> dict[str, dict[str, str]]:
    try:
        return learners.read_predictions(student.home)
    except UserError:
        return {}
