"""What the bench of GEMM measures: squares, layers of three public models, ragged sizes, narrow ones, a long k."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from onekernel.ops.base import DTYPES

ITEMSIZE: dict[str, int] = {name: kind.itemsize for name, kind in DTYPES.items()}
KINDS = ("square", "model", "ragged", "skinny", "small-batch", "long-k")
RUNG_SIZE = 4096  # of the squares in which the ladder is compared with the library

# Out- and input widths of the largest layers, from the models' published config.json: (n, k).
MODELS = {
    "GPT-2": ((2304, 768), (3072, 768), (768, 3072)),
    "Llama 3 8B": ((6144, 4096), (28672, 4096), (4096, 14336)),
    "Mixtral 8x7B": ((4096, 4096), (14336, 4096), (4096, 14336)),
}
TOKENS = {"GPT-2": 8192, "Llama 3 8B": 4096, "Mixtral 8x7B": 2048}
SQUARES = (512, 1024, 2048, 4096, 8192, 16384)
# The issue that asked for this bench names them m x n x k; each is measured with its short side elsewhere as well.
SKINNY_FP32 = ((131072, 4096, 8), (16384, 4096, 16), (131072, 64, 64), (131072, 8, 4096), (16384, 16, 4096))
SKINNY_BF16 = (
    (16, 7168, 2048), (131072, 64, 64), (4096, 64, 4096), (16384, 4096, 16), (16384, 16, 4096), (16, 2048, 7168),
)  # fmt: skip


@dataclass(frozen=True)
class Cell:
    """One product: C (m x n) = A (m x k) B, or A B^T where `turned`; row-major, dense."""

    kind: str
    dtype: str
    m: int
    n: int
    k: int
    turned: bool = False

    @property
    def flops(self) -> int:
        return 2 * self.m * self.n * self.k

    @property
    def bytes(self) -> int:
        """The least that must move: A and B read once, C written once."""
        return (self.m * self.k + self.k * self.n + self.m * self.n) * ITEMSIZE[self.dtype]

    @property
    def large(self) -> bool:
        """Whether it is one of those in which the reference is to keep up with the library."""
        return min(self.m, self.n, self.k) >= 2048 and self.kind in ("square", "model")

    @property
    def name(self) -> str:
        return f"{self.m} x {self.n} x {self.k}"


def grid() -> Iterator[Cell]:
    """The cells of a run, those that decide most first: a run may be cut short."""
    for size in (8192, 4096, 2048):
        yield from (Cell("square", "bfloat16", size, size, size, turned) for turned in (False, True))
    yield from (Cell("skinny", "bfloat16", *shape, turned) for shape in SKINNY_BF16 for turned in (False, True))
    yield from (Cell("skinny", "float32", *shape) for shape in SKINNY_FP32)
    yield from (Cell("square", "float16", size, size, size) for size in (8192, 4096, 2048))
    for model, layers in MODELS.items():
        yield from (Cell("model", "bfloat16", TOKENS[model], n, k, turned=True) for n, k in layers)
    yield from (Cell("square", "bfloat16", size, size, size) for size in SQUARES if size not in (2048, 4096, 8192))
    yield from (
        Cell("ragged", "bfloat16", *shape) for shape in ((4100, 4100, 4100), (4097, 4097, 4097), (3000, 5000, 1016))
    )
    yield from (Cell("small-batch", "bfloat16", m, 14336, 4096, turned=True) for m in (16, 64, 128, 256))
    yield from (Cell("long-k", "bfloat16", size, size, 65536) for size in (256, 512))
    yield from (Cell("square", "float32", size, size, size) for size in (8192, 4096, 2048))
