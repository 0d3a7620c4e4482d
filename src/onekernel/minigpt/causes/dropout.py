"""A dropout that was left on: elements at random are 0, and the others are larger by one factor."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .mistake import Mistake

FEW = 4  # elements or less are 0 by chance
FREE = 1e-6  # relative to the factor: how far apart those of two elements may lie, where a sum has rounded them


def dropout(before: np.ndarray | float, added: np.ndarray, found: np.ndarray) -> Iterator[Mistake]:
    """`before` plus `added` with the elements of `added` left out that are missing in `found`, if the others have one
    factor above 1 in common, which is found from them: 1 / (1 - p)."""
    if added.shape != found.shape:
        return
    got = found - before
    size = np.abs(added)
    told = np.isfinite(added) & np.isfinite(got) & (size > FREE * size[np.isfinite(size)].max(initial=0.0))
    gone = told & (np.abs(got) <= FREE * size)
    kept = told & ~gone
    if gone.sum() <= FEW or kept.sum() <= FEW:
        return
    times = float(np.median(got[kept] / added[kept]))
    if times > 1 and np.allclose(got[kept], times * added[kept], rtol=FREE):
        yield "dropout", {"part": 1 - 1 / times}, before + np.where(gone, 0.0, times * added)
