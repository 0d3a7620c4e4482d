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
from pathlib import Path
from typing import Any

from audits.grading.side_by_side import graded
from onekernel.bench import device, records
from onekernel.bench.command import ONEKERNEL
from onekernel.bench.words import in_each, in_numbers
from onekernel.messages import say

ALONE = ("softmax_triton.py", "softmax_tuned.cu", "gemm_tensorcore.cu")
_COLUMNS = ("wait", "seconds", "processor")


def main(root: Path, results: Path) -> int:
    """Writes bench/results/GPU/waits.json."""
    card, runs = device.current(), list[dict[str, Any]]()
    with tempfile.TemporaryDirectory() as folder:
        environment = {"ONEKERNEL_CACHE": str(Path(folder) / "cache")}
        for what in ("empty", "again"):
            runs.append({"what": what, **_check(root, environment)})
            print(runs[-1], flush=True)
        for file in ALONE:
            before = _processor()
            seconds = graded(root, Path(folder), 1, (file,), ("--device", "cuda", "--jobs", "1"), environment)
            runs.append({"what": file, "seconds": round(seconds, 1), "processor_s": round(_processor() - before, 1)})
            print(runs[-1], flush=True)
    path = results / card.slug / "waits.json"
    records.write(path, {
        "bench": "waits",
        "device": asdict(card),
        **device.provenance(),
        "machine": device.machine(),
        "runs": runs,
        "tables": {"waits": {"columns": [in_each(f"waits-{c}") for c in _COLUMNS], "rows": list(map(_row, runs))}},
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


def _row(run: dict[str, Any]) -> Sequence[object]:
    what = str(run["what"])
    named = in_each(f"waits-{what}") if "." not in what else f"`{what}`"
    return [named, in_numbers("{:.1f}", run["seconds"]), in_numbers("{:.1f}", run["processor_s"])]


def _processor() -> float:
    """The processor time of what this process has started and seen end, in seconds."""
    times = os.times()
    return times.children_user + times.children_system
