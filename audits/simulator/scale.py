"""Whether cost and memory grow with the input: softmax_block on rows of 1024, as many as make 256^2, 1024^2 and 4096^2
elements, in turn in one process.

The machine's load hits all sizes alike, so that their ratio stands where the seconds do not.
"""

from __future__ import annotations

import os
from datetime import date
from pathlib import Path
from typing import Any

from audits.simulator import cost, limits

ROWS = (64, 1024, 16384)
MODES = ("check", "count")


def measure(root: Path, module: str) -> dict[str, Any]:
    """By mode the processor time of an access at each size, and the dearest over that of the smallest; the memory that
    a process of its own holds at the most with the largest input."""
    found: dict[str, Any] = {"date": date.today().isoformat(), "load_before": os.getloadavg()[0]}
    found |= {"growth": {}, "peak_memory": {}}
    for mode in MODES:
        least = dict.fromkeys(ROWS, float("inf"))
        for _ in range(3):
            for rows in ROWS:
                least[rows] = min(least[rows], cost.softmax(root, mode, rows, repeats=1)["cpu_seconds"])
        found["growth"][mode] = limits.growth(least)
    for mode in ("fast", *MODES):
        found["peak_memory"][mode] = limits.peak_memory(module, mode, ROWS[-1])
    return found
