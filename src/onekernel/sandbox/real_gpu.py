"""The device of the benchmark exercise on a real GPU, by torch: the methods of SimulatedGPU, and two real functions."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import torch


def one_operator(x: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
    """GeLU as PyTorch has it, one kernel."""
    return torch.ops.aten.gelu.out(x, approximate="tanh", out=torch.empty_like(x) if out is None else out)  # type: ignore[no-any-return]


def three_operators(x: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
    """(2 x + 1) * x in three kernels, each with its own pass over memory."""
    out = torch.mul(x, 2.0, out=torch.empty_like(x) if out is None else out)
    torch.add(out, 1.0, out=out)
    return torch.mul(out, x, out=out)


class RealEvent:
    """A CUDA event; seconds."""

    def __init__(self) -> None:
        self._event: Any = torch.cuda.Event(enable_timing=True)

    def record(self) -> None:
        self._event.record()

    def elapsed(self, later: RealEvent) -> float:
        return float(self._event.elapsed_time(later._event)) / 1e3


class RealGPU:
    """The current CUDA device."""

    def __init__(self) -> None:
        self.l2_bytes = int(torch.cuda.get_device_properties(torch.cuda.current_device()).L2_cache_size)

    def clock(self) -> float:
        return time.perf_counter()

    def synchronize(self) -> None:
        torch.cuda.synchronize()

    def event(self) -> RealEvent:
        return RealEvent()

    def randn(self, n: int) -> torch.Tensor:
        return torch.randn(n, device="cuda")

    def zeros(self, n: int) -> torch.Tensor:
        return torch.zeros(n, device="cuda")

    def ones(self, n: int) -> torch.Tensor:
        return torch.ones(n, device="cuda")

    def empty(self, n: int) -> torch.Tensor:
        return torch.empty(n, device="cuda")

    def fill(self, tensor: torch.Tensor) -> None:
        tensor.zero_()

    def functions(self) -> tuple[Callable[..., torch.Tensor], Callable[..., torch.Tensor]]:
        return one_operator, three_operators
