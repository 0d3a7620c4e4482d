"""Speed credit on a GPU: what a learner's kernel earns for its speed, and what is and is not believed.

The limit is a copy, or the addition of two tensors where an operator reads two; the floor is what PyTorch's largest
operators for it reach. 30 % of their speed at the representative shape, in fp32 and bf16, earns PASS of the points.
From there the credit rises in a straight line with the kernel's share of the limit's speed, averaged over the
operator's shapes, and is full at 90 %. Of a matrix product NVIDIA's library, by torch.matmul, is both.

What is protected. The times come from the process that runs the submission, and that process can lie: it may patch the
timer, skip launches, or report what it likes. So the trusted side bounds them. It
  - draws the inputs, how many launches are timed and which one of them leaves its output to be compared with the oracle
    (`CudaProgram.timed`): a launch that did no work is found by its result (`Timed.right`);
  - computes from the card's own figures, not from the worker's, the least time the traffic takes (`Timed.floor`), and
    refuses anything faster: no forged time earns more than the card could;
  - takes the times of F.softmax and of the copy from a process in which the submission was never loaded.
What is not protected. A submission that hooks the timer can report any time between the card's limit and the truth, and
this looks like an excellent kernel. Where speed decides a mark, run the bench on the submission alone and look.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from onekernel.bench.device import Device
from onekernel.bench.sample import AboveRoof, Sample, floor_seconds, refuse_above_roof
from onekernel.bench.timing import L2Emptier, interleaved
from onekernel.messages import Message

PASS = 0.4  # of the points, for FLOOR_SPEED of F.softmax
FLOOR_SPEED = 0.30
FULL_SPEED = 0.90  # of the copy, averaged over SHAPES
DTYPES = ("float32", "bfloat16")
REPRESENTATIVE = (8192, 4096)
SHAPES = ((16384, 1024), (8192, 4096), (8192, 4095), (2048, 16384), (512, 65536))
FUSED_SHAPES = ((4096, 4096), (4096, 4095), (16384, 1024))
PRODUCT_SHAPES = ((4096, 4096, 4096), (2048, 2048, 2048), (4096, 1024, 4096))  # m, n, k
REPEATS = 15  # of the references
LAUNCHES = (15, 25)  # the trusted side draws how many, from this range
# How much faster than its fp32 units a card's Tensor Cores may be in 16 bits: 15 times on an H200. It bounds what a
# process may claim, and nothing is measured by it: a generous number forgives a newer card.
MOST_BY_TENSOR_CORES = 32


@dataclass(frozen=True)
class Beside:
    """What an operator's speed is measured beside: its limit, "copy", "add" or "library"; PyTorch's operators, by name;
    at which shapes. The first of them, or `representative`, decides whether any points are earned."""

    limit: str
    torch: str
    shapes: tuple[tuple[int, ...], ...]
    representative: tuple[int, ...]

    @property
    def words(self) -> dict[str, object]:
        """What sentences call them."""
        return {"limit": Message(f"bench.limit-{self.limit}"), "name": self.torch}


BESIDE = {
    "softmax": Beside("copy", "F.softmax", SHAPES, REPRESENTATIVE),
    "gelu": Beside("copy", "F.gelu", FUSED_SHAPES, FUSED_SHAPES[0]),
    "softmax_mul": Beside("add", "F.softmax(x) * w", FUSED_SHAPES, FUSED_SHAPES[0]),
    "rmsnorm": Beside("add", "F.rms_norm(x + residual)", FUSED_SHAPES, FUSED_SHAPES[0]),
    "gemm": Beside("library", "torch.matmul", PRODUCT_SHAPES, PRODUCT_SHAPES[0]),
}
Key = tuple[str, *tuple[int, ...]]  # an element type and the sizes of a shape


def types_of(dtypes: Sequence[str]) -> tuple[str, ...]:
    """Of an exercise's element types those that its speed is measured in."""
    return tuple(d for d in DTYPES if d in dtypes)


@dataclass(frozen=True)
class Timed:
    """One shape and type: the submission's time, the references' (another process), the limit, and the check.

    `floor` is `sample.floor_seconds` of the card, in seconds. `right` says whether the launch that was picked had
    written the right result.
    """

    ours: Sample
    copy: Sample
    torch: Sample
    floor: float
    right: bool


@dataclass(frozen=True)
class Credit:
    """The fraction of the speed points, 0 to 1, and why it is that."""

    fraction: float
    notes: tuple[Message, ...]


def score(times: Mapping[Key, Timed], operator: str = "softmax", dtypes: Sequence[str] = DTYPES) -> Credit:
    """Scores the times by (dtype, *sizes): `dtypes` x the operator's shapes are expected; one that is missing counts as
    zero."""
    notes: list[Message] = []
    beside = BESIDE[operator]
    passed = [_passes(times.get((dtype, *beside.representative)), dtype, beside, notes) for dtype in dtypes]
    if not all(passed):
        return Credit(0.0, tuple(notes))
    speeds = [_of_copy(times.get((dtype, *shape)), _told(dtype, shape), notes)
              for dtype in dtypes for shape in beside.shapes]  # fmt: skip
    mean = sum(speeds) / len(speeds)
    values = {"percent": 100 * mean, "count": len(speeds), "full": 100 * FULL_SPEED, **beside.words}
    notes.append(Message("bench.credit-copy", values))
    return Credit(PASS + (1 - PASS) * min(1.0, mean / FULL_SPEED), tuple(notes))


