"""The two tuned softmax kernels as functions of torch tensors, and what is wrong with an answer of theirs."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from onekernel import cuda
from onekernel.ops import OPERATORS, softmax
from onekernel.ops.base import SUFFIXES
from onekernel.triton.loading import load_module

CHUNK = 1 << 26  # elements that are compared at a time

Kernel = Callable[[Any, Any], Any]  # of x and y, torch tensors of the same shape on a GPU


def cuda_kernel(root: Path, slug: str, dtype: str) -> Kernel:
    """The launcher of solutions/`slug`.cu for a type. Raises RuntimeError with the error that a launch returned."""
    import torch

    prototype = OPERATORS["softmax"].prototype(slug, dtype)
    launcher = cuda.build(root / "solutions" / f"{slug}.cu", [prototype]).function(slug + SUFFIXES[dtype])

    def call(x: Any, y: Any) -> None:
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        error = launcher(x.data_ptr(), y.data_ptr(), *x.shape, x.stride(0), y.stride(0), stream.value or 0)
        if error:
            raise RuntimeError(f"{slug} returned error {error}")

    return call


class triton_kernel:
    """The function of solutions/`slug`.py, with a say in what its autotuner does."""

    def __init__(self, root: Path, slug: str) -> None:
        from triton.runtime.autotuner import Autotuner

        self.module = load_module(root / "solutions" / f"{slug}.py")
        self.function = getattr(self.module, slug)
        self.tuned = [value for value in vars(self.module).values() if isinstance(value, Autotuner)]

    def __call__(self, x: Any, y: Any) -> None:
        self.function(x, y)

    def choose(self, choice: Callable[[Sequence[Any]], Any]) -> None:
        """For each key, `choice` picks one of the configurations that pruning keeps, without timing any."""
        for tuned in self.tuned:
            kept = tuned.prune_configs
            tuned.prune_configs = lambda asked, kept=kept: [choice(kept(asked))]
            tuned.do_bench = _untimed

    def time_briefly(self) -> None:
        """Three runs are enough to choose among configurations that differ by more than a percent or two."""
        for tuned in self.tuned:
            tuned.do_bench = _briefly

    def forget(self) -> None:
        """Calls go through the autotuner again; what it chose stays."""
        self.module.LAUNCHES.clear()


def _untimed(run: Callable[[], Any], quantiles: Sequence[float]) -> list[float]:
    run()
    return [0.0] * len(quantiles)


def _briefly(run: Callable[[], Any], quantiles: Sequence[float]) -> list[float]:
    import torch

    taken = []
    for _ in range(4):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        run()
        end.record()
        end.synchronize()
        taken.append(begin.elapsed_time(end))
    return [sorted(taken[1:])[1]] * len(quantiles)


def worst_of(kernel: Kernel, dtype: str, rows: int, cols: int) -> float:
    """The largest error of `kernel` on random rows, over what the type allows: of a value, and of a row's sum.

    The first row's maximum is in its last column, the second's is a hundred above the rest in its first. What was not
    written is NaN and counts as infinitely wrong. Row sums may be off by the tolerance of a value, by 1e-5, and by what
    rounding to the type's smallest steps takes from values near 0.
    """
    import torch

    torch.manual_seed(cols)
    x = torch.randn(rows, cols, device="cuda", dtype=getattr(torch, dtype))
    x[0, -1] = 12.0
    if rows > 1:
        x[1, 0] = 100.0
    y = torch.full_like(x, float("nan"))
    kernel(x, y)
    worst = 0.0
    columns = [slice(k, k + CHUNK) for k in range(0, cols, CHUNK)]
    together = max(1, CHUNK // cols)  # many short rows are compared at once: thousands of small calls take minutes
    for asked, answer in zip(x.split(together), y.split(together), strict=True):
        top = asked.amax(1, keepdim=True).double()
        total = sum(torch.exp(asked[:, c].double() - top).sum(1, keepdim=True) for c in columns)
        got_sum = torch.zeros(len(asked), dtype=torch.float64, device="cuda")
        error = torch.zeros((), dtype=torch.float64, device="cuda")
        for c in columns:
            want, got = torch.exp(asked[:, c].double() - top) / total, answer[:, c].double()
            limit = softmax.RELATIVE[dtype] * want + softmax.ABSOLUTE[dtype]
            error = torch.maximum(error, ((got - want).abs() / limit).max())
            got_sum += got.sum(1)
        off = (got_sum - 1).abs() / (softmax.RELATIVE[dtype] + 1e-5 + cols * softmax.SMALLEST_STEP[dtype] / 2)
        both = torch.maximum(error, off.max()).item()  # NaN, where either is
        worst = max(worst, both if both == both else float("inf"))
    return worst
