"""What the bench of fusion measures: four operators on tensors from 4 KiB to 4 GiB."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from audits.bench.graphs import LAUNCH_BOUND_BYTES
from onekernel.ops.base import DTYPES

OPERATIONS = ("gelu", "softmax_mul", "rmsnorm", "cos_cos")
TWO_INPUTS = ("softmax_mul", "rmsnorm")
ITEMSIZE: dict[str, int] = {name: kind.itemsize for name, kind in DTYPES.items()}
COLS = 8192
KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
SWEEP = (4 * KIB, 64 * KIB, MIB, 16 * MIB, 64 * MIB, 256 * MIB, GIB, 4 * GIB)
SWEPT = "bfloat16"  # the type of the sweep; the others are measured at LARGE
LARGE = (64 * MIB, GIB)
RAGGED = 256 * MIB


@dataclass(frozen=True)
class Case:
    """One operator on tensors of `size` bytes each, in rows of COLS. `ragged`: rows of COLS - 1 elements, one after
    the other from the second element of an allocation on, so that none begins where the one before it did."""

    operation: str
    dtype: str
    size: int
    ragged: bool = False

    @property
    def shape(self) -> tuple[int, int]:
        elements = self.size // ITEMSIZE[self.dtype]
        cols = min(COLS, elements)
        return elements // cols, cols - self.ragged

    @property
    def inputs(self) -> int:
        return 2 if self.operation in TWO_INPUTS else 1

    @property
    def traffic(self) -> int:
        """The least bytes that a call moves: each input read once, the output written once."""
        rows, cols = self.shape
        return (self.inputs + 1) * rows * cols * ITEMSIZE[self.dtype]

    @property
    def launch_bound(self) -> bool:
        return self.traffic < LAUNCH_BOUND_BYTES

    @property
    def counted(self) -> bool:
        """Whether its kernels and bytes are counted: once where the launch decides, once where memory does."""
        return self.dtype == SWEPT and not self.ragged and self.size in (SWEEP[0], LARGE[0])

    @property
    def reference(self) -> str:
        """What limits it: a copy, or the addition of two tensors."""
        return "add" if self.inputs == 2 else "copy"


def grid() -> Iterator[Case]:
    """The cases of a run: the large ones first, since a run may be cut short."""
    for operation in OPERATIONS[:3]:
        for dtype in ITEMSIZE:
            yield from (Case(operation, dtype, size) for size in LARGE)
            yield Case(operation, dtype, RAGGED, ragged=True)
    for operation in OPERATIONS:
        large = LARGE if operation in OPERATIONS[:3] else ()
        yield from (Case(operation, SWEPT, size) for size in SWEEP if size not in large)


def size_name(size: int) -> str:
    """ "4 KiB", "64 MiB", "1 GiB"."""
    for unit, name in ((GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB")):
        if size >= unit:
            return f"{size // unit} {name}"
    return f"{size} B"