def tell(timed: Timed | None, dtype: str, shape: tuple[int, ...], operator: str = "softmax") -> Message:
    """One time beside its references, or why it does not stand."""
    told, notes = _told(dtype, shape), list[Message]()
    if not _stands(timed, told, notes):
        return notes[0]
    assert timed is not None
    ours = timed.ours.median
    values = {
        "shape": told,
        "us": ours * 1e6,
        "spread": 100 * timed.ours.spread,
        "copy": 100 * timed.copy.median / ours,
        "torch": 100 * timed.torch.median / ours,
        **BESIDE[operator].words,
    }
    return Message("bench.timed-at", values)


def _passes(timed: Timed | None, dtype: str, beside: Beside, notes: list[Message]) -> bool:
    shape = _told(dtype, beside.representative)
    if not _stands(timed, shape, notes):
        return False
    assert timed is not None
    speed = timed.torch.median / timed.ours.median
    if speed < FLOOR_SPEED:
        values = {"shape": shape, "percent": 100 * speed, "needed": 100 * FLOOR_SPEED, **beside.words}
        notes.append(Message("bench.credit-below-floor", values))
    return speed >= FLOOR_SPEED


def _told(dtype: str, shape: tuple[int, ...]) -> str:
    return f"{dtype} {' x '.join(map(str, shape))}"


def _of_copy(timed: Timed | None, shape: str, notes: list[Message]) -> float:
    """The share of the copy's speed, at most 1; 0 for a time that does not stand."""
    if not _stands(timed, shape, notes):
        return 0.0
    assert timed is not None
    return min(1.0, timed.copy.median / timed.ours.median)


def _stands(timed: Timed | None, shape: str, notes: list[Message]) -> bool:
    """Whether a time may be believed as far as it can be; the reason goes to the notes, once."""
    note = None
    if timed is None:
        note = Message("bench.credit-missing", {"shape": shape})
    elif not timed.right:
        note = Message("bench.credit-wrong", {"shape": shape})
    else:
        try:
            refuse_above_roof(timed.ours, timed.floor)
        except AboveRoof:
            values = {"shape": shape, "seconds": timed.ours.median * 1e6, "floor": timed.floor * 1e6}
            note = Message("bench.credit-above-roof", values)
    if note is not None and note not in notes:
        notes.append(note)
    return note is None


def references(
    device: Device, operator: str = "softmax", dtypes: Sequence[str] = DTYPES
) -> dict[Key, tuple[Sample, Sample, float]]:
    """The limit's time, PyTorch's and the least possible one (seconds), by (dtype, *sizes), on this card.

    Runs in the trusted process: no submission may have been loaded into it.
    """
    emptier = L2Emptier()
    shapes = BESIDE[operator].shapes
    return {(d, *shape): reference(device, d, shape, emptier, operator) for d in dtypes for shape in shapes}


def reference(
    device: Device, dtype: str, shape: tuple[int, ...], emptier: L2Emptier | None = None, operator: str = "softmax"
) -> tuple[Sample, Sample, float]:
    """`references` for one element type and shape."""
    import torch

    if operator == "gemm":
        return _product(device, dtype, shape, emptier)
    x, w = (torch.randn(shape, device="cuda").to(getattr(torch, dtype)) for _ in range(2))
    y = torch.empty_like(x)
    two = BESIDE[operator].limit == "add"
    limit = partial(torch.add, x, w, out=y) if two else partial(y.copy_, x)
    samples = interleaved({"limit": limit, "torch": partial(_by_torch, operator, x, w, y)}, REPEATS, emptier)
    size = x.numel() * x.element_size()
    floor = floor_seconds((1 + two) * size, size, device.datasheet_bandwidth, device.l2_bytes)
    return samples["limit"], samples["torch"], floor


def _by_torch(operator: str, x: Any, w: Any, y: Any) -> Any:
    """PyTorch's largest operators for it."""
    import torch
    import torch.nn.functional as F

    if operator == "softmax":
        return torch.softmax(x, dim=1, out=y)
    if operator == "softmax_mul":
        return torch.softmax(x, dim=1) * w
    return F.gelu(x) if operator == "gelu" else F.rms_norm(x + w, w.shape[1:], w[0], 1e-5)


def _product(
    device: Device, dtype: str, shape: tuple[int, ...], emptier: L2Emptier | None
) -> tuple[Sample, Sample, float]:
    """The library's time at (m, n, k), twice, as what limits and as PyTorch's; and the least possible one (seconds).

    float32 is multiplied in float32: torch takes tf32 only where it is told to.
    """
    import torch

    m, n, k = shape
    a, b = (torch.randn(dims, device="cuda").to(getattr(torch, dtype)) for dims in ((m, k), (k, n)))
    c = torch.empty((m, n), dtype=a.dtype, device="cuda")
    library = interleaved({"library": partial(torch.matmul, a, b, out=c)}, REPEATS, emptier)["library"]
    return library, library, least_for_product(device, dtype, shape, a.element_size())


def least_for_product(device: Device, dtype: str, shape: tuple[int, ...], itemsize: int) -> float:
    """Seconds that no matrix product takes less than: for the bytes of A, B and C, and for the multiply-adds."""
    m, n, k = shape
    moved = floor_seconds((m * k + k * n) * itemsize, m * n * itemsize, device.datasheet_bandwidth, device.l2_bytes)
    units = 1 if dtype == "float32" else MOST_BY_TENSOR_CORES
    return max(moved, 2 * m * n * k / (device.fma_rate * units))
