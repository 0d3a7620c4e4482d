"""What each mode costs beside the kernel that only runs: each kernel in each mode, in turn in one process.

Processor time on one core. The machine's load hits all modes alike, so that their ratio stands where the seconds do
not. On one core, because what two cores cost each other (a shared cache, a shared physical core) is the machine's, and
falls only on the modes that use both: there, `bounds` of a softmax took more than `check` in some runs and less in
others.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

from audits.simulator.cost import least
from audits.words import in_each, in_numbers
from onekernel import simulator
from onekernel.bench import device
from onekernel.simulator.compilation.compiler import compiler
from onekernel.simulator.program import MODES

KERNELS: dict[str, tuple[int, ...]] = {
    "vector_add": (1 << 20,), "dot_product": (1 << 20,), "softmax_block": (1024, 1024),
    "ladder/3_warp_shuffle": (1024, 1024), "gemm_tiled": (256, 256, 256),
}  # fmt: skip
REPEATS = 25


def measure(root: Path) -> dict[str, Any]:
    """The result file: by kernel the least processor time of each mode, as written, so that all do the same work."""
    with _one_core():
        kernels = {name: _kernel(root / "solutions" / f"{name}.cu", shape) for name, shape in KERNELS.items()}
    result: dict[str, Any] = {
        "bench": "modes",
        "command": "python -m audits.simulator --ratios",
        "date": date.today().isoformat(),
        "machine": device.machine(),
        "load_before": os.getloadavg()[0],
        "versions": {"compiler": compiler().version, "python": platform.python_version()},
        "kernels": kernels,
    }
    return {**result, "tables": {"ratios": table(result)}}


@contextmanager
def _one_core() -> Iterator[None]:
    """This process on the first of its cores; where a system has no affinity (macOS), on all of them."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    mine = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(mine)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, mine)


def _kernel(path: Path, shape: tuple[int, ...]) -> dict[str, float]:
    programs = {mode: simulator.build(path, mode, machine_code=False) for mode in MODES}
    return least(path, shape, programs, lambda mode, report: True, REPEATS)


def table(result: Mapping[str, Any]) -> dict[str, Any]:
    """A kernel a row, each mode over `fast`."""
    columns = [in_each("ratios-kernel"), *(f"`{mode}`" for mode in MODES)]
    rows = [
        [f"`{name}`, {' x '.join(map(str, KERNELS[name]))}",
         *(in_numbers("{:.2f} x", times[mode] / times["fast"]) for mode in MODES)]
        for name, times in result["kernels"].items()
    ]  # fmt: skip
    return {"columns": columns, "rows": rows}
