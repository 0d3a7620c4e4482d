"""Gradescope's results.json.

Source: Gradescope, "Autograder Specifications, Output format" (gradescope-autograders.readthedocs.io).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from onekernel.course import Course
from onekernel.grading.verdicts import NOT_ASSESSED, PASSED, Result, Scorecard, Verdict
from onekernel.messages import Message
from onekernel.report import disclosure
from onekernel.report.text import open_walls, output, total

VISIBLE, HIDDEN, AFTER_DUE, AFTER_PUBLISHED = "visible", "hidden", "after_due_date", "after_published"
VISIBILITIES = (VISIBLE, HIDDEN, AFTER_DUE, AFTER_PUBLISHED)


def of_student(
    card: Scorecard, course: Course, home: Path, notes: Sequence[Message] = (), visibility: str = VISIBLE
) -> dict[str, Any]:
    """The file for a student whose files lie in `home` and whose inputs stay hidden. Without times, so that equal
    results are equal files."""
    tests = _tests(card, course, replace(course, root=home), visibility)  # places in a file are told from there
    said = "\n".join(str(m) for m in (total(card), open_walls(card), *notes) if m)
    return {"score": card.earned, "output": said, "visibility": visibility, "stdout_visibility": HIDDEN, "tests": tests}


def _tests(card: Scorecard, course: Course, theirs: Course, visibility: str) -> list[dict[str, Any]]:
    """Each check's points and kind of failure with `visibility`, and for instructors alone a test without points that
    says which inputs failed and how."""
    tests = []
    for result in card.results:
        for verdict in result.verdicts:
            test = _test(result, verdict, disclosure.text(verdict), visibility)
            tests.append(test)
            if verdict.failures:
                tests.append({"name": f"{test['name']} (+)", "output": output(verdict, theirs), "visibility": HIDDEN})
    return tests


def _test(result: Result, verdict: Verdict, said: str, visibility: str) -> dict[str, Any]:
    """One check; without points where this machine cannot assess it."""
    name = f"{result.exercise.slug}: {verdict.check.title}"
    test: dict[str, Any] = {"name": name, "output": said, "visibility": visibility}
    if verdict.status != NOT_ASSESSED:
        test |= {
            "score": verdict.earned,
            "max_score": verdict.check.points,
            "status": "passed" if verdict.status == PASSED else "failed",
        }
    return test


def results(card: Scorecard, course: Course) -> dict[str, Any]:
    """The file as JSON values. What this machine cannot assess is listed with no points, neither won nor lost."""
    return {
        "score": card.earned,
        "execution_time": round(sum(r.seconds for r in card.results)),
        "output": "\n".join(str(m) for m in (total(card), open_walls(card)) if m),
        "stdout_visibility": HIDDEN,
        "tests": _tests(card, course, course, VISIBLE),
    }
