"""Grades a class: reads what was handed in, grades what is not graded yet, and gives back every student's scorecard."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from onekernel import doctor
from onekernel.cohort import journal, pool, submissions, tasks
from onekernel.cohort.journal import Journal
from onekernel.cohort.pool import Slots
from onekernel.cohort.submissions import Student
from onekernel.cohort.tasks import Task
from onekernel.course import Course, Exercise
from onekernel.errors import UserError
from onekernel.grading.grader import fresh_seed
from onekernel.grading.verdicts import Result, Scorecard
from onekernel.messages import Message

Grade = Callable[[Sequence[Task]], Iterator[pool.Graded]]
STUDENTS, GRADESCOPES = "students", "gradescope"  # folders of the results; these and `work` are written anew each time


@dataclass(frozen=True)
class Asked:
    """What was asked for on the command line. `exercises` are empty for whatever was handed in."""

    source: Path
    out: Path
    exercises: tuple[Exercise, ...] = ()
    device: str = "auto"
    seed: int | None = None
    jobs: int = 1
    due: datetime.datetime | None = None


@dataclass
class Class:
    """A class at work: who, what, and how far."""

    course: Course
    asked: Asked
    layout: str
    students: tuple[Student, ...]
    exercises: tuple[Exercise, ...]
    device: str
    note: Message | None
    journal: Journal
    tasks: list[Task]
    notes: tuple[Message, ...] = ()  # on what is no student's

    @property
    def results(self) -> Mapping[tuple[str, str], dict[str, Any]]:
        """What is graded, by student and exercise."""
        return self.journal

    @property
    def todo(self) -> list[Task]:
        """What is not graded yet, in the order of the students."""
        return [t for t in self.tasks if t.of not in self.results]

    @property
    def complete(self) -> bool:
        return not self.todo

    def card(self, student: Student) -> Scorecard:
        """The student's results so far, in the course's order."""
        mine = (self.results.get((student.key, e.slug)) for e in self.exercises)
        return Scorecard.of(self._restored(student, data) for data in mine if data)

    def _restored(self, student: Student, data: Mapping[str, Any]) -> Result:
        return journal.steady(journal.restored(data, self.course, student.home))


@contextmanager
def opened(course: Course, asked: Asked) -> Iterator[Class]:
    """The class, with what an earlier run has graded of it. Raises UserError for what is none, Unavailable where what
    would run the kernels cannot be trusted."""
    source, out = asked.source.resolve(), asked.out.resolve()
    if out == source or out.is_relative_to(source):
        raise UserError(Message.of("cohort.out-inside", out=asked.out, source=asked.source))
    _leave_alone(source, out)
    with journal.opened(out, asked.seed, fresh_seed()) as book:
        brought = submissions.read(source, course, out)
        before = {student for student, _ in book}
        if before and before.isdisjoint(s.key for s in brought.students):
            raise UserError(Message.of("cohort.out-of-others", out=out, source=asked.source, one=min(before)))
        graded = tasks.exercises(course, brought.students, asked.exercises)
        if not graded:
            raise UserError(Message.of("cohort.nothing-known", source=asked.source))
        there = {file for s in brought.students for file in s.files}
        device, note = doctor.settle(course, [e for e in graded if e.file in there], asked.device)
        closed = (source, out)
        every = tasks.make(course, brought.students, graded, device, book.seed, closed)
        known = book.only({t.of: t.key for t in every}, course)
        yield Class(course, asked, brought.layout, brought.students, graded, device, note, known, every,
                    brought.notes)  # fmt: skip


def _leave_alone(source: Path, out: Path) -> None:
    """Raises UserError where a folder that is written anew is somebody's own: the submissions themselves, say."""
    for mine in (out / name for name in (submissions.WORK, STUDENTS, GRADESCOPES)):
        theirs = mine.exists() and not (out / journal.NAME).exists()
        if theirs or mine.is_symlink() or source == mine or source.is_relative_to(mine):
            raise UserError(Message.of("cohort.out-taken", folder=mine, out=out))


def grade(cohort: Class, said: pool.Said = lambda message: None, by: Grade | None = None) -> Iterator[Task]:
    """Grades what is not graded yet; each task as its result is written down. `by` is what grades: the processes of
    this machine, where it is not said. Raises MachineFault, by which nobody is scored."""
    grader = by or (lambda todo: pool.graded(todo, cohort.course.root, cohort.asked.jobs, Slots.here(), said))
    for done in grader(cohort.todo):
        cohort.journal.add(*done.task.of, done.task.key, done.result, done.took)
        yield done.task
