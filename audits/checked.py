"""A file graded as `onekernel check` does it, and whether any result of it is wrong."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from onekernel.grading.grader import grade
from onekernel.grading.submission import Submission
from onekernel.grading.verdicts import PASSED, Result
from onekernel.labs.reader import load


def graded(root: Path, slug: str, path: Path, on: str, seed: int, *, results_alone: bool = False) -> Result:
    """What the checks of the exercise `slug` say of the file; with `results_alone` those that show a right one.
    An error of ours that hides a cause is told on standard error."""
    course = load(root)
    exercise = course.exercises[slug]
    if results_alone:
        exercise = replace(exercise, checks=tuple(c for c in exercise.checks if c.kind.shows_right))
    result = grade(Submission(course, exercise, path.resolve(), on, seed))
    for error in result.untold:
        print(f"{path.name}: {error}", file=sys.stderr)
    return result


def refused(result: Result) -> bool:
    """Whether a check that shows a right file has not passed."""
    return any(v.status != PASSED for v in result.verdicts if v.check.kind.shows_right)
