"""One cell of the GEMM bench: timed in turns with L2 emptied before each call, then looked at.

The outputs that are looked at are those of the timed calls: C is filled with NaN before them. A way that is wrong keeps
no time. `copy` moves the same bytes, half of them read and half written, and is the floor of a cell that memory binds.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from audits.bench.gemm.cells import Cell
from audits.bench.gemm.ways import LIBRARY, Call, Ways
from onekernel.bench import device
from onekernel.bench.sample import WrongOutput
from onekernel.bench.timing import L2Emptier, interleaved
from onekernel.ops import gemm

REPEATS = 11
COPY_MOST_BYTES = 8 << 30
SUSTAINED_SECONDS = 0.8
SAMPLE_SECONDS = 0.05
ROWS = 3  # that are compared in float64
APART = {"float32": 1e-5, "float16": 2e-3, "bfloat16": 1.2e-2}  # of two right answers, by the norm of their difference
TF32 = 2e-3


def measure(cell: Cell, ways: Ways, emptier: L2Emptier) -> dict[str, Any]:
    """A cell as it goes to JSON: for each way its times, or why it has none; clock and power while it ran."""
    import torch

    began = time.perf_counter()
    dtype = getattr(torch, cell.dtype)
    a = torch.empty(cell.m, cell.k, dtype=dtype, device="cuda").normal_()
    b = torch.empty(*((cell.n, cell.k) if cell.turned else (cell.k, cell.n)), dtype=dtype, device="cuda").normal_()
    answers: dict[str, Any] = {}
    calls: dict[str, Call] = {}
    outputs: dict[str, Any] = {}
    for name, c, call in ways.bound(
        cell, a, b, lambda: torch.full((cell.m, cell.n), torch.nan, dtype=dtype, device="cuda")
    ):
        try:
            if isinstance(call, Exception):
                raise call
            call()  # compiles, where a way does so late
            torch.cuda.synchronize()
            c.fill_(torch.nan)
            calls[name], outputs[name] = call, c
        except Exception as error:  # a way that cannot run is told of, and the others are measured
            answers[name] = {"failed": f"{type(error).__name__}: {error}".splitlines()[0][:200]}
    if cell.kind == "skinny" and cell.bytes <= COPY_MOST_BYTES:
        source = torch.empty(cell.bytes // 2, dtype=torch.uint8, device="cuda")
        target = torch.empty_like(source)
        calls["copy"] = lambda: target.copy_(source)
    states: list[device.Clocks] = []
    times = interleaved(calls, REPEATS, emptier, lambda: states.append(device.clocks()))
    told = reference(cell, a, b)
    for name, sample in times.items():
        try:
            if name != "copy":
                check(cell, name, outputs[name], outputs[LIBRARY[0]], told)
            answers[name] = sample.to_json()
        except WrongOutput as error:
            answers[name] = {"failed": str(error)}
    return {
        "kind": cell.kind, "dtype": cell.dtype, "m": cell.m, "n": cell.n, "k": cell.k, "turned": cell.turned,
        "flops": cell.flops, "bytes": cell.bytes, "ways": answers, "state": states[0].to_json() if states else {},
        "took_s": round(time.perf_counter() - began, 2),
    }  # fmt: skip


def sustained(cell: Cell, ways: Ways, names: tuple[str, ...]) -> dict[str, Any]:
    """Each way back to back for SUSTAINED_SECONDS: its rate, and what clock and power settle at meanwhile."""
    import torch

    dtype = getattr(torch, cell.dtype)
    a, b = (torch.empty(*shape, dtype=dtype, device="cuda").normal_() for shape in ((cell.m, cell.k), (cell.k, cell.n)))
    found: dict[str, Any] = {}
    for name, _, call in ways.bound(cell, a, b, lambda: torch.empty(cell.m, cell.n, dtype=dtype, device="cuda")):
        if name in names and not isinstance(call, Exception):
            found[name] = _steadily(call, cell.flops)
    return {"dtype": cell.dtype, "m": cell.m, "n": cell.n, "k": cell.k, "ways": found}


def _steadily(call: Callable[[], Any], flops: int) -> Mapping[str, Any]:
    import torch

    samples: list[device.Clocks] = []
    over = threading.Event()

    def watch() -> None:
        while not over.wait(SAMPLE_SECONDS):
            samples.append(device.clocks())

    call()
    torch.cuda.synchronize()
    watcher = threading.Thread(target=watch)
    watcher.start()
    count, began = 0, time.perf_counter()
    while time.perf_counter() - began < SUSTAINED_SECONDS:
        for _ in range(20):
            call()
        torch.cuda.synchronize()
        count += 20
    took = time.perf_counter() - began
    over.set()
    watcher.join()
    late = samples[len(samples) // 2 :] or samples
    last = late[-1].to_json() if late else {}
    return {"flops_per_s": flops * count / took, "calls": count, "state": last}


@dataclass(frozen=True)
class Reference:
    """What is right in some rows of C, in float64, and how much the operator's tolerance allows there."""

    rows: list[int]
    want: np.ndarray
    limit: np.ndarray
    magnitude: np.ndarray


def reference(cell: Cell, a: Any, b: Any) -> Reference:
    """The first row, the last and ROWS others."""
    rows = sorted({0, cell.m - 1, *np.random.default_rng(0).integers(0, cell.m, ROWS).tolist()})
    whole = (b.T if cell.turned else b).double()
    picked = a[rows].double()
    want: np.ndarray = (picked @ whole).cpu().numpy()
    magnitude: np.ndarray = (picked.abs() @ whole.abs()).cpu().numpy()
    error = (gemm.TERMS[cell.dtype] * cell.k + gemm.SCALING) * gemm.UNIT[cell.dtype]
    rounded = gemm.ROUNDING[cell.dtype] * np.abs(want) + gemm.ABSOLUTE[cell.dtype]
    return Reference(rows, want, error / (1 - error) * magnitude + rounded, magnitude)


def check(cell: Cell, name: str, c: Any, others: Any, right: Reference) -> None:
    """Raises WrongOutput: for a row beyond the operator's tolerance, or a C that is far from the library's."""
    got = c[right.rows].double().cpu().numpy()
    limit = right.limit
    if name == "tf32":
        limit = limit + 2.0**-9 * right.magnitude  # each factor is cut to 11 bits
    wrong = ~(np.abs(got - right.want) <= limit)
    if wrong.any():
        raise WrongOutput(f"{int(wrong.sum())} of {wrong.size} beyond the tolerance in the rows {right.rows}")
    step = max(1, (1 << 26) // cell.n)  # rows at a time: fp32 copies of 16384 x 16384 need not be held whole
    norm = apart = 0.0
    for first in range(0, cell.m, step):
        mine, theirs = c[first : first + step].float(), others[first : first + step].float()
        apart += float((mine - theirs).square().sum(dtype=mine.dtype))
        norm += float(theirs.square().sum(dtype=mine.dtype))
    found = (apart / norm) ** 0.5 if norm else apart
    if not found <= (TF32 if name == "tf32" else APART[cell.dtype]):
        raise WrongOutput(f"C differs from the library's by {found:.1e} of its norm")
