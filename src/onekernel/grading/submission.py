"""One file to grade: where it is, what it answers, what runs it."""

from __future__ import annotations

import glob
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from onekernel.course import Check, Course, Exercise
from onekernel.grading.buffers import Call
from onekernel.messages import Message
from onekernel.ops import OPERATORS, Operator
from onekernel.sandbox.supervisor import CallOutcome

ENDLESS = "time-limit"
SYMPTOMS = ("values", "nan", "row-sum", "unwritten", "guard")  # what the bytes say: that they are wrong, never where
ERRORS = "01-06-errors#errors"
SOURCE_BYTES = 1 << 20  # the longest file that is graded, and that a line is shown of
Ran = list[tuple[Call, CallOutcome]]


@dataclass(frozen=True)
class Submission:
    """One file to grade: where it is, what it answers, what runs it. `predictions` are as the learner wrote them;
    `closed` are folders that hold what a class handed in, of which it may read its own alone. `known_right`: it is the
    course's own, by which a machine is tried, and NVIDIA's compiler need not be asked of it. `whole` is the exercise
    where `exercise` has some of its checks alone, which are judged as among all. `unread` says why there is no file at
    `path`, though something was handed in: it costs the points, or keeps them open."""

    course: Course
    exercise: Exercise
    path: Path
    device: str  # "cuda" or "simulator"
    seed: int
    predictions: Mapping[str, str] = field(default_factory=dict)
    closed: tuple[Path, ...] = ()
    known_right: bool = False
    whole: Exercise | None = None
    unread: Message | None = None

    @property
    def backend(self) -> str:
        """What runs the file: Triton files have one backend, compiled on a GPU and interpreted without one."""
        if self.path.suffix == ".py":
            return "triton" if self.exercise.operator else "python"
        return "simulator" if self.exercise.arch else self.device

    @property
    def every_check(self) -> tuple[Check, ...]:
        """The checks of the whole exercise."""
        return (self.whole or self.exercise).checks

    @property
    def ran_on(self) -> str:
        """Where its code runs, in a word: "cuda", "simulator", Triton's "interpreter", "cpu"; "-" for a file that is
        only read."""
        if self.backend == "triton":
            return "cuda" if self.device == "cuda" else "interpreter"
        if self.backend == "python" or not self.exercise.operator:
            runs = any(check.kind.runs_code for check in self.exercise.checks)
            return ("cuda" if self.device == "cuda" and self.exercise.uses_gpu else "cpu") if runs else "-"
        return self.backend

    @property
    def hidden(self) -> list[Path]:
        """What the file may not read: the course's answers, tests and history, and what others handed in."""
        root, mine = self.course.root, self.path.resolve()
        homes = {e.home.parent for e in self.course.exercises.values() if e.home}
        beside = () if self.closed else mine.parent.parent.glob(f"*/{glob.escape(mine.name)}")
        others = {p.parent for p in beside} - {mine.parent} | set(self.closed)
        ours = (root / name for name in ("solutions", "tests", "learners", "audits", ".git"))
        return [*ours, *homes, *sorted(others)]

    def text(self) -> str:
        """The file as it stands; it was found to be UTF-8 before anything was run."""
        return self.path.read_text(encoding="utf-8")

    @property
    def operator(self) -> Operator:
        """The exercise's operator. Raises KeyError for one that the course does not have."""
        made: Operator | None = self.exercise.made
        return made or OPERATORS[self.exercise.operator or ""]


def trial(submission: Submission) -> tuple[Check, ...]:
    """The checks by which a solution that is known to be right tries a machine; of a Triton file, whose interpreter
    takes its time, the one with the fewest calls."""
    right = tuple(check for check in submission.exercise.checks if check.kind.shows_right)
    if submission.backend == "triton" and submission.device != "cuda":
        return (min(right, key=lambda check: len(check.kind.plan(submission, check))),)
    return right
