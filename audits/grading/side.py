"""Grades what the lines on its input name, with the code of one checkout, and answers each with its processor seconds.

    python -P audits/grading/side.py ROOT

Run as it stands, with PYTHONPATH at ROOT's src: it imports nothing of the audits, which another checkout may not have.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from onekernel.course import Course
from onekernel.grading.grader import grade
from onekernel.grading.submission import Submission
from onekernel.labs.reader import load
from onekernel.sandbox import warm

SEED = 20261123
_ONEKERNEL = "import sys; from onekernel.cli import main; sys.exit(main(sys.argv[1:]))"
FIRST = "first"  # the README's first command: a name among the exercises'
_COMMAND = ("check", "--solutions", "00", "01", "02")
_WARM = ("vector_add", "storage_probe")  # an exercise of each warm worker
# A line that is compiled: a comment may leave what a compiler is given as it was.
_OWN = {".cu": "int own_{}();\n", ".py": "own_{} = 0\n", ".md": "<!-- {} -->\n"}


def spent() -> float:
    """Processor seconds of the processes that this one has waited for, and of its warm workers."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime + sum(_on_cpu(pid) for pid in warm.running())


def _on_cpu(pid: int) -> float:
    """Seconds that a process has run (Linux documentation, scheduler/sched-stats)."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9


def _serve(root: Path) -> None:
    """Answers each name on standard input with its processor seconds."""
    course, warm = load(root), False
    with tempfile.TemporaryDirectory() as folder:
        for name in (line.strip() for line in sys.stdin):
            if name == FIRST:
                print(_first(root), flush=True)
                continue
            if not warm:
                for slug in _WARM:
                    _grade(course, slug, Path(folder))
                warm = True
            print(_grade(course, name, Path(folder)), flush=True)


def _first(root: Path) -> float:
    before = spent()
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "ONEKERNEL_CACHE": cache}
        subprocess.run([sys.executable, "-c", _ONEKERNEL, *_COMMAND], cwd=root, env=environment,
                       stdout=subprocess.DEVNULL, check=True)  # fmt: skip
    return spent() - before


def _grade(course: Course, slug: str, folder: Path) -> float:
    """Processor seconds of grading the course's own answer, with a line that no other file has."""
    exercise = course.exercises[slug]
    answer, file = course.solution(exercise), folder / exercise.file
    own = _OWN[answer.suffix].format(time.time_ns())
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(answer.read_text(encoding="utf-8") + own, encoding="utf-8")
    asked = [q["id"] for check in exercise.checks for q in check.options.get("questions", ())]
    predictions = dict.fromkeys(asked, "1")  # counted whatever they are
    before = time.process_time() + spent()
    grade(Submission(course, exercise, file, "simulator", SEED, predictions, ()))
    return time.process_time() + spent() - before


if __name__ == "__main__":
    _serve(Path(sys.argv[1]))
