"""What `onekernel grade --jobs N` gains: the same class graded with one job and with N, by the clock.

Every file has a line of its own, so that each is built; the runtime is built before. Wants a machine that does nothing
else.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import tempfile
import time
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from onekernel.bench import device, records
from onekernel.bench.command import ONEKERNEL
from onekernel.bench.words import in_each, in_numbers
from onekernel.messages import say

FILES = ("vector_add.cu", "softmax_naive.cu")
STUDENTS = 6
_COLUMNS = ("jobs", "seconds", "speed-up", "of-jobs")


def main(root: Path, jobs: Sequence[int], results: Path) -> int:
    """Writes bench/results/cpu/side_by_side.json."""
    with tempfile.TemporaryDirectory() as folder:
        _graded(root, Path(folder), 1, students=1)  # builds what is built once
        seconds = {n: _graded(root, Path(folder), n, STUDENTS) for n in sorted({1, *jobs})}
    gains = {n: seconds[1] / s for n, s in seconds.items()}
    rows = [
        [str(n), *(in_numbers(how, v) for how, v in (("{:.1f}", seconds[n]), ("{:.2f}", gain), ("{:.2f}", gain / n)))]
        for n, gain in gains.items()
    ]
    path = results / "cpu" / "side_by_side.json"
    records.write(path, {
        "bench": "side_by_side",
        "command": "python bench/grading.py --speed-up " + " ".join(map(str, jobs)),
        "date": date.today().isoformat(),
        "machine": device.machine(),
        "versions": {"python": platform.python_version()},
        "files": STUDENTS * len(FILES),
        "seconds": {str(n): round(s, 2) for n, s in seconds.items()},
        "tables": {"jobs": {"columns": [in_each(f"side-by-side-{c}") for c in _COLUMNS], "rows": rows}},
    })  # fmt: skip
    print(say("bench.written", path=path))
    return 0


def _graded(root: Path, folder: Path, jobs: int, students: int) -> float:
    """The seconds of a class whose files nobody has built before."""
    handed_in, out = folder / "class", folder / "graded"
    for path in (handed_in, out):
        shutil.rmtree(path, ignore_errors=True)
    for number in range(students):
        home = handed_in / f"student{number}"
        home.mkdir(parents=True)
        for name in FILES:
            text = (root / "solutions" / name).read_text(encoding="utf-8")
            (home / name).write_text(f"{text}// {time.time_ns()}\n", encoding="utf-8")
    exercises = [name.partition(".")[0] for name in FILES]
    words = ["grade", str(handed_in), *exercises, "--out", str(out), "--jobs", str(jobs), "--device", "simulator"]
    began = time.perf_counter()
    environment = {**os.environ, "ONEKERNEL_NVCC": "off"}
    subprocess.run([*ONEKERNEL, *words], cwd=root, env=environment, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began
