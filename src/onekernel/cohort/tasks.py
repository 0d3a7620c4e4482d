"""What is to be graded: a task is one file of one student."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from onekernel import learners
from onekernel.cohort.keys import Keys
from onekernel.cohort.submissions import Student
from onekernel.course import Course, Exercise
from onekernel.errors import UserError
from onekernel.grading.submission import Submission
from onekernel.messages import Message


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
    on_gpu: bool = False
    unread: Message | None = None  # why there is no file at `path`, though something was handed in

    @property
    def of(self) -> tuple[str, str]:
        return self.student, self.exercise

    def submission(self, course: Course) -> Submission:
        return Submission(course, course.exercises[self.exercise], self.path, self.device, self.seed, self.predictions,
                          self.closed, unread=self.unread)  # fmt: skip


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
    keys = Keys(course, graded, device, seed)
    found = []
    for student in students:
        predictions = _predictions(student)
        for exercise in graded:
            if labs[exercise.slug].elective and not begun(course, student, exercise):
                continue
            mine = predictions.get(exercise.slug, {})
            on_gpu = device == "cuda" and exercise.uses_gpu
            found.append(
                Task(student.key, exercise.slug, student.path(exercise.file), device, seed, mine, tuple(closed),
                     keys.of(student, exercise, mine), on_gpu, student.unread_of(exercise.file))
            )  # fmt: skip
    return found


def begun(course: Course, student: Student, exercise: Exercise) -> bool:
    """Whether somebody handed in the exercise, and not its starter as it stands."""
    path = student.path(exercise.file)
    if exercise.file in student.unread.files:
        return True
    return path.is_file() and not course.untouched(exercise, path)


def _predictions(student: Student) -> dict[str, dict[str, str]]:
    try:
        return learners.read_predictions(student.home)
    except UserError:
        return {}
