"""What a complete student costs: the processor time of grading the course's own answers, an exercise after the other,
with the workers warm, and each file with a line of code of its own, so that no build of another one serves it. Before
them the README's first command, from an empty cache.

Another checkout is measured in turns with this one (`--beside`): what a machine does besides hits both alike.

But:    where NVIDIA's compiler is, it compiles each `.cu` as well; without it a student costs less.
"""

from __future__ import annotations

import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import date
from pathlib import Path
from typing import Any

from onekernel.bench import device, records
from onekernel.bench.command import ONEKERNEL
from onekernel.bench.grading.starts import spent
from onekernel.bench.words import in_each, in_numbers
from onekernel.course import Course, Exercise
from onekernel.cuda import nvcc
from onekernel.grading.grader import grade
from onekernel.grading.submission import Submission
from onekernel.labs.reader import load
from onekernel.messages import say

SEED = 20261123
FIRST = "first"  # the README's first command: a name among the exercises'
_COMMAND = ("check", "--solutions", "00", "01", "02")
_WARM = ("vector_add", "storage_probe")  # an exercise of each warm worker
# A line that is compiled: a comment may leave what a compiler is given as it was.
_OWN = {".cu": "int own_{}();\n", ".py": "own_{} = 0\n", ".md": "<!-- {} -->\n"}


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
        "command": " ".join(["python bench/grading.py --complete", *names, *(["--beside DIR"] if beside else [])]),
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
    with subprocess.Popen([sys.executable, "-P", __file__, str(root)], cwd=root, env=env, text=True, bufsize=1,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE) as side:  # fmt: skip
        yield side


def _ask(side: subprocess.Popen[str], name: str) -> float:
    """Processor seconds. Raises ValueError where the process has ended."""
    assert side.stdin and side.stdout
    side.stdin.write(f"{name}\n")
    return float(side.stdout.readline())


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
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as cache:
        subprocess.run([*ONEKERNEL, *_COMMAND], cwd=root, env={**os.environ, "ONEKERNEL_CACHE": cache},
                       stdout=subprocess.DEVNULL, check=True)  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _asked(course: Course) -> list[Exercise]:
    """The exercises of the labs, without the small ones between them."""
    return [e for lab in course.labs for e in lab.exercises if not e.home]


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
