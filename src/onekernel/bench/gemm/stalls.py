"""What Nsight Compute says of the rungs: how busy the units are, and what their warps wait for.

    ncu --clock-control none --section SpeedOfLight --section WarpStateStats --section ComputeWorkloadAnalysis \\
        --section MemoryWorkloadAnalysis_Tables --csv --page raw --log-file rungs.csv python bench/gemm.py --once

Source of the metrics' names: Nsight Compute, "Kernel Profiling Guide", sections "Metrics Reference" and "Warp State".
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from onekernel.errors import UserError
from onekernel.messages import Message

_STALL = "smsp__average_warps_issue_stalled_"
_PER_ISSUE = "_per_issue_active.ratio"
_RUNNING = ("selected", "not_selected")  # warps that wait for nothing
METRICS = {
    "seconds": "gpu__time_duration.sum",  # nanoseconds in the file
    "issue": "sm__issue_active.avg.pct_of_peak_sustained_elapsed",
    "fma": "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active",
    "tensor": "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active",
    "conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
    "registers": "launch__registers_per_thread",
}


def read(path: Path) -> list[dict[str, Any]]:
    """Each kernel of ncu's raw page, in the order of the launches: METRICS in percent and counts, `stalls` in warps
    that wait for each instruction that is issued. Raises UserError for another file."""
    lines = list(csv.reader(path.read_text(encoding="utf-8").splitlines()))
    head = next((number for number, line in enumerate(lines) if "Kernel Name" in line), None)
    if head is None:
        raise UserError(Message.of("bench.gemm-no-ncu", path=path))
    kernels = []
    for values in lines[head + 2 :]:  # the units stand between
        line = dict(zip(lines[head], values, strict=False))
        found: dict[str, Any] = {"kernel": line["Kernel Name"].partition("(")[0].removeprefix("void ")}
        found |= {key: _number(line[name]) for key, name in METRICS.items() if name in line}
        found["seconds"] *= 1e-9
        stalls = {n.removeprefix(_STALL).removesuffix(_PER_ISSUE): _number(v)
                  for n, v in line.items() if n.startswith(_STALL) and n.endswith(_PER_ISSUE)}  # fmt: skip
        stalls = {name: v for name, v in stalls.items() if name not in _RUNNING and v >= 0.05}
        found["stalls"] = dict(sorted(stalls.items(), key=lambda item: -item[1]))
        kernels.append(found)
    return kernels


def _number(text: str) -> float:
    return float(text.replace(",", ""))
