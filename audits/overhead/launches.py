"""What a launch costs: a chain of dependent kernels, launched one by one, early, and as one CUDA graph.

Time:   of the GPU between two events behind a sleeping GPU, so that the host is ahead; of the host around the calls.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

ELEMENTS = (1 << 10, 1 << 18, 1 << 22, 1 << 26)  # fp32: 4 KiB, 1 MiB, 16 MiB, 256 MiB, read and written by each kernel
KERNELS = 100  # in a chain
REPEATS = 15
SLEEP = 4_000_000  # cycles: about 2 ms, longer than the host needs for a chain

Call = Callable[[], Any]


def measure(chain: Callable[..., int]) -> list[dict[str, Any]]:
    """A row for each size and way: seconds per kernel, of GPU and host. `chain` is bench/kernels/chain.cu's."""
    import torch

    rows = []
    for n in ELEMENTS:
        a, b = torch.ones(n, device="cuda"), torch.ones(n, device="cuda")
        for way, call in _ways(chain, a, b).items():
            rows.append({"bytes": 4 * n, "way": way, **_seconds(call)})
    return rows


def _ways(chain: Callable[..., int], a: Any, b: Any) -> Mapping[str, Call]:
    import torch

    def stream(early: bool) -> Call:
        def call() -> None:
            where = torch.cuda.current_stream().cuda_stream
            status = chain(a.data_ptr(), b.data_ptr(), a.numel(), KERNELS, int(early), where)
            if status:
                raise RuntimeError(f"chain returned cudaError_t {status}")

        return call

    def eager() -> None:
        for k in range(KERNELS):
            torch.add(b if k % 2 else a, 1.0, out=a if k % 2 else b)

    _agree(stream, a, b)
    ways = {"torch": eager, "stream": stream(False), "early": stream(True)}
    return ways | {f"{way}-graph": _captured(call) for way, call in ways.items()}


def _agree(stream: Callable[[bool], Call], a: Any, b: Any) -> None:
    """Raises RuntimeError where an early launch gives another result: it has then read what was not yet written."""
    import torch

    found = []
    for early in (False, True):
        a.fill_(1.0)
        b.fill_(1.0)
        stream(early)()
        found.append(a.clone())
    if not torch.equal(*found):
        raise RuntimeError("the chain with early launches gives another result")


def _captured(call: Call) -> Call:
    import torch

    call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        call()
    return graph.replay


def _seconds(call: Call) -> dict[str, float]:
    """Medians per kernel: of the GPU with the host ahead, and of the host."""
    import torch

    gpu, host = [], []
    for turn in range(REPEATS + 2):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        torch.cuda._sleep(SLEEP)
        start.record()
        began = time.perf_counter()
        call()
        took = time.perf_counter() - began
        end.record()
        torch.cuda.synchronize()
        if turn >= 2:  # the first ones warm up
            gpu.append(start.elapsed_time(end) / 1e3 / KERNELS)
            host.append(took / KERNELS)
    return {"gpu_s": statistics.median(gpu), "host_s": statistics.median(host)}


def of(rows: Sequence[Mapping[str, Any]], way: str, size: int) -> Mapping[str, Any]:
    """The row of a way at a size in bytes."""
    return next(r for r in rows if r["way"] == way and r["bytes"] == size)
