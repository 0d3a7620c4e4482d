"""What is compared: a kernel at a shape."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from onekernel.backends.call_arguments import Argument, of_file


@dataclass(frozen=True)
class Case:
    """A file, the shape that ncu sees, how much smaller the simulator's first is, ncu's runs, the card modelled."""

    file: str
    shape: tuple[int, ...]
    scale: int = 1
    runs: int = 1
    arch: str | None = None

    @property
    def name(self) -> str:
        return Path(self.file).stem

    @property
    def label(self) -> str:
        return f"{self.name} {' x '.join(f'{n:,}' for n in self.shape)}"

    def call(self, root: Path, scale: int) -> tuple[Path, str, list[Argument]]:
        """The file, its launcher and what that is called with, on one `scale`-th of the rows."""
        path = root / self.file
        shape = (self.shape[0] // scale, *self.shape[1:])
        return path, *of_file(path, shape)


SMALL, ODD, LARGE = (256, 1024), (100, 1001), (8192, 4096)
CASES = (
    Case("solutions/vector_add.cu", (1_000_003,)),
    Case("solutions/dot_product.cu", (1_000_003,)),
    Case("solutions/softmax_naive.cu", (64, 500)),
    Case("solutions/softmax_block.cu", SMALL, runs=3),
    Case("solutions/softmax_block.cu", ODD),
    # How rows are shared depends on how many multiprocessors there are.
    Case("solutions/record/softmax_tuned.cu", SMALL, arch="sm_90"),
    Case("solutions/record/softmax_tuned.cu", ODD, arch="sm_90"),
    Case("solutions/ladder/1_row_per_thread.cu", SMALL),
    Case("solutions/ladder/2_shared_tree.cu", SMALL),
    Case("solutions/ladder/3_warp_shuffle.cu", SMALL),
    Case("solutions/ladder/4_online.cu", SMALL),
    Case("solutions/ladder/4_online.cu", ODD),
    Case("solutions/ladder/5_vector_loads.cu", SMALL),
    Case("solutions/ladder/5_vector_loads.cu", ODD),
    Case("solutions/ladder/6_row_in_registers.cu", SMALL),
    Case("solutions/ladder/7_cluster.cu", (16, 65536), arch="sm_90"),
    Case("bench/kernels/copy.cu", (1_000_003,)),
    Case("bench/kernels/strided_copy.cu", (1 << 20,)),
    Case("bench/kernels/misaligned_copy.cu", (1 << 20,)),
    Case("bench/kernels/uneven_rows.cu", ODD),
    Case("bench/kernels/transpose.cu", (500, 1000), runs=3),
    Case("bench/kernels/transpose_padded.cu", (500, 1000), runs=3),
    Case("bench/kernels/divergent.cu", (1 << 20,)),
    Case("bench/kernels/shared_vectors.cu", (1 << 20,), runs=3),
)
BEYOND_L2 = (
    Case("solutions/vector_add.cu", (1 << 25,), 64),
    Case("solutions/softmax_block.cu", LARGE, 64),
    Case("solutions/ladder/2_shared_tree.cu", LARGE, 64),
    Case("bench/kernels/transpose_padded.cu", LARGE, 64),
)
