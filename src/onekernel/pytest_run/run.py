"""Whom a run of pytest grades, on what device, and what came of it."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest

from onekernel import doctor, learners
from onekernel.course import Course, Exercise
from onekernel.errors import UserError
from onekernel.grading.grader import fresh_seed, grade
from onekernel.grading.submission import Submission
from onekernel.grading.verdicts import Result
from onekernel.labs.reader import load
from onekernel.messages import Message
from onekernel.report import classroom
from onekernel.sandbox import confinement
from onekernel.sandbox.process import end_on_signals

SEED = "onekernel-seed"
WHOSE = ("learner", "submission", "submissions")


class Run:
    """What this run grades, with what, and what came of it. Raises UserError for a command line that cannot be."""

    def __init__(self, config: pytest.Config, root: Path) -> None:
        self.config, self.root = config, root
        self.results: dict[str, list[Result]] = {}
        self.stopped: Message | None = None  # why this machine could not grade all of it
        given_on = getattr(config, "workerinput", {}).get(SEED)  # by the process that started this one: xdist
        self.seed: int | None = config.getoption("--grading-seed", None) if given_on is None else given_on
        given = {w: config.getoption(f"--{w}", None) for w in WHOSE}
        if sum(v is not None for v in given.values()) > 1:
            raise UserError(Message.of("plugin.choose-one"))
        self.students = self._students(given)
        for export in ("gradescope", "classroom"):
            if config.getoption(f"--{export}", None) and len(self.students) != 1:
                raise UserError(Message.of("plugin.one-student", export=export))
            if config.getoption(f"--{export}", None) and config.getoption("numprocesses", None):
                raise UserError(Message.of("plugin.one-process", export=export))
        unset = [v for v in classroom.VARIABLES if not os.environ.get(v)]
        if config.getoption("--classroom", None) and unset:
            raise UserError(Message.of("plugin.classroom-unset", names=", ".join(unset)))

    def _students(self, given: dict[str, str | None]) -> dict[str, Path]:
        """Name -> folder; empty where nobody is graded."""
        if given["learner"]:
            learner = learners.existing(self.root, given["learner"])
            return {learner.name: learner.folder}
        folder = Path(given["submission"] or given["submissions"] or ".").absolute()
        if not folder.is_dir():
            raise UserError(Message.of("plugin.no-folder", folder=folder))
        if given["submission"]:
            return {folder.name: folder}
        if given["submissions"]:
            found = {p.name: p for p in sorted(folder.iterdir()) if p.is_dir() and not p.name.startswith(".")}
            odd = [name for name in found if not name.isprintable()]
            if odd:
                raise UserError(Message.of("plugin.odd-name", folder=folder, name=repr(odd[0])))
            if not found:
                raise UserError(Message.of("plugin.no-students", folder=folder))
            return found
        return {}

    def prepare(self) -> None:
        """Reads the course and settles the device. Raises UserError where a backend cannot be trusted."""
        end_on_signals()
        if self.config.getoption("--require-sandbox", False):
            confinement.require()
        self.course: Course = load(self.root)
        asked = self.config.getoption("--device", "auto")
        self.device, _ = doctor.settle(self.course, self.course.exercises.values(), asked)
        self.seed = fresh_seed() if self.seed is None else self.seed

    def grade(self, student: str, exercise: Exercise) -> Result:
        folder = self.students[student]
        try:
            predictions = learners.read_predictions(folder).get(exercise.slug, {})
        except UserError:
            predictions = {}
        assert self.seed is not None
        path = folder / exercise.file
        result = grade(Submission(self.course, exercise, path, self.device, self.seed, predictions))
        self.results.setdefault(student, []).append(result)
        return result

    def replay(self, student: str, exercise: Exercise) -> str:
        """The command that grades that student's exercise again, on the same inputs."""
        whose = next(w for w in WHOSE if self.config.getoption(f"--{w}"))
        given = self.config.getoption(f"--{whose}")
        if whose == "submissions":
            whose, given = "submission", str(Path(given) / student)
        return f"pytest {shlex.quote(f'--{whose}={given}')} -k {exercise.slug} --grading-seed {self.seed}"
