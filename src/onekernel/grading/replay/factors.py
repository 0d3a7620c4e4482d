"""What wrong results have in common where no mistake gives their numbers: they are off by a factor.

Told from the results, not made on purpose: of each row, or of all.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from onekernel.messages import Message

SPREAD = {"float32": 1e-4, "float16": 2.0**-9, "bfloat16": 2.0**-6}  # of a factor: what rounding makes of it
FROM = {"float32": 1e-3, "float16": 0.1, "bfloat16": 0.1}  # of a row's largest element: smaller ones have few digits
OFF = 10  # spreads from 1 on it is a factor
FEW = 8  # numbers, less than which have a factor in common by chance


def of_rows(got: np.ndarray, want: np.ndarray, dtype: str) -> tuple[int, float] | None:
    """A row of (rows, cols), all finite elements of which are off by one factor, and the factor; None unless it is so
    in each row that is wrong."""
    there = np.isfinite(want)
    if not got.size or not np.array_equal(np.isfinite(got), there):
        return None
    size = np.where(there, np.abs(want), 0)
    looked_at = size > FROM[dtype] * size.max(axis=1, keepdims=True)
    ratio = np.divide(got, want, out=np.ones_like(got), where=looked_at)
    low = np.where(looked_at, ratio, np.inf).min(axis=1)
    high = np.where(looked_at, ratio, -np.inf).max(axis=1)
    off = looked_at.any(axis=1) & (np.abs(low - 1) > OFF * SPREAD[dtype])
    if not off.any() or not (high - low <= SPREAD[dtype] * np.abs(high))[looked_at.any(axis=1)].all():
        return None
    row = int(np.argmax(off))
    return row, float(low[row])


def of_all(wrong: Sequence[tuple[np.ndarray, np.ndarray, str]]) -> Message | None:
    """That all elements of all wrong results (got, want, type) are off by the same factor."""
    found = [of_rows(got.reshape(1, -1), want.reshape(1, -1), dtype) for got, want, dtype in wrong]
    factors = [f[1] for f in found if f is not None]
    few = sum(got.size for got, _, _ in wrong) < FEW
    if few or not all(factors) or len(factors) < len(found):
        return None
    spread = max(SPREAD[dtype] for _, _, dtype in wrong)
    if max(factors) - min(factors) > spread * abs(factors[0]):
        return None
    return Message("replay.factor", {"factor": factors[0]})
