"""Traffic without a GPU: what a softmax kernel asks of memory, from the simulator's counts or from its own ledger."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from audits.bench import kernel_header
from onekernel import simulator
from onekernel.backends import declarations
from onekernel.backends.base import Arg, Buffer, BuildError, Unavailable
from onekernel.counts import LOAD_SECTORS, SECTOR_BYTES, STORE_SECTORS

SIMULATED_ROWS = 8  # at most
SIMULATED_ACCESSES = 1 << 25  # at most, as far as the header tells: a few seconds


@dataclass(frozen=True)
class Traffic:
    """Bytes asked of global memory for each element of the output, and who says so: "simulator" or "ledger"."""

    bytes_per_element: float
    source: str


def traffic(path: Path, cols: int, itemsize: int = 4) -> Traffic | None:
    """The traffic of a row softmax file at rows of `cols` elements; None for a file that says nothing of it.

    A `.cu` is run on the simulator, a few rows of it, and its sectors are counted. A file that the simulator
    does not take, and a Triton file, is taken at the word of its header.
    """
    ledgers = kernel_header.read(path).ledgers
    accesses = ledgers[0].accesses(cols) if ledgers else None  # of the first regime
    if path.suffix == ".cu":
        rows = max(1, min(SIMULATED_ROWS, int(SIMULATED_ACCESSES / (cols * (accesses or 4.0)))))
        counted = _simulated(path, rows, cols, itemsize)
        if counted is not None:
            return Traffic(counted, "simulator")
    return None if accesses is None else Traffic(accesses * itemsize, "ledger")


def _launcher_name(path: Path) -> str:
    """The fp32 launcher of a softmax `.cu`: the file's name, or for a rung of the ladder the one that it exports."""
    exported = declarations.exported(path)
    return path.stem if path.stem in exported or not exported else exported[0]


def _simulated(path: Path, rows: int, cols: int, itemsize: int) -> float | None:
    values = np.random.default_rng(0).standard_normal((rows, cols)).astype(np.float32)
    args: list[Arg] = [
        Buffer("x", values.view(np.uint8).ravel().copy(), 0, rows * cols * itemsize, False, itemsize),
        Buffer("y", np.zeros(rows * cols * itemsize, np.uint8), 0, rows * cols * itemsize, True, itemsize),
        rows, cols, cols, cols,
    ]  # fmt: skip
    try:
        report = simulator.build(path, mode="count", time_limit=60.0).call(_launcher_name(path), args)
    except (BuildError, Unavailable):
        return None
    sectors = sum(k.metrics.get(name, 0.0) for k in report.kernels for name in (LOAD_SECTORS, STORE_SECTORS))
    if report.status or not sectors:
        return None
    return sectors * SECTOR_BYTES / (rows * cols)
