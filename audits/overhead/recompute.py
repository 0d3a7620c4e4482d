"""When fusion loses: a costly function fused into a broadcast is computed once per row instead of once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from onekernel.bench.timing import L2Emptier, interleaved

ROWS, COLS = 8192, 8192
ROUNDS = (1, 4, 16, 64)


def measure(fused: Callable[..., int], apart: Callable[..., int]) -> list[dict[str, Any]]:
    """A row for each cost of the function: the samples of both ways. The launchers are bench/kernels/recompute.cu's."""
    import torch

    x, w = torch.randn(COLS, device="cuda"), torch.randn(ROWS, device="cuda")
    t = torch.empty(COLS, device="cuda")
    y, z = (torch.empty(ROWS, COLS, device="cuda") for _ in range(2))
    emptier = L2Emptier()

    def launched(launch: Callable[..., int], *values: Any) -> Callable[[], None]:
        def call() -> None:
            pointers = [v.data_ptr() if isinstance(v, torch.Tensor) else v for v in values]
            status = launch(*pointers, torch.cuda.current_stream().cuda_stream)
            if status:
                raise RuntimeError(f"recompute returned cudaError_t {status}")

        return call

    rows = []
    for rounds in ROUNDS:
        calls = {"fused": launched(fused, x, w, y, ROWS, COLS, rounds),
                 "apart": launched(apart, x, w, t, z, ROWS, COLS, rounds)}  # fmt: skip
        for call in calls.values():
            call()
        if not torch.equal(y, z):
            raise RuntimeError("the two ways give different values")
        samples = interleaved(calls, repeats=15, emptier=emptier)
        rows.append({"rounds": rounds, **{name: s.to_json() for name, s in samples.items()}})
    return rows
