"""What a complete student costs: the processor time of grading the course's own answers, an exercise after the other,
with the workers warm, and each file with a line of code of its own, so that no build of another one serves it. Before
them the README's first command, from an empty cache.

Another checkout is measured in turns with this one (`--beside`): what a machine does besides hits both alike.

But:    where NVIDIA's compiler is, it compiles each `.cu` as well; without it a student costs less.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import date
from pathlib import Path
from typing import Any

from audits import records
from audits.grading import side
from audits.grading.side import FIRST
from audits.words import in_each, in_numbers
from onekernel.bench import device
from onekernel.course import Course, Exercise
from onekernel.cuda import nvcc
from onekernel.labs.reader import load
from onekernel.messages import say


def main(root: Path, results: Path, names: Sequence[str] = (), beside: Path | None = None) -> int:
    """Writes bench/results/cpu/complete.json; of the exercises `names` alone, FIRST perhaps among them, parts.json.

    `beside`: the root of another checkout, told as what was before."""
    course, runs = load(root), list[dict[str, Any]]()
    asked = names or (FIRST, *(e.slug for e in _asked(course)))
    roots = {"cpu": root} | ({"before": beside} if beside else {})
    with ExitStack() as stack:
        sides = {key: stack.enter_context(_side(at)) for key, at in roots.items()}
        for name in asked:
            runs.append({"exercise": name, **{key: round(_ask(side, name), 2) for key, side in sides.items()}})
            print(", ".join(map(str, runs[-1].values())), flush=True)
    graded = [run for run in runs if run["exercise"] != FIRST]
    totals = {key: round(sum(run[key] for run in graded), 1) for key in roots}
    compiler, path = nvcc.find(), results / "cpu" / ("parts.json" if names else "complete.json")
    columns = [in_each(f"complete-{c}") for c in ("exercise", *roots)]
    rows = [[name, *(in_numbers("{:.1f}", run[key]) for key in roots)] for name, run in _rows(runs, totals)]
    records.write(path, {
        "bench": "complete",
        "command": " ".join(["python -m audits.grading --complete", *names, *(["--beside DIR"] if beside else [])]),
        "date": date.today().isoformat(),
        "machine": device.machine(),
        "load": round(os.getloadavg()[0], 1),
        "versions": {"python": platform.python_version(), "nvcc": compiler.version if compiler else "-"},
        "runs": runs,
        "total": totals,
        "tables": {"exercises": {"columns": columns, "rows": rows}},
    })  # fmt: skip
    print(say("bench.written", path=path))
    return 0


def _rows(runs: Sequence[dict[str, Any]], totals: dict[str, float]) -> Iterator[tuple[Any, dict[str, Any]]]:
    """What a row is of, and its numbers: the sum, the first command, then the exercises, the longest first."""
    yield in_each("complete-all"), totals
    for run in sorted(runs, key=lambda r: (r["exercise"] != FIRST, -r["cpu"])):
        yield in_each("complete-first") if run["exercise"] == FIRST else f"`{run['exercise']}`", run


@contextmanager
def _side(root: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that grades with a checkout's own code what lines on its input name."""
    env = {**os.environ, "PYTHONPATH": str(root / "src")}
    with subprocess.Popen([sys.executable, "-P", side.__file__, str(root)], cwd=root, env=env, text=True, bufsize=1,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE) as grader:  # fmt: skip
        yield grader


def _ask(grader: subprocess.Popen[str], name: str) -> float:
    """Processor seconds. Raises ValueError where the process has ended."""
    assert grader.stdin and grader.stdout
    grader.stdin.write(f"{name}\n")
    return float(grader.stdout.readline())


def _asked(course: Course) -> list[Exercise]:
    """The exercises of the labs, without the small ones between them."""
    return [e for lab in course.labs for e in lab.exercises if not e.home]
