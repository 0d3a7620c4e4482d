"""Who takes part in the bench of GEMM: the library by both of its doors, the course's own kernels, the ladder's rungs.

Each way binds to the tensors of a cell and gives a call without arguments that writes into the given C.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

from audits.bench.gemm.build import BuildFailed, Launcher, Source, launcher, libraries
from audits.bench.gemm.cells import RUNG_SIZE, Cell
from onekernel.loading import load_module
from onekernel.ops.base import SUFFIXES

LIBRARY = ("cublas", "cublaslt")
OWN = ("gemm_tensorcore", "gemm_mma", "gemm_tiled", "gemm_skinny", "gemm_triton")
PLAIN = {"gemm_mma": "gemm_tensorcore"}  # built for the card's plain architecture, where its mma.sync path is taken
RUNG = "ladder/"

Call = Callable[[], Any]


def contenders(root: Path) -> dict[str, Path]:
    """The course's ways of a checkout, each with its file: its own kernels, then the rungs."""
    solutions = root / "solutions"
    files = {name: next(solutions.glob(f"{PLAIN.get(name, name)}.*"), None) for name in OWN}
    rungs = {f"{RUNG}{p.stem}": p for p in sorted((solutions / "ladder").glob("gemm_[0-9]*.cu"))}
    return {name: path for name, path in files.items() if path} | rungs


def takes_part(name: str, cell: Cell) -> bool:
    """Whether a cell is what one of the contenders is made for."""
    half, square = cell.dtype != "float32", cell.m == cell.n == cell.k
    plain = square and not cell.turned
    if name.startswith(RUNG):
        on_tensor_cores = int(name.split("_")[1]) >= 10
        sizes = (RUNG_SIZE, 2 * RUNG_SIZE) if on_tensor_cores else (RUNG_SIZE,)
        return plain and cell.dtype != "float16" and on_tensor_cores == half and cell.m in sizes
    if name == "gemm_skinny":
        return cell.kind in ("skinny", "small-batch") and cell.dtype != "float16"
    if name == "gemm_tiled":
        return plain and not half
    return half and (name != "gemm_mma" or (plain and cell.m >= 1024))


class Ways:
    """The contenders of a checkout, built once for the card: all, or those of the names `only`."""

    def __init__(self, root: Path, arch: str, only: Collection[str] = ()) -> None:
        self._only = frozenset(only)
        self._files = {name: path for name, path in contenders(root).items() if not only or name in only}
        plain = arch.rstrip("a")
        wanted = {name: Source(path, plain if name in PLAIN else arch)
                  for name, path in self._files.items() if path.suffix == ".cu"}  # fmt: skip
        self.sources = {name: source.path for name, source in wanted.items()}
        built = libraries(wanted.values())
        self._libraries = {name: built[source] for name, source in wanted.items()}

    def bound(
        self, cell: Cell, a: Any, b: Any, outputs: Callable[[], Any]
    ) -> Iterator[tuple[str, Any, Call | Exception]]:
        """The library, and each way that takes part in a cell: its name, its own C, its call or why it has none."""
        for name in LIBRARY:
            c = outputs()
            yield name, c, _library(name, a, b.T if cell.turned else b, c)
        if cell.dtype == "float32" and not self._only:
            c = outputs()
            yield "tf32", c, _library("tf32", a, b.T if cell.turned else b, c)
        for name in self._files:
            if not takes_part(name, cell):
                continue
            c = outputs()
            try:
                yield name, c, self._own(name, cell, a, b, c)
            except Exception as error:  # a build that failed, a launcher that is missing: the others go on
                yield name, c, error

    def _own(self, name: str, cell: Cell, a: Any, b: Any, c: Any) -> Call:
        if name == "gemm_triton":
            function = load_module(self._files[name], once=True).gemm_triton
            return lambda: function(a, b, c, int(cell.turned), 1.0, 0.0)
        library = self._libraries[name]
        if isinstance(library, BuildFailed):
            raise library
        symbol = f"{self.sources[name].stem}{SUFFIXES[cell.dtype]}"
        return _call(launcher(library, symbol), cell, a, b, c)


def _call(function: Launcher, cell: Cell, a: Any, b: Any, c: Any) -> Call:
    import torch

    arguments = (
        a.data_ptr(),
        b.data_ptr(),
        c.data_ptr(),
        cell.m,
        cell.n,
        cell.k,
        a.stride(0),
        b.stride(0),
        c.stride(0),
    )

    def call() -> None:
        status = function(*arguments, int(cell.turned), 1.0, 0.0, torch.cuda.current_stream().cuda_stream)
        if status:
            raise RuntimeError(f"the launcher returned {status}")

    return call


def _library(name: str, a: Any, b: Any, c: Any) -> Call:
    """PyTorch's matrix product by one door of NVIDIA's library; "tf32" is fp32's on Tensor Cores, with 10 bits."""
    import torch

    def call() -> None:
        torch.backends.cuda.preferred_blas_library("cublaslt" if name == "cublaslt" else "cublas")
        torch.backends.cuda.matmul.allow_tf32 = name == "tf32"
        torch.mm(a, b, out=c)

    return call
