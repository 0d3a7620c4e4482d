"""Collectors and items of pytest: a starter, a lab, an exercise of a student, a check."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from onekernel import gaps
from onekernel.course import Check, Exercise
from onekernel.errors import UserError
from onekernel.grading.verdicts import NOT_ASSESSED, PASSED, UNTOUCHED, Result, Verdict, place
from onekernel.messages import say, written
from onekernel.pytest_run.run import Run
from onekernel.report import text as reports
from onekernel.sandbox import machine
from onekernel.sandbox.machine import MachineFault

YOURS = ("onekernel", "yours to solve")  # the property of a report that is neither passed nor failed


class StarterFile(pytest.File):
    """A starter in kernels/ of the course at `root`."""

    def __init__(self, *, root: Path, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.root = root

    def collect(self) -> Iterator[pytest.Item]:
        yield StarterItem.from_parent(self, name=self.path.stem)


class Told(Exception):
    """A failure whose text is all there is to say: no traceback."""


class _PlainItem(pytest.Item):
    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, (Told, UserError)):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def yours(self) -> None:
        """Ends the item as neither passed nor failed."""
        self.user_properties.append(YOURS)
        pytest.skip(say("grading.status-untouched"))


class StarterItem(_PlainItem):
    """An unsolved starter: neither passed nor failed. One that was edited in place is a failure."""

    def runtest(self) -> None:
        assert isinstance(self.parent, StarterFile)
        solution = self.parent.root / "solutions" / self.path.name
        if not solution.is_file() or self.path.read_bytes() != gaps.starter(solution.read_text(), solution).encode():
            raise Told(say("plugin.edited-starter", file=self.path.name))
        self.yours()

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, self.name


class LabFile(pytest.File):
    """A lab: its exercises, once for each student."""

    def __init__(self, *, run: Run, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.run = run

    def collect(self) -> Iterator[pytest.Collector]:
        lab = next(lab for lab in self.run.course.labs if lab.folder == self.path.parent)
        for student in self.run.students:
            for exercise in lab.exercises:
                if lab.elective and not self._begun(student, exercise):
                    continue  # nobody loses points that nobody asked for
                name = f"{student}.{exercise.slug}" if len(self.run.students) > 1 else exercise.slug
                yield ExerciseCollector.from_parent(
                    self, name=name, run=self.run, student=student, exercise=exercise
                )


    def _begun(self, student: str, exercise: Exercise) -> bool:
        """Whether a student handed in the exercise, and not its starter as it stands."""
        path = self.run.students[student] / exercise.file
        if not path.is_file():
            return os.path.lexists(path)  # to be refused, in words
        return not self.run.course.untouched(exercise, path)


class ExerciseCollector(pytest.Collector):
    """One file of one student, graded once, when the first of its checks is asked for."""

    def __init__(self, *, run: Run, student: str, exercise: Exercise, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.run, self.student, self.exercise = run, student, exercise
        self._result: Result | None = None

    def collect(self) -> Iterator[pytest.Item]:
        for check in self.exercise.checks:
            yield CheckItem.from_parent(self, name=check.id.split(".", 1)[1], check=check)

    def result(self) -> Result:
        if self._result is None:
            self._result = self.run.grade(self.student, self.exercise)
        return self._result


class CheckItem(_PlainItem):
    """One check: passed, failed with its verdict's text, or skipped where it was not assessed."""

    def __init__(self, *, check: Check, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.check = check

    def runtest(self) -> None:
        assert isinstance(self.parent, ExerciseCollector)
        try:
            result = self.parent.result()
        except (MachineFault, OSError, MemoryError) as error:
            fault = error if isinstance(error, MachineFault) else machine.of_error(error)
            self.parent.run.stopped = fault.message
            self.session.shouldstop = str(fault)
            pytest.skip(str(fault))
        verdict = next(v for v in result.verdicts if v.check.id == self.check.id)
        self.user_properties += [
            ("learner", self.parent.student),
            ("exercise", result.exercise.slug),
            ("check", str(self.check.title)),
            ("status", verdict.status),
            ("earned", f"{verdict.earned:g}"),
            ("points", str(self.check.points)),
            ("backend", result.backend),
            ("device", result.ran_on),
            ("seed", str(result.seed)),
            *([("open_walls", " ".join(result.open_walls))] if result.open_walls else []),
        ]
        if verdict.status == UNTOUCHED:
            self.yours()
        if verdict.status == NOT_ASSESSED:
            pytest.skip(str(reports.why_not_assessed(verdict)))
        if verdict.status != PASSED:
            raise Told(self._text(self.parent.run, result, verdict))

    def _text(self, run: Run, result: Result, verdict: Verdict) -> str:
        head = f"{self.check.title}: {written(verdict.earned, 'g')} / {self.check.points}"
        head += f" ({place(result.ran_on)})" if result.ran_on != "-" else ""
        assert isinstance(self.parent, ExerciseCollector)
        again = run.replay(self.parent.student, result.exercise)
        return "\n".join([head, *reports.lines(verdict, run.course, again)])

    def reportinfo(self) -> tuple[Path, None, str]:
        assert isinstance(self.parent, ExerciseCollector)
        return self.path, None, f"{self.parent.name}: {self.check.title}"
