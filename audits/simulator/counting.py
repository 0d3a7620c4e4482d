"""What counting costs: each kernel checked, counted as it is written and by machine code, in turn in one process.

The machine's load hits all ways alike, so that their ratio stands where the seconds do not.
"""

from __future__ import annotations

import os
from datetime import date
from pathlib import Path
from typing import Any

from audits.simulator.cost import least
from onekernel import simulator
from onekernel.backends.base import CallReport
from onekernel.course import fastest

KERNELS = ("softmax_block", "softmax_tuned", "ladder/2_shared_tree")
SHAPE, REPEATS = (1024, 1024), 11
WAYS: dict[str, tuple[str, bool]] = {
    "check": ("check", False), "as_written": ("count", False), "by_machine_code": ("count", True),
}  # fmt: skip


def measure(root: Path) -> dict[str, Any]:
    """By kernel the least processor time of each way, and of machine code over as written. Raises UserError where
    there is no machine code."""
    found = {name: _kernel(fastest(root, f"{name}.cu")) for name in KERNELS}
    return {"date": date.today().isoformat(), "load_before": os.getloadavg()[0], "kernels": found,
            "worst_ratio": max(times["ratio"] for times in found.values())}  # fmt: skip


def _kernel(path: Path) -> dict[str, float]:
    programs = {way: simulator.build(path, mode, machine_code=code) for way, (mode, code) in WAYS.items()}

    def is_right(way: str, report: CallReport) -> bool:
        by_code = bool(report.kernels and report.kernels[0].extra.get("by_code"))
        return by_code == (way == "by_machine_code")

    found = least(path, SHAPE, programs, is_right, REPEATS)
    return {**found, "ratio": found["by_machine_code"] / found["as_written"]}
