"""What counting costs: each kernel checked, counted as it is written and by machine code, in turn in one process.

The machine's load hits all ways alike, so that their ratio stands where the seconds do not.
"""

from __future__ import annotations

import os
import resource
from datetime import date
from pathlib import Path
from typing import Any

from onekernel import simulator
from onekernel.backends.call_arguments import buffers, of_file
from onekernel.errors import UserError
from onekernel.messages import Message

KERNELS = ("softmax_block", "softmax_tuned", "ladder/2_shared_tree")
SHAPE, REPEATS = (1024, 1024), 11
WAYS: dict[str, tuple[str, bool]] = {
    "check": ("check", False), "as_written": ("count", False), "by_machine_code": ("count", True),
}  # fmt: skip


def measure(root: Path) -> dict[str, Any]:
    """By kernel the least processor time of each way, and of machine code over as written. Raises UserError where
    there is no machine code."""
    found = {name: _kernel(root / "solutions" / f"{name}.cu") for name in KERNELS}
    return {"date": date.today().isoformat(), "load_before": os.getloadavg()[0], "kernels": found,
            "worst_ratio": max(times["ratio"] for times in found.values())}  # fmt: skip


def _kernel(path: Path) -> dict[str, float]:
    programs = {way: simulator.build(path, mode, machine_code=code) for way, (mode, code) in WAYS.items()}
    function, arguments = of_file(path, SHAPE, "float32")
    least = dict.fromkeys(WAYS, float("inf"))
    for _ in range(REPEATS):
        for way, program in programs.items():
            given = buffers(arguments)
            before = resource.getrusage(resource.RUSAGE_SELF)
            report = program.call(function, given)
            after = resource.getrusage(resource.RUSAGE_SELF)
            by_code = bool(report.kernels and report.kernels[0].extra.get("by_code"))
            if report.status or report.findings or by_code != (way == "by_machine_code"):
                said = "; ".join(map(str, report.findings)) or report.status_name
                raise UserError(Message.of("bench.simulator-wrong", name=path.stem, mode=way, said=said))
            seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
            least[way] = min(least[way], seconds)
    return {**least, "ratio": least["by_machine_code"] / least["as_written"]}
