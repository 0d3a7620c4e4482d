"""Another element of a tensor in the place of the right one. Causes are message keys: replay.element-NAME."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence

import numpy as np

from onekernel.grading.replay.base import THREADS, Mistake, later
from onekernel.grading.replay.sums import NARROW, STEP

FIRST_TILES = (1024, 2048, 4096, 8192)  # columns
Right = Callable[[np.ndarray], np.ndarray]
"""The right output, of the tensor as it is read."""


def exchanged(
    name: str, tensor: np.ndarray, right: Right, form: Hashable = None, threads_of_row: Sequence[int] = THREADS
) -> Iterator[Mistake]:
    """A vector, or a matrix by its rows: (..., cols), which so many threads may go through. `form`: in which alone of
    several forms of the input."""
    cols = tensor.shape[-1]
    at = np.arange(cols)
    values = {"name": name}

    def of(index: np.ndarray) -> Callable[[], np.ndarray]:
        return lambda: right(tensor[..., index])

    yield Mistake("element-first", of(0 * at), values, form)
    yield Mistake("element-reversed", of(at[::-1]), values, form)
    for variant, index in {"around": (at + 1) % cols, "last": np.minimum(at + 1, cols - 1)}.items():
        yield Mistake("element-next", of(index), values, (form, variant))
    yield Mistake("element-before", of(at - 1), values, form)
    yield Mistake("element-before", of(np.maximum(at - 1, 0)), values, (form, "first"))
    yield Mistake("element-absolute", lambda: right(np.abs(tensor)), values, form)
    yield Mistake("element-masked", of(at & (cols - 1)), values, form)
    for kind, narrow in NARROW.items():
        rounded = later(lambda n: right(tensor.astype(n).astype(np.float64)), narrow)
        yield Mistake("element-narrow", rounded, {**values, "type": kind}, form, STEP[kind] / 2)
    for tile in FIRST_TILES if threads_of_row else ():
        yield Mistake("element-of-first-tile", of(at % tile), {**values, "tile": tile}, form)
    for threads in threads_of_row:
        ahead = np.where(at + threads < cols, at + threads, at)
        yield Mistake("element-of-next-step", of(ahead), values, (form, threads))
        yield Mistake("element-of-thread", of(at % threads), values, (form, threads))
        yield Mistake("element-of-step", of(at // threads % cols), values, (form, threads))
    if tensor.ndim > 1:
        first_row = later(lambda: right(np.broadcast_to(tensor[:1], tensor.shape)))
        yield Mistake("element-first-row", first_row, values, form)
