"""The shapes of the softmax bench."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from audits.bench.graphs import LAUNCH_BOUND_BYTES
from onekernel.ops.base import DTYPES

ITEMSIZE: dict[str, int] = {name: kind.itemsize for name, kind in DTYPES.items()}

# Regular, ragged, long and few rows; 1 GiB in fp32 and a little over at the most. The columns of vocabularies: 50257
# (GPT-2), 128256 (Llama 3), 151936 (Qwen). The last lines: rows that no cluster holds.
SHAPES = (
    (131072, 128), (65536, 256), (32768, 512), (32768, 1000), (16384, 1024), (16384, 2048), (8192, 4096), (8192, 4095),
    (8192, 8192), (4096, 12345), (4096, 16384), (4096, 32768), (4096, 50257), (2048, 65536), (2048, 131072),
    (1024, 262144), (128, 131072), (16, 262144), (1, 4194304), (1024, 1024), (128, 4096),
    (262144, 63), (32768, 781), (16384, 1025), (16384, 2049), (8192, 4097), (4096, 9217), (2048, 24513),
    (1024, 128256), (1024, 151936),
    (600, 200001), (300, 500000), (150, 750001), (128, 1000000), (64, 1500000), (64, 2000000), (40, 3000001),
    (25, 5000000), (12, 10000000), (6, 20000001),
)  # fmt: skip
SHIFTED = ((8192, 4096), (4096, 50257))  # the base pointer one element further
QUICK = ((32768, 512), (8192, 4096), (4096, 12345), (2048, 65536), (1024, 1024))


@dataclass(frozen=True)
class Case:
    """One shape of one type; `shift` elements between a 256-byte boundary and the first element."""

    dtype: str
    rows: int
    cols: int
    shift: int = 0

    @property
    def bytes(self) -> int:
        """The ideal traffic: every element read once and written once."""
        return 2 * self.rows * self.cols * ITEMSIZE[self.dtype]

    @property
    def launch_bound(self) -> bool:
        return self.bytes < LAUNCH_BOUND_BYTES

    @property
    def name(self) -> str:
        return f"{self.rows} x {self.cols}" + (f" +{self.shift}" if self.shift else "")


def grid(dtypes: Sequence[str] = tuple(ITEMSIZE), quick: bool = False) -> Iterator[Case]:
    """The cases of a run, types outermost."""
    for dtype in dtypes:
        yield from (Case(dtype, rows, cols) for rows, cols in (QUICK if quick else SHAPES))
        yield from (Case(dtype, rows, cols, 1) for rows, cols in (SHIFTED[:1] if quick else SHIFTED))
