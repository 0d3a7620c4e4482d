"""Whether torch computed what a port gives: the sums of what its operators made, beside those of NumPy's own steps.

Modules say nothing of it: a port written in functions has none, and one that computes in NumPy may have them all. Sums,
because they stay as they are however a port lays its tensors out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from .config import Config

SAME = 1e-3  # of the sum of the magnitudes: a kernel in float32 is far within it
HALVES = ("attention", "mlp")  # of a block: of each at least one step must be torch's


def sizes(config: Config, batch: int, length: int) -> set[int]:
    """The numbers of elements that the steps of a block have."""
    widths = {width for shape in config.shapes().values() for width in shape}
    return {batch * length * width for width in widths} | {batch * config.heads * length * length}


def sketch(values: np.ndarray) -> tuple[float, float, float, float]:
    """How many elements, their sum, the sum of their magnitudes and that of their squares; -inf, which masks, is 0."""
    there = np.where(np.isfinite(values), values, 0.0)
    return float(there.size), float(there.sum()), float(np.abs(there).sum()), float((there * there).sum())


def elsewhere(config: Config, ours: Mapping[str, np.ndarray], made: np.ndarray | None) -> Iterator[str]:
    """The halves of blocks (NumPy's names) of which torch made no step. `made` are the sketches that came back, from
    a process that is not believed."""
    if made is None or made.ndim != 2 or made.shape[1] != 4 or made.dtype != np.float64:
        made = np.zeros((0, 4))
    for block in range(config.blocks):
        for half in HALVES:
            here = f"blocks.{block}.{half}"
            if not any(_among(sketch(values), made) for name, values in ours.items() if name.startswith(f"{here}.")):
                yield here


def _among(wanted: tuple[float, float, float, float], made: np.ndarray) -> bool:
    size, total, magnitudes, squares = wanted
    with np.errstate(all="ignore"):
        near = (made[:, 0] == size) & (np.abs(made[:, 1] - total) <= SAME * magnitudes)
        near &= np.abs(made[:, 2] - magnitudes) <= SAME * magnitudes
        near &= np.abs(made[:, 3] - squares) <= SAME * squares
    return bool(near.any())
