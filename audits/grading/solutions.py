"""Every solution graded as the files of one student: what is timed has a GPU alone, the others share it."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from audits.command import ONEKERNEL
from audits.grading.classes import JOURNAL
from onekernel.course import Course
from onekernel.labs.reader import load


def run(root: Path, on: str, jobs: int, kept: Path | None = None) -> dict[str, Any]:
    """Grades them on `on`, the labs' own and not those of the practice.

    `kept`: the folder of a run that was interrupted; what it has graded is not graded again.
    """
    course, began = load(root), time.perf_counter()
    asked = [e for lab in course.labs if not lab.elective for e in lab.exercises]
    with tempfile.TemporaryDirectory() as folder:
        student = Path(folder) / "class" / "solutions"
        student.mkdir(parents=True)
        for file in (*(e.file for e in asked), "predictions.json"):
            shutil.copy(root / "solutions" / file, student)
        out = kept or Path(folder) / "graded"
        words = ["grade", str(student.parent), "--device", on, "--jobs", str(jobs), "--out", str(out)]
        subprocess.run([*ONEKERNEL, *words], cwd=root, stdout=subprocess.DEVNULL)
        lines = [json.loads(line) for line in (out / JOURNAL).read_text(encoding="utf-8").splitlines()[1:]]
    graded = {line["exercise"]: _graded(course, line) for line in lines}
    short = [e.slug for e in asked if e.slug not in graded or graded[e.slug]["earned"] < e.points]
    return {
        "command": f"onekernel grade CLASS --device {on} --jobs {jobs}",
        "what": "every solution of the labs, graded as the files of one student",
        "earned": sum(g["earned"] for g in graded.values()),
        "points": sum(e.points for e in asked),
        "failed": len(short),
        "seconds": round(time.perf_counter() - began),
        "names": short,
        "exercises": graded,
    }


def _graded(course: Course, line: dict[str, Any]) -> dict[str, Any]:
    """What a line of a class's journal says: points, seconds, and the share of its limit's speed that a kernel has."""
    verdicts = line["result"]["verdicts"]
    notes = [v["note"] for v in verdicts if v["note"]]
    speed = [n["values"]["percent"] for n in notes if n["key"] == "bench.credit-copy"]
    return {
        "earned": sum(v["earned"] for v in verdicts),
        "points": course.exercises[line["exercise"]].points,
        "seconds": line["took"],
        **({"percent_of_limit": round(speed[0], 1)} if speed else {}),
    }
