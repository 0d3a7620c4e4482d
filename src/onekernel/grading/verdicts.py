"""What grading concludes: a verdict a check, a result an exercise, a scorecard a learner. Plain data that prints."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from onekernel.course import Check, Exercise
from onekernel.messages import Message, say

PASSED, PARTIAL, FAILED = "passed", "partial", "failed"
NOT_ASSESSED = "not-assessed"  # this machine cannot: never passed, never failed
UNTOUCHED = "untouched"  # the file is still the starter
NAMED = ("simulator", "interpreter")  # where a file ran, if that is a word: "cuda" and "cpu" stay in all languages
STATUSES = (PASSED, PARTIAL, FAILED, NOT_ASSESSED, UNTOUCHED)
MAX_FAILURES = 3  # a check shows that many of its failures: the first ones explain, the rest repeat


def place(ran_on: str) -> str:
    """Where a file ran, or what a run was asked to run on, as one reads it in the language in force."""
    return say(f"grading.on-{ran_on}") if ran_on in NAMED else ran_on


@dataclass(frozen=True)
class Failure:
    """Why points were lost: one sentence, the input it happened on, the line, the chapter that explains it ("" for a
    sentence that leads back to another failure's)."""

    message: Message
    chapter: str
    case: str | None = None
    about: Message | None = None
    file: str | None = None
    line: int | None = None
    code: str = "wrong"
    see: str | None = None  # a command that shows more of it

    def to_json(self) -> dict[str, Any]:
        return {
            "code": self.code,
            "message": self.message.text(),
            "case": self.case,
            "input": self.about.text() if self.about else None,
            "file": self.file,
            "line": self.line,
            "chapter": self.chapter,
            "see": self.see,
        }


@dataclass(frozen=True)
class Verdict:
    """One check's outcome. `earned` is between 0 and the check's points; `note` tells a measured figure, `details`
    tell the rest of what was measured, a sentence each; `groups` how many inputs of each group failed, of how many."""

    check: Check
    status: str
    earned: float = 0.0
    failures: tuple[Failure, ...] = ()
    note: Message | None = None
    details: tuple[Message, ...] = ()
    groups: tuple[tuple[str, int, int], ...] = ()

    @property
    def settled(self) -> bool:
        """Whether nothing is left to do: passed, not to be had on this machine, or a prediction, which stays."""
        judged = bool(self.failures) and all(f.code == "prediction" for f in self.failures)
        return self.status in (PASSED, NOT_ASSESSED) or judged

    def to_json(self) -> dict[str, Any]:
        return {
            "check": self.check.id,
            "title": str(self.check.title),
            "status": self.status,
            "earned": self.earned,
            "points": self.check.points,
            "note": self.note.text() if self.note else None,
            "details": [d.text() for d in self.details],
            "failures": [f.to_json() for f in self.failures],
        }


@dataclass(frozen=True)
class Result:
    """One exercise's outcome: its verdicts, and what a reader needs to repeat it."""

    exercise: Exercise
    verdicts: tuple[Verdict, ...]
    backend: str
    seed: int
    seconds: float = 0.0
    ran_on: str = "-"  # see Submission.ran_on
    open_walls: tuple[str, ...] = ()  # of the sandbox, which did not stand while it ran
    untold: tuple[str, ...] = ()  # errors of ours for which a cause is not told: see grading.untold

    @property
    def earned(self) -> float:
        return sum(v.earned for v in self.verdicts)

    @property
    def assessed(self) -> int:
        """The points that this machine could give."""
        return sum(v.check.points for v in self.verdicts if v.status != NOT_ASSESSED)

    @property
    def fails(self) -> bool:
        """Whether there is something to mend: a check failed, in part too, and not by a prediction, which stays."""
        return any(v.status in (FAILED, PARTIAL) and not v.settled for v in self.verdicts)

    @property
    def not_graded(self) -> tuple[Check, ...]:
        """The checks that it says nothing of: those behind the first that fails, where it was to stop there."""
        told = {v.check.id for v in self.verdicts}
        return tuple(c for c in self.exercise.checks if c.id not in told)

    @property
    def solved(self) -> bool:
        """Whether the exercise is done: something was assessed, and every check of it is settled."""
        return self.assessed > 0 and all(v.settled for v in self.verdicts)

    @property
    def status(self) -> str:
        """The worst of its checks' statuses; but in part once every result is right and there are points."""
        found = {v.status for v in self.verdicts} - {NOT_ASSESSED}
        correct = {v.status for v in self.verdicts if v.check.kind.shows_right}
        if FAILED in found and correct == {PASSED} and self.earned > 0:
            return PARTIAL
        for status in (FAILED, UNTOUCHED, PARTIAL, PASSED):
            if status in found:
                return status
        return NOT_ASSESSED

    def to_json(self) -> dict[str, Any]:
        return {
            "exercise": self.exercise.slug,
            "lab": self.exercise.lab,
            "status": self.status,
            "solved": self.solved,
            "earned": self.earned,
            "assessed": self.assessed,
            "points": self.exercise.points,
            "backend": self.backend,
            "device": self.ran_on,
            "seed": self.seed,
            "seconds": round(self.seconds, 3),
            "open_walls": list(self.open_walls),
            "untold": list(self.untold),
            "verdicts": [v.to_json() for v in self.verdicts],
        }


@dataclass(frozen=True)
class Scorecard:
    """The results of several exercises, with their sums."""

    results: tuple[Result, ...]

    @classmethod
    def of(cls, results: Iterable[Result]) -> Scorecard:
        return cls(tuple(results))

    @property
    def earned(self) -> float:
        return sum(r.earned for r in self.results)

    @property
    def assessed(self) -> int:
        return sum(r.assessed for r in self.results)

    @property
    def points(self) -> int:
        return sum(r.exercise.points for r in self.results)

    @property
    def open_walls(self) -> tuple[str, ...]:
        """The walls of the sandbox that did not stand while one of them ran."""
        return tuple(dict.fromkeys(wall for r in self.results for wall in r.open_walls))

    @property
    def complete(self) -> bool:
        """Whether everything that this machine can assess has passed."""
        return all(r.status in (PASSED, NOT_ASSESSED) for r in self.results)

    def to_json(self) -> dict[str, Any]:
        return {
            "earned": self.earned,
            "assessed": self.assessed,
            "points": self.points,
            "open_walls": list(self.open_walls),
            "results": [r.to_json() for r in self.results],
        }
