"""What else is asked of the simulator: memory, a cost that grows no faster than the work, a short first check.

But:    the peak of memory is the whole process's, Python and NumPy included.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from audits.command import ONEKERNEL
from audits.records import processor_seconds
from audits.words import in_each, in_numbers
from onekernel.errors import UserError
from onekernel.messages import Message

DECADES = (1, 10, 100, 1000)  # rows of 1024 columns
# Accesses that softmax_block makes for such a row with its 256 threads, shared memory included. Six passes over the
# row: read and kept, read three times from there, written. Two trees: 256 stores, 255 sums (two loads, one store), and
# 256 loads.
ACCESSES_A_ROW = 6 * 1024 + 2 * (256 + 3 * 255 + 256)
MEMORY_TIMES, MEMORY_BESIDE = 3, 300e6  # what a check may take: of the memory of mode fast, and bytes beside


def peak_memory(module: str, mode: str, rows: int = 1024) -> int:
    """Bytes that a process of its own holds at the most while it runs softmax_block in `mode` on so many rows of 1024:
    `module` does it."""
    command = [sys.executable, "-m", module, "--peak-memory", mode, "--peak-rows", str(rows)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return int(done.stdout)


def my_peak_memory() -> int:
    """Bytes that this process has held at the most. Not getrusage's, which counts the parent's before exec."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    raise UserError(Message.of("bench.no-peak-memory"))


def growth(seconds: dict[int, float]) -> dict[str, Any]:
    """Nanoseconds of processor time for an access at every size, and the dearest of the later ones over the first."""
    each = {rows: s / (rows * ACCESSES_A_ROW) * 1e9 for rows, s in seconds.items()}
    first, *later = each.values()
    return {
        "accesses": {rows: rows * ACCESSES_A_ROW for rows in each},
        "ns_per_access": each,
        "worst_ratio": max(later) / first,
    }


def cold_check(root: Path, lab: str = "02") -> dict[str, Any]:
    """Seconds of `onekernel check` of all of a lab's exercises, the course's solutions, with nothing built before."""
    with tempfile.TemporaryDirectory() as folder:
        card = Path(folder) / "scorecard.json"
        asked = ["check", lab, "--solutions", "--device", "simulator", "--json", str(card)]
        environment = {**os.environ, "ONEKERNEL_CACHE": str(Path(folder) / "cache"), "ONEKERNEL_ROOT": str(root)}
        start, before = time.perf_counter(), processor_seconds(resource.RUSAGE_CHILDREN)
        done = subprocess.run([*ONEKERNEL, *asked], capture_output=True, text=True, env=environment, cwd=root)
        seconds, cpu = time.perf_counter() - start, processor_seconds(resource.RUSAGE_CHILDREN) - before
        if done.returncode or not card.is_file():
            said = done.stdout + done.stderr
            raise UserError(Message.of("bench.check-wrong", command=" ".join(["onekernel", *asked]), said=said))
        grades = json.loads(card.read_text(encoding="utf-8"))
    if grades["earned"] != grades["assessed"]:
        raise UserError(Message.of("bench.check-points", lab=lab, earned=grades["earned"], assessed=grades["assessed"]))
    command_line = " ".join(["onekernel", *asked[:-2]])
    return {"command": command_line, "seconds": seconds, "cpu_seconds": cpu, "points": grades["earned"]}


def table(result: dict[str, Any]) -> dict[str, Any]:
    """What was measured beside what is asked, as the pages show it."""
    modes = {mode: times["softmax_block"] for mode, times in result["modes"].items()}
    kernel = "`softmax_block`, 1024 x 1024 fp32"
    asked: list[tuple[dict[str, str], dict[str, float], float, int]] = [
        (in_each("limit-count", kernel=kernel), modes["count"], 0.30, 3),
        (in_each("limit-check", kernel=kernel), modes["check"], 0.30, 3),
        (in_each("limit-bounds", kernel=kernel), modes["bounds"], 0.08, 3),
        (in_each("limit-first-check"), result["cold_check"], 20, 1),
    ]
    rows: list[list[Any]] = [
        [what, *(in_numbers(f"{{:.{digits}f}} s", took[key]) for key in ("seconds", "cpu_seconds")),
         in_numbers("{:.2f} s" if limit < 1 else "{:.0f} s", limit)]
        for what, took, limit, digits in asked
    ]  # fmt: skip
    memory = max(result["peak_memory"].values()) / 1e6
    rows.append([in_each("limit-memory"), in_numbers("{:.0f} MB", memory), "-", "500 MB"])
    worst = max(growth["worst_ratio"] for growth in result["growth"].values())
    rows.append([in_each("limit-growth"), "-", in_numbers("{:.2f} x", worst), in_each("linear")])
    if "scale" in result:
        peak = result["scale"]["peak_memory"]
        most, may = max(peak.values()), MEMORY_TIMES * peak["fast"] + MEMORY_BESIDE
        ratio = max(growth["worst_ratio"] for growth in result["scale"]["growth"].values())
        rows.append([in_each("limit-scale"), "-", in_numbers("{:.2f} x", ratio), in_each("linear")])
        megabytes = (in_numbers("{:.0f} MB", most / 1e6), "-", in_numbers("{:.0f} MB", may / 1e6))
        rows.append([in_each("limit-scale-memory"), *megabytes])
    if "counting" in result:
        ratio = result["counting"]["worst_ratio"]
        rows.append([in_each("limit-counting"), "-", in_numbers("{:.2f} x", ratio), in_numbers("{:.2f} x", 1.2)])
    columns = ["", in_each("column-measured"), in_each("column-processor"), in_each("column-at-most")]
    return {"columns": columns, "rows": rows}
