"""The two tuned softmax kernels, called at hundreds of row lengths: at which, how, and what is wrong with an answer."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from audits.bench.softmax.cases import ITEMSIZE
from onekernel import cuda
from onekernel.course import fastest
from onekernel.loading import load_module
from onekernel.ops import OPERATORS, softmax
from onekernel.ops.base import SUFFIXES

CHUNK = 1 << 26  # elements that are compared at a time
CROWD_BYTES = 17 << 20  # enough for more rows than softmax_tuned takes at once, and for more blocks than may overlap
_AROUND = (-1, 0, 1)
_LAST = 4_200_000
# Where one of the kernels goes another way, in columns of 4 and of 2 bytes.
_LIMITS = (8, 16, 32, 64, 128, 256, 512, 1016, 1024, 2040, 2048, 8192, 16_384, 24_576, 32_768, 65_536, 98_304, 262_144,
           452_608, 524_288, 905_216, 2_097_152)  # fmt: skip

Kernel = Callable[[Any, Any], Any]  # of x and y, torch tensors of the same shape on a GPU


def _lengths() -> list[int]:
    found = {n for n in range(1, 33)}
    for k in range(23):
        found |= {factor * 2**k + d for factor in (1, 3, 5, 7) for d in _AROUND}
    for k in range(7):
        found |= {factor * 10**k + d for factor in (1, 2, 5) for d in _AROUND}
    found |= {limit + d for limit in _LIMITS for d in _AROUND}
    chance = random.Random(2026)
    found |= {int(2 ** chance.uniform(5, 22)) for _ in range(140)}
    return sorted(n for n in found if 1 <= n <= _LAST)


LENGTHS = _lengths()
GIANTS = (7_999_999, 10_000_000, 33_554_433, 100_000_001, 2**31 - 1, 2**31 + 3, 2**32)
"""One row each; x, y and the reference must fit in memory."""


def cuda_kernel(root: Path, slug: str, dtype: str) -> Kernel:
    """The launcher of the fastest `slug`.cu for a type. Raises RuntimeError with the error that a launch returned."""
    import torch

    prototype = OPERATORS["softmax"].prototype(slug, dtype)
    launcher = cuda.build(fastest(root, f"{slug}.cu"), [prototype]).function(slug + SUFFIXES[dtype])

    def call(x: Any, y: Any) -> None:
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        error = launcher(x.data_ptr(), y.data_ptr(), *x.shape, x.stride(0), y.stride(0), stream.value or 0)
        if error:
            raise RuntimeError(f"{slug} returned error {error}")

    return call


class triton_kernel:
    """The function of the course's fastest `slug`.py, with a say in what its autotuner does."""

    def __init__(self, root: Path, slug: str) -> None:
        from triton.runtime.autotuner import Autotuner

        self.module = load_module(fastest(root, f"{slug}.py"))
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


def _worst_of(kernel: Kernel, dtype: str, rows: int, cols: int) -> float:
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


def _record(kernel: str, dtype: str, rows: int, cols: int, worst: float, why: str = "") -> dict[str, Any]:
    """`worst`: the largest error of a value or row sum, over what the type allows. Right where it is at most 1."""
    right = worst <= 1.0 and not why
    said = {"why": why} if why else {"worst": float(f"{worst:.2g}") if worst < 1e9 else "not written, or NaN"}
    return {"kernel": kernel, "dtype": dtype, "rows": rows, "cols": cols, "right": right} | said


def check(name: str, kernel: Kernel, dtype: str, rows: int, cols: int) -> dict[str, Any]:
    """One call, as it goes to JSON: right, by how much it was off at the worst, or why it was refused."""
    try:
        return _record(name, dtype, rows, cols, _worst_of(kernel, dtype, rows, cols))
    except (RuntimeError, ValueError, MemoryError) as error:  # refused; the other lengths go on
        return _record(name, dtype, rows, cols, float("inf"), f"{type(error).__name__}: {error}".splitlines()[0][:200])


def check_cuda(kernel: Kernel, dtype: str) -> Iterable[dict[str, Any]]:
    """Every length with few rows and with many, because either may take another way."""
    order = random.Random(0).sample(LENGTHS, len(LENGTHS))
    for cols in order:
        crowd = CROWD_BYTES // (cols * ITEMSIZE[dtype]) + 1
        for rows in (3, 65) if cols <= 512 else (3, 65, crowd) if cols <= 8192 else (3, crowd):
            yield check("softmax_tuned", kernel, dtype, rows, cols)


def check_giants(kernels: dict[str, Callable[[str], Kernel]]) -> Iterable[dict[str, Any]]:
    """One row each, one after the other: they fill the memory."""
    import torch

    for dtype in ITEMSIZE:
        for cols in GIANTS:
            for name, of_type in kernels.items():
                yield check(name, of_type(dtype), dtype, 1, cols)
                torch.cuda.empty_cache()
