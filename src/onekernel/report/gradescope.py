"""Gradescope's results.json.

Source: Gradescope, "Autograder Specifications, Output format" (gradescope-autograders.readthedocs.io).
"""

from __future__ import annotations

from typing import Any

from onekernel.course import Course
from onekernel.grading.verdicts import NOT_ASSESSED, PASSED, Scorecard
from onekernel.report.text import output, total


def results(card: Scorecard, course: Course) -> dict[str, Any]:
    """The file as JSON values. What this machine cannot assess is listed with no points, neither won nor lost."""
    tests = []
    for result in card.results:
        for verdict in result.verdicts:
            name = f"{result.exercise.slug}: {verdict.check.title}"
            test: dict[str, Any] = {"name": name, "output": output(verdict, course), "visibility": "visible"}
            if verdict.status != NOT_ASSESSED:
                test |= {
                    "score": verdict.earned,
                    "max_score": verdict.check.points,
                    "status": "passed" if verdict.status == PASSED else "failed",
                }
            tests.append(test)
    return {
        "score": card.earned,
        "execution_time": round(sum(r.seconds for r in card.results)),
        "output": str(total(card)),
        "tests": tests,
    }
