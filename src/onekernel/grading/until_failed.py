"""Grades a file check by check, as far as the first one that fails: what `onekernel check --first` does."""

from __future__ import annotations

from dataclasses import replace

from onekernel.grading.grader import grade
from onekernel.grading.submission import Submission
from onekernel.grading.verdicts import Result


def grade_until_failed(s: Submission) -> Result:
    """As `grade`, without the checks behind the first that fails. Each has the file run by itself; where none fails,
    all are graded together: what a file keeps from one to another, or runs out of, shows there: that is the score."""
    results: list[Result] = []
    for check in s.exercise.checks:
        results.append(grade(replace(s, exercise=replace(s.exercise, checks=(check,)), whole=s.exercise)))
        if results[-1].fails:
            break
    else:
        results.append(grade(s))
        return replace(results[-1], seconds=sum(r.seconds for r in results))
    return replace(
        results[-1],
        exercise=s.exercise,
        verdicts=tuple(v for r in results for v in r.verdicts),
        seconds=sum(r.seconds for r in results),
        ran_on=s.ran_on,
        open_walls=tuple(dict.fromkeys(wall for r in results for wall in r.open_walls)),
    )
