"""One cell of the GEMM bench: timed in turns with L2 emptied before each call, then looked at.

The outputs that are looked at are those of the timed calls: C is filled with NaN before them. A way that is wrong keeps
no time. `copy` moves the same bytes, half of them read and half written, and is the floor of a cell that memory binds.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from onekernel.bench import device
from onekernel.bench.gemm.answers import WrongOutput, check, reference
from onekernel.bench.gemm.cells import Cell
from onekernel.bench.gemm.ways import LIBRARY, Call, Ways
from onekernel.bench.timing import L2Emptier, interleaved

REPEATS = 11
COPY_MOST_BYTES = 8 << 30
SUSTAINED_SECONDS = 0.8
SAMPLE_SECONDS = 0.05


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
