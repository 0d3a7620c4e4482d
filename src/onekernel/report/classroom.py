"""Classroom 50's result.json.

Source: Classroom 50, wiki "Advanced Autograding" and schemas/result-v1.schema.json
(github.com/foundation50/classroom50).
"""

from __future__ import annotations

import datetime
import math
import os
from collections.abc import Mapping
from typing import Any

from onekernel.course import Course
from onekernel.grading.verdicts import NOT_ASSESSED, PASSED, Scorecard
from onekernel.report import disclosure

VARIABLES = ("CLASSROOM", "ASSIGNMENT", "USERNAME", "SUBMISSION_TAG", "COMMIT_URL", "RELEASE_URL")


def results(card: Scorecard, course: Course, env: Mapping[str, str] = os.environ) -> dict[str, Any]:
    """The file as JSON values (classroom50/result/v1): whole points, rounded down; identity from the runner's
    environment. Raises KeyError where one of VARIABLES is not set."""
    tests = [
        {
            "test-name": f"{result.exercise.slug}: {v.check.title}",
            "passed": v.status == PASSED,
            "score": math.floor(v.earned),
            "max-score": v.check.points,
            "output": disclosure.text(v),  # whoever hands in reads it
        }
        for result in card.results
        for v in result.verdicts
        if v.status != NOT_ASSESSED
    ]
    now = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {
        "schema": "classroom50/result/v1",
        "classroom": env["CLASSROOM"],
        "assignment": env["ASSIGNMENT"],
        "assignment_type": env.get("ASSIGNMENT_TYPE") or "individual",
        "owner": env.get("OWNER") or env["USERNAME"],
        "submission": env["SUBMISSION_TAG"],
        "commit": env["COMMIT_URL"],
        "release": env["RELEASE_URL"],
        "review": env.get("REVIEW_URL") or env["COMMIT_URL"],
        "datetime": now,
        "score": sum(t["score"] for t in tests),
        "max-score": sum(t["max-score"] for t in tests),
        "tests": tests,
    }
