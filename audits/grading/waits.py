"""What one waits for on a machine with a GPU, by the clock: `onekernel check --solutions` of the whole course, from an
empty cache and once more, and single exercises whose files nobody has built before.

But:    on a machine that does something else it says nothing.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Any

from audits import records
from audits.command import ONEKERNEL
from audits.grading.side_by_side import graded
from audits.words import in_each, in_numbers
from onekernel.bench import device
from onekernel.messages import say

WHOLE = ("empty", "again")
ALONE = ("softmax_triton.py", "softmax_tuned.cu", "gemm_tensorcore.cu")
_COLUMNS = ("wait", "seconds", "processor")


def main(root: Path, results: Path, only: Sequence[str] = ()) -> int:
    """Writes bench/results/GPU/waits.json; `only`: the rest is left there as it was."""
    card, today = device.current(), date.today().isoformat()
    path = results / card.slug / "waits.json"
    runs = {run["what"]: run for run in (records.read(path)["runs"] if only and path.is_file() else ())}
    with tempfile.TemporaryDirectory() as folder:
        environment = {"ONEKERNEL_CACHE": str(Path(folder) / "cache")}
        for what in only or (*WHOLE, *ALONE):
            run = _check(root, environment) if what in WHOLE else _alone(root, Path(folder), what, environment)
            runs[what] = {"what": what, "date": today, **run}
            print(runs[what], flush=True)
    records.write(path, {
        "bench": "waits",
        "device": asdict(card),
        **device.provenance(),
        "machine": device.machine(),
        "runs": list(runs.values()),
        "tables": {"waits": {
            "columns": [in_each(f"waits-{c}") for c in _COLUMNS], "rows": [_row(run) for run in runs.values()]
        }},
    })  # fmt: skip
    print(say("bench.written", path=path))
    return 0


def _check(root: Path, environment: dict[str, str]) -> dict[str, Any]:
    """The whole course, and whether all of it passes."""
    before, began = _processor(), time.perf_counter()
    done = subprocess.run([*ONEKERNEL, "check", "--solutions", "--device", "cuda"], cwd=root, text=True,
                          env={**os.environ, **environment}, stdout=subprocess.PIPE)  # fmt: skip
    took = {"seconds": time.perf_counter() - began, "processor_s": _processor() - before}
    return {name: round(value, 1) for name, value in took.items()} | {"passes": done.returncode == 0}


def _alone(root: Path, folder: Path, file: str, environment: dict[str, str]) -> dict[str, Any]:
    """One file, which earns all points."""
    before = _processor()
    seconds = graded(root, folder, 1, (file,), ("--device", "cuda", "--jobs", "1"), environment)
    return {"seconds": round(seconds, 1), "processor_s": round(_processor() - before, 1), "passes": True}


def _row(run: dict[str, Any]) -> Sequence[object]:
    what = str(run["what"])
    named = in_each(f"waits-{what}") if "." not in what else f"`{what}`"
    return [named, in_numbers("{:.1f}", run["seconds"]), in_numbers("{:.1f}", run["processor_s"])]


def _processor() -> float:
    """The processor time of what this process has started and seen end, in seconds."""
    times = os.times()
    return times.children_user + times.children_system
