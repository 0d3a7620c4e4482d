"""Chrome traces as torch.profiler writes them, made by hand."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

BIG = ([4096, 4096], [4096, 4096])  # a product that fp32 arithmetic limits on every card
CARD = "NVIDIA H200"


class Builder:
    """Adds what happens at a moment; times in microseconds."""

    def __init__(self, card: str = CARD) -> None:
        self.events: list[dict[str, Any]] = []
        self.card = card
        self._next = 0

    def add(self, cat: str, name: str, ts: float, dur: float, tid: int = 1, **args: Any) -> None:
        self.events.append(
            {"ph": "X", "cat": cat, "name": name, "pid": 1, "tid": tid, "ts": ts, "dur": dur, "args": args}
        )

    def op(self, name: str, ts: float, dur: float, dims: Sequence[Sequence[int]] = (), dtype: str = "float") -> None:
        self.add("cpu_op", name, ts, dur, **{"Input Dims": list(dims), "Input type": [dtype] * len(dims)})

    def mark(self, name: str, ts: float, dur: float) -> None:
        self.add("user_annotation", name, ts, dur)

    def allocation(self, ts: float, size: int, address: int, device: int = 1) -> None:
        args = {"Bytes": size, "Addr": address, "Device Type": device}
        self.events.append(
            {"ph": "i", "cat": "cpu_instant_event", "name": "[memory]", "pid": 1, "tid": 1, "ts": ts, "args": args}
        )

    def kernel(
        self, name: str, ts: float, dur: float, op: str = "", dims: Sequence[Sequence[int]] = (),
        at: float | None = None, dtype: str = "float", cat: str = "kernel", call: str = "cudaLaunchKernel",
        stream: int = 7, **args: Any,
    ) -> None:  # fmt: skip
        """Work on the GPU, launched at `at` (a microsecond before it starts) by an operator, if one is named."""
        self._next += 1
        at = ts - 1 if at is None else at
        if op:
            self.op(op, at - 0.25, 0.75, dims, dtype)
        self.add("cuda_runtime", call, at, 0.25, correlation=self._next)
        self.add(cat, name, ts, dur, correlation=self._next, device=0, stream=stream, **args)

    def step(self, start: float, end: float) -> None:
        self.mark("onekernel:step", start, end - start)

    def data(self, about: Mapping[str, Any] | None = None) -> dict[str, Any]:
        cards = [{"id": 0, "name": self.card}] if self.card else []
        return {
            "schemaVersion": 1,
            "deviceProperties": cards,
            "traceEvents": self.events,
            "onekernel": dict(about or {}),
        }

    def write(self, path: Path, about: Mapping[str, Any] | None = None) -> Path:
        path.write_text(json.dumps(self.data(about)), encoding="utf-8")
        return path
