"""Whether the outputs of timed calls are right: some rows in float64, and all of C beside the library's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from onekernel.bench.gemm.cells import Cell
from onekernel.ops import gemm

ROWS = 3
APART = {"float32": 1e-5, "float16": 2e-3, "bfloat16": 1.2e-2}  # of two right answers, by the norm of their difference
TF32 = 2e-3


class WrongOutput(ValueError):
    """A way wrote something else than the product."""


@dataclass(frozen=True)
class Reference:
    """What is right in some rows of C, in float64, and how much the operator's tolerance allows there."""

    rows: list[int]
    want: np.ndarray
    limit: np.ndarray
    magnitude: np.ndarray


def reference(cell: Cell, a: Any, b: Any) -> Reference:
    """The first row, the last and ROWS others."""
    rows = sorted({0, cell.m - 1, *np.random.default_rng(0).integers(0, cell.m, ROWS).tolist()})
    whole = (b.T if cell.turned else b).double()
    picked = a[rows].double()
    want: np.ndarray = (picked @ whole).cpu().numpy()
    magnitude: np.ndarray = (picked.abs() @ whole.abs()).cpu().numpy()
    error = (gemm.TERMS[cell.dtype] * cell.k + gemm.SCALING) * gemm.UNIT[cell.dtype]
    rounded = gemm.ROUNDING[cell.dtype] * np.abs(want) + gemm.ABSOLUTE[cell.dtype]
    return Reference(rows, want, error / (1 - error) * magnitude + rounded, magnitude)


def check(cell: Cell, name: str, c: Any, others: Any, right: Reference) -> None:
    """Raises WrongOutput: for a row beyond the operator's tolerance, or a C that is far from the library's."""
    got = c[right.rows].double().cpu().numpy()
    limit = right.limit
    if name == "tf32":
        limit = limit + 2.0**-9 * right.magnitude  # each factor is cut to 11 bits
    wrong = ~(np.abs(got - right.want) <= limit)
    if wrong.any():
        raise WrongOutput(f"{int(wrong.sum())} of {wrong.size} beyond the tolerance in the rows {right.rows}")
    step = max(1, (1 << 26) // cell.n)  # rows at a time: fp32 copies of 16384 x 16384 need not be held whole
    norm = apart = 0.0
    for first in range(0, cell.m, step):
        mine, theirs = c[first : first + step].float(), others[first : first + step].float()
        apart += float((mine - theirs).square().sum(dtype=mine.dtype))
        norm += float(theirs.square().sum(dtype=mine.dtype))
    found = (apart / norm) ** 0.5 if norm else apart
    if not found <= (TF32 if name == "tf32" else APART[cell.dtype]):
        raise WrongOutput(f"C differs from the library's by {found:.1e} of its norm")
