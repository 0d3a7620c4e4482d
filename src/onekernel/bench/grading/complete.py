"""What a complete student costs: the processor time of grading the course's own answers of every lab, an exercise after
the other, with the workers warm, and each file with a line of its own, so that no build of another one serves it.

But:    where NVIDIA's compiler is, it compiles each `.cu` as well; without it a student costs less.
"""

from __future__ import annotations

import platform
import tempfile
import time
from datetime import date
from pathlib import Path
from typing import Any

from onekernel.bench import device, records
from onekernel.bench.grading.starts import spent
from onekernel.bench.words import in_each, in_numbers
from onekernel.course import Course, Exercise
from onekernel.cuda import nvcc
from onekernel.grading.grader import grade
from onekernel.grading.submission import Submission
from onekernel.labs.reader import load
from onekernel.messages import say

SEED = 20261123
_WARM = ("vector_add", "storage_probe")  # an exercise of each warm worker
_COMMENT = {".cu": "// {}\n", ".py": "# {}\n", ".md": "<!-- {} -->\n"}
_COLUMNS = ("exercise", "cpu")


def main(root: Path, results: Path) -> int:
    """Writes bench/results/cpu/complete.json."""
    course, runs = load(root), list[dict[str, Any]]()
    with tempfile.TemporaryDirectory() as folder:
        _write(course, Path(folder))
        for slug in _WARM:
            _grade(course, slug, Path(folder))
        _write(course, Path(folder))
        for exercise in _asked(course):
            before = time.process_time() + spent()
            _grade(course, exercise.slug, Path(folder))
            runs.append({"exercise": exercise.slug, "cpu": round(time.process_time() + spent() - before, 2)})
            print(f"{exercise.slug} {runs[-1]['cpu']}", flush=True)
    total = round(sum(run["cpu"] for run in runs), 1)
    rows = [[f"`{r['exercise']}`", in_numbers("{:.1f}", r["cpu"])] for r in sorted(runs, key=lambda r: -r["cpu"])]
    compiler = nvcc.find()
    path = results / "cpu" / "complete.json"
    records.write(path, {
        "bench": "complete",
        "command": "python bench/grading.py --complete",
        "date": date.today().isoformat(),
        "machine": device.machine(),
        "versions": {"python": platform.python_version(), "nvcc": compiler.version if compiler else "-"},
        "runs": runs,
        "total": total,
        "tables": {"exercises": {
            "columns": [in_each(f"complete-{c}") for c in _COLUMNS],
            "rows": [[in_each("complete-all"), in_numbers("{:.1f}", total)], *rows],
        }},
    })  # fmt: skip
    print(say("bench.written", path=path))
    return 0


def _asked(course: Course) -> list[Exercise]:
    """The exercises of the labs, without the small ones between them."""
    return [e for lab in course.labs for e in lab.exercises if not e.home]


def _write(course: Course, folder: Path) -> None:
    for exercise in _asked(course):
        answer = course.solution(exercise)
        own = _COMMENT[answer.suffix].format(time.time_ns())
        (folder / exercise.file).write_text(answer.read_text(encoding="utf-8") + own, encoding="utf-8")


def _grade(course: Course, slug: str, folder: Path) -> None:
    exercise = course.exercises[slug]
    asked = [q["id"] for check in exercise.checks for q in check.options.get("questions", ())]
    predictions = dict.fromkeys(asked, "1")  # counted whatever they are
    grade(Submission(course, exercise, folder / exercise.file, "simulator", SEED, predictions, ()))
