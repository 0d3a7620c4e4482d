"""What is measured for each page on Hopper: the page's kernel beside the same work without its one thing.

A part's ways are called on the same tensors. `wrong` runs a way once more and compares what it wrote with what torch,
or NumPy, says.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from onekernel.bench.timing import Call

READING = Path("solutions") / "reading" / "hopper"
BESIDE = Path("bench") / "hopper.cu"
SIDE = 16384  # rows and columns of floats: 1 GiB
ROUNDS = 20_000  # of a hand-over
STEPS = 4_000  # times that a tile is multiplied
PER_SM = (1, 2, 4, 8)  # blocks that stay
TILES, TILE_BYTES = 256, 16384  # 4 MiB, which L2 holds


@dataclass(frozen=True)
class Way:
    """One way to do a part's work. `work`: bytes, FLOPs or rounds of a call."""

    call: Call
    work: float
    wrong: Callable[[], bool]


@dataclass(frozen=True)
class Part:
    """A table: the ways by the keys of their names, and what a time becomes: GB/s, TFLOP/s or ns."""

    name: str
    unit: str
    ways: Mapping[str, Way]

    def rate(self, way: str, seconds: float) -> float:
        work = self.ways[way].work
        return seconds / work * 1e9 if self.unit == "ns" else work / seconds / {"GB/s": 1e9, "TFLOP/s": 1e12}[self.unit]


Libraries = Mapping[str, ctypes.CDLL]  # by the file's name without its ending


def sources(root: Path) -> list[Path]:
    """The pages' kernels and what they are measured beside."""
    return [*sorted((root / READING).glob("*.cu")), root / BESIDE]


def launch(library: ctypes.CDLL, name: str, *args: Any) -> None:
    """Calls a launcher on the current stream: tensors by their addresses, numbers as int64. Raises RuntimeError."""
    import torch

    passed = [ctypes.c_int64(a) if isinstance(a, int) else ctypes.c_void_p(a.data_ptr()) for a in args]
    status = getattr(library, name)(*passed, ctypes.c_void_p(torch.cuda.current_stream().cuda_stream))
    if status:
        raise RuntimeError(f"{name} returned cudaError_t {status}")


def _way(library: ctypes.CDLL, name: str, args: Sequence[Any], work: float, right: Callable[[], bool]) -> Way:
    call = functools.partial(launch, library, name, *args)
    return Way(call, work, functools.partial(_wrong, call, args, right))


def _wrong(call: Call, args: Sequence[Any], right: Callable[[], bool]) -> bool:
    """Whether a call leaves another result than it should in its output, the last tensor, which is spoilt before."""
    out = [a for a in args if not isinstance(a, int)][-1]
    out.view(-1)[:] = -1
    call()
    return not right()


def tensor_map(libraries: Libraries, sms: int) -> Part:
    import torch

    x = torch.randn(SIDE, SIDE, device="cuda")
    y = torch.empty_like(x)
    work, args = 2 * 4 * x.numel(), (x, y, SIDE, SIDE)
    files = {"tensor_map": "1_tensor_map", "plain_4": "hopper", "plain_16": "hopper"}
    ways = {name: _way(libraries[file], name, args, work, lambda: torch.equal(x, y)) for name, file in files.items()}
    return Part("tensor-map", "GB/s", ways | {"torch_copy": Way(lambda: y.copy_(x), work, lambda: False)})


def mbarrier(libraries: Libraries, sms: int) -> Part:
    import torch

    out = torch.zeros(32, dtype=torch.int32, device="cuda")
    lanes, seen = np.arange(32, dtype=np.uint32), np.zeros(32, np.uint32)
    for turn in range(ROUNDS):
        seen = seen * np.uint32(31) + (np.uint32(turn * 32) + lanes) * np.uint32(2654435761)

    def right() -> bool:
        return bool((out.cpu().numpy().view(np.uint32) == seen).all())

    files = {"mbarrier": "2_mbarrier", "synced": "hopper"}
    ways = {name: _way(libraries[file], name, (out, ROUNDS), ROUNDS, right) for name, file in files.items()}
    return Part("mbarrier", "ns", ways)


def wgmma(libraries: Libraries, sms: int) -> Part:
    """Tiles of random numbers stay in shared memory; as many blocks as run at once."""
    import torch

    a, b = (torch.randn(rows, 64, device="cuda").bfloat16() for rows in (64, 256))
    ways = {}
    for name, cols, per_sm, depth in (("wgmma_64", 64, 4, 64), ("wgmma_256", 256, 3, 64),
                                      ("mma_registers", 128, 4, 16), ("mma_shared", 128, 4, 64)):  # fmt: skip
        c = torch.empty(64, cols, device="cuda")
        want = STEPS * 64 / depth * (a[:, :depth].float() @ b[:cols, :depth].float().T)
        right = functools.partial(_near, c, want, 1e-2)
        flops = 2.0 * 64 * cols * 64 * STEPS * per_sm * sms
        ways[name] = _way(libraries["hopper"], name, (a, b, c, per_sm * sms, STEPS), flops, right)
    return Part("wgmma", "TFLOP/s", ways)


def producer(libraries: Libraries, sms: int) -> Part:
    import torch

    rows, cols = 64 * 4 * sms, 8192
    x, out = torch.randn(rows, cols, device="cuda"), torch.empty(rows, device="cuda")
    right = functools.partial(_near, out, x.exp().sum(1), 1e-5)
    files = {"sums_plain": "hopper", "sums_alone": "hopper", "producer": "4_producer"}
    ways = {name: _way(libraries[file], name, (x, out, rows, cols), 4 * x.numel(), right)
            for name, file in files.items()}  # fmt: skip
    return Part("producer", "GB/s", ways)


def persistent(libraries: Libraries, sms: int) -> Part:
    import torch

    x = torch.randn(SIDE, SIDE, device="cuda")
    y, want = torch.empty_like(x), x.tanh()
    ways = {f"stay_{n}" if n else "one_each":
            _way(libraries["5_persistent"], "persistent", (x, y, SIDE, SIDE, n), 2 * 4 * x.numel(),
                 functools.partial(_near, y, want, 1e-5))
            for n in (0, *PER_SM)}  # fmt: skip
    return Part("persistent", "GB/s", ways)


def multicast(libraries: Libraries, sms: int) -> Part:
    import torch

    queries = 8 * sms // 2 * 2
    b, q = torch.rand(TILES * TILE_BYTES // 4, device="cuda"), torch.rand(queries, device="cuda")
    out = torch.empty_like(q)
    want = torch.stack([(each - b).abs().sum() for each in q])
    ways = {name: _way(libraries["6_multicast"], "multicast", (b, q, out, TILES, queries, share),
                       queries * TILES * TILE_BYTES, functools.partial(_near, out, want, 1e-4))
            for name, share in (("not_shared", 0), ("shared", 1))}  # fmt: skip
    return Part("multicast", "GB/s", ways)


def _near(got: Any, want: Any, tolerance: float) -> bool:
    return bool(((got - want).abs().max() <= tolerance * want.abs().max()).item())


PARTS: dict[str, Callable[[Libraries, int], Part]] = {
    "tensor-map": tensor_map, "mbarrier": mbarrier, "wgmma": wgmma, "producer": producer,
    "persistent": persistent, "multicast": multicast,
}  # fmt: skip
