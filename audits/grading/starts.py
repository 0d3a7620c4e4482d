"""What it costs to begin with a file: the processor time of a worker that builds nothing new and calls nothing, started
anew and copied from a warm one (sandbox/warm.py).

But:    the first file of each kind also pays for the warm one, which is started anew.
"""

from __future__ import annotations

import platform
import tempfile
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

from audits import records
from audits.grading.side import spent
from audits.words import in_each, in_numbers
from onekernel.bench import device
from onekernel.messages import say
from onekernel.sandbox import supervisor, warm
from onekernel.sandbox.protocol import Request

TIMES = 10
_COLUMNS = ("kind", "anew", "copied", "ratio")


def main(root: Path, results: Path) -> int:
    """Writes bench/results/cpu/starts.json."""
    with tempfile.TemporaryDirectory() as folder:
        runs = [_kind(name, job) for name, job in _jobs(root, Path(folder))]
    rows = [[in_each(f"starts-{r['kind']}"), in_numbers("{:.3f}", r["anew"]), in_numbers("{:.3f}", r["copied"]),
             in_numbers("{:.1f}", r["anew"] / r["copied"])] for r in runs]  # fmt: skip
    for run in runs:
        print(", ".join(f"{key} {value}" for key, value in run.items()))
    path = results / "cpu" / "starts.json"
    records.write(path, {
        "bench": "starts",
        "command": "python -m audits.grading --starts",
        "date": date.today().isoformat(),
        "machine": device.machine(),
        "versions": {"python": platform.python_version()},
        "runs": runs,
        "tables": {"starts": {"columns": [in_each(f"starts-{c}") for c in _COLUMNS], "rows": rows}},
    })  # fmt: skip
    print(say("bench.written", path=path))
    return 0


def _jobs(root: Path, folder: Path) -> list[tuple[str, Callable[[], object]]]:
    empty = folder / "empty.py"
    empty.write_text("")
    kernel, triton = root / "solutions" / "vector_add.cu", root / "solutions" / "gelu_triton.py"
    python = Request(empty, "python", options={"task": "returns", "requests": []})
    return [
        ("simulator", lambda: supervisor.run(Request(kernel, "simulator"))),
        ("triton", lambda: supervisor.run(Request(triton, "triton"))),
        ("python", lambda: supervisor.run_task(python, count=0, seconds=60.0)),
    ]


def _kind(name: str, job: Callable[[], object]) -> dict[str, Any]:
    copied = _seconds(job)
    known, warm.server = warm.server, lambda *_: None
    try:
        anew = _seconds(job)
    finally:
        warm.server = known
    return {"kind": name, "anew": round(anew, 4), "copied": round(copied, 4), "times": TIMES}


def _seconds(job: Callable[[], object]) -> float:
    """Processor seconds of a job, those of the server that it asks included; the first one is not counted."""
    job()
    before = spent()
    for _ in range(TIMES):
        job()
    return (spent() - before) / TIMES
