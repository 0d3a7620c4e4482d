"""What runs in Gradescope's container: grades one submission and prints its results.json.

    python -m onekernel.cohort.image.grade /autograder VISIBILITY EXERCISE...
"""

from __future__ import annotations

import datetime
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from onekernel import doctor
from onekernel.cohort import pool, submissions, tasks
from onekernel.cohort.journal import restored, steady
from onekernel.cohort.submissions import lateness
from onekernel.course import find_root
from onekernel.errors import told
from onekernel.grading.grader import fresh_seed
from onekernel.grading.verdicts import Scorecard
from onekernel.labs.reader import load
from onekernel.messages import Message
from onekernel.report import gradescope
from onekernel.sandbox.machine import MachineFault
from onekernel.sandbox.process import end_on_signals

_METADATA_BYTES = 16 << 20


def main(words: Sequence[str]) -> int:
    """Prints the results of the submission under `words[0]`. Raises UserError, MachineFault, after which there are no
    results, and nobody is scored."""
    harness, visibility, slugs = Path(words[0]), words[1], words[2:]
    end_on_signals()
    course = load(find_root())
    graded = [course.exercises[slug] for slug in slugs]
    with tempfile.TemporaryDirectory(prefix="onekernel-class-") as folder:
        about = _metadata(harness / "submission_metadata.json")
        student = submissions.one(harness / "submission", course, Path(folder) / "work", about.get("created_at", ""))
        device, _ = doctor.settle(course, [e for e in graded if e.file in student.files], "auto")
        closed = (harness / "submission", Path(folder))
        results = []
        for task in tasks.make(course, [student], graded, device, fresh_seed(), closed):
            kind, said, _ = pool.answer(task, course)
            if kind == pool.FAULT:
                raise MachineFault(Message.from_json(said))
            results.append(steady(restored(said, course, student.home)))
        notes = list(student.notes)
        late = lateness(student, _due(about))
        found = gradescope.of_student(Scorecard.of(results), course, student.home, notes, visibility)
        found["output"] = "\n".join([found["output"], *([late] if late else [])])
    print(json.dumps(found, indent=1, ensure_ascii=False))
    return 0


def _metadata(path: Path) -> dict[str, Any]:
    """What Gradescope says of the submission; empty where it says nothing."""
    try:
        with path.open("rb") as file:
            data = json.loads(file.read(_METADATA_BYTES))
    except (OSError, ValueError):
        return {}
    return data if isinstance(data, dict) else {}


def _due(about: dict[str, Any]) -> datetime.datetime | None:
    """When it was due: the student's own date, with an extension, before the assignment's."""
    users = about.get("users")
    own = users[0].get("assignment", {}) if isinstance(users, list) and users and isinstance(users[0], dict) else {}
    for where in (own, about.get("assignment", {})):
        try:
            return datetime.datetime.fromisoformat(where["due_date"]).astimezone()
        except (KeyError, TypeError, ValueError, AttributeError):
            continue
    return None


if __name__ == "__main__":
    sys.exit(told(lambda: main(sys.argv[1:])))
