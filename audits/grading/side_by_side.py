"""What `onekernel grade` gains by the clock from several jobs: the same class graded with one and with N; and from
several GPUs: on N a class N times as large, for that is what several are for, and a start costs any class the same.

Every file has a line of its own, so that each is built; the runtime is built before. Wants a machine that does nothing
else.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import date
from pathlib import Path

from audits import records
from audits.command import ONEKERNEL
from audits.grading.classes import RESULTS
from audits.words import in_each, in_numbers
from onekernel.bench import device
from onekernel.labs.reader import load
from onekernel.messages import say

FILES = ("vector_add.cu", "softmax_naive.cu")
TIMED = ("gelu.cu", "vector_add.cu")  # one has a GPU alone, for its speed is measured; the other shares one
STUDENTS = 6
ON_EACH_GPU = 4
JOBS = 4  # for each GPU, of whichever number: a GPU never waits for a process
_COLUMNS = ("jobs", "seconds", "speed-up", "of-jobs")
_OF_GPUS = ("gpus", "files", "seconds", "speed-up-gpus", "of-gpus")


def main(root: Path, jobs: Sequence[int], results: Path) -> int:
    """Writes bench/results/cpu/side_by_side.json."""
    command = ("--device", "simulator", "--jobs")
    alone = {"ONEKERNEL_NVCC": "off"}
    with tempfile.TemporaryDirectory() as folder:
        graded(root, Path(folder), 1, FILES, (*command, "1"), alone)  # builds what is built once
        seconds = {n: graded(root, Path(folder), STUDENTS, FILES, (*command, str(n)), alone)
                   for n in sorted({1, *jobs})}  # fmt: skip
    path = results / "cpu" / "side_by_side.json"
    records.write(path, {
        "bench": "side_by_side",
        "command": "python -m audits.grading --speed-up " + " ".join(map(str, jobs)),
        "date": date.today().isoformat(),
        "machine": device.machine(),
        "versions": {"python": platform.python_version()},
        "files": STUDENTS * len(FILES),
        "seconds": {str(n): round(s, 2) for n, s in seconds.items()},
        "tables": {"jobs": _table(_COLUMNS, (((n,), s, seconds[1] / s) for n, s in seconds.items()))},
    })  # fmt: skip
    print(say("bench.written", path=path))
    return 0


def on_gpus(root: Path, gpus: Sequence[int], results: Path) -> int:
    """Writes bench/results/GPU/several_gpus.json: a class graded on one GPU of this machine, and classes of as many
    times its students on as many GPUs as asked."""
    card, most = device.current(), max(gpus)
    command = ("--device", "cuda", "--jobs", str(JOBS * most))
    with tempfile.TemporaryDirectory() as folder:
        graded(root, Path(folder), 1, TIMED, command, _seen(most))
        seconds = {n: graded(root, Path(folder), ON_EACH_GPU * n, TIMED, command, _seen(n))
                   for n in sorted({1, *gpus}, reverse=True)}  # fmt: skip
    each = ON_EACH_GPU * len(TIMED)
    path = results / card.slug / "several_gpus.json"
    records.write(path, {
        "bench": "several_gpus",
        "device": asdict(card),
        **device.provenance(),
        "machine": device.machine(),
        "files_of_each_gpu": each,
        "seconds": {str(n): round(s, 2) for n, s in seconds.items()},
        "tables": {"gpus": _table(_OF_GPUS, (((n, n * each), s, n * seconds[1] / s)
                                             for n, s in sorted(seconds.items())))},
    })  # fmt: skip
    print(say("bench.written", path=path))
    return 0


def _seen(gpus: int) -> dict[str, str]:
    """The environment of a process that sees so many GPUs."""
    return {"CUDA_VISIBLE_DEVICES": ",".join(map(str, range(gpus)))}


def _table(columns: Sequence[str], runs: Iterable[tuple[Sequence[int], float, float]]) -> dict[str, object]:
    """A line for each run: its numbers, of which the first is that of jobs, or of GPUs; its seconds, and how many times
    as fast as one it is."""
    rows = []
    for numbers, seconds, gain in runs:
        measured = (("{:.1f}", seconds), ("{:.2f}", gain), ("{:.2f}", gain / numbers[0]))
        rows.append([*map(str, numbers), *(in_numbers(how, value) for how, value in measured)])
    return {"columns": [in_each(f"side-by-side-{c}") for c in columns], "rows": rows}


def graded(
    root: Path, folder: Path, students: int, files: Sequence[str], how: Sequence[str], environment: Mapping[str, str]
) -> float:
    """The seconds of a class whose files nobody has built before. Raises ValueError where one earns less than all
    points: how soon a file is refused says nothing."""
    handed_in, out = folder / "class", folder / "graded"
    for path in (handed_in, out):
        shutil.rmtree(path, ignore_errors=True)
    for number in range(students):
        home = handed_in / f"student{number}"
        home.mkdir(parents=True)
        for name in files:
            text, mark = (root / "solutions" / name).read_text(encoding="utf-8"), "#" if name.endswith(".py") else "//"
            (home / name).write_text(f"{text}{mark} {time.time_ns()}\n", encoding="utf-8")
    exercises = [name.partition(".")[0] for name in files]
    words = ["grade", str(handed_in), *exercises, "--out", str(out), *how]
    began = time.perf_counter()
    subprocess.run([*ONEKERNEL, *words], cwd=root, env={**os.environ, **environment}, check=True,
                   stdout=subprocess.DEVNULL)  # fmt: skip
    seconds = time.perf_counter() - began
    course = load(root)
    lines = [json.loads(line) for line in (out / RESULTS).read_text(encoding="utf-8").splitlines()]
    results = [line for line in lines if "exercise" in line]
    short = {r["exercise"] for r in results if r["earned"] < course.exercises[r["exercise"]].points}
    if short or len(results) != students * len(files):
        raise ValueError(f"{len(results)} graded, less than all points: {', '.join(sorted(short)) or '-'}")
    return seconds
