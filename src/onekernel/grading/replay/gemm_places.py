"""Sums of a matrix product that stand in another place than their own, or are those of another row or column.

Causes are message keys: replay.gemm-NAME, or those of a sum (sums.py).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from onekernel.grading.replay.base import Mistake, Replayed, later
from onekernel.grading.replay.gemm_product import MMA_DEPTH, ended, padded
from onekernel.grading.replay.gemm_threads import as_often

AGAIN = ((2, 1), (4, 1), (8, 1), (16, 8), (32, 8), (32, 16), (64, 16), (64, 32), (128, 32), (128, 64))
TILES = (16, 32, 64, 128)  # of C, whose rows threads share
PER_THREAD = (2, 4, 8, 16, 32)
WIDTHS = (32, 64, 128)  # of a tile's rows in shared memory, of which a fragment takes 16 columns


def of_places(case: Replayed, a: np.ndarray, b: np.ndarray) -> Iterator[Mistake]:
    product = a @ b
    yield from _again(case, product)
    yield from _moved(case, product)
    for side in TILES:
        yield Mistake("gemm-tile-split", later(_split, case, product, side), variant=side)
    for step in (2, 4, 8):  # the lane that writes a column has what every second lane, or every fourth, has
        own = later(_of_own_lane, case, a, b, step)
        yield Mistake("sum-half-warp", own, variant=("own lane", step))
    yield from _of_fragment_rows(case, a, b)


def _again(case: Replayed, product: np.ndarray) -> Iterator[Mistake]:
    """Of each tile the first rows, or columns, once more in the place of those behind them."""
    rows, cols = (np.arange(n) for n in product.shape)
    for tile, first in AGAIN:
        down, aside = (at // tile * tile + at % first for at in (rows, cols))
        values = {"tile": tile, "first": first}
        yield Mistake("gemm-rows-again", later(lambda i: ended(case, product[i]), down), values)
        yield Mistake("gemm-columns-again", later(lambda i: ended(case, product[:, i]), aside), values)


def _moved(case: Replayed, product: np.ndarray) -> Iterator[Mistake]:
    """A thread's rows, or columns, lie next to each other where they are computed and a step apart where they are
    stored, or the other way round: with so many rows per thread the one, with so many threads the other."""
    m, n = product.shape
    for tile in TILES:
        whole = padded(product, tile, tile)
        for per in (p for p in PER_THREAD if p < tile):
            order = np.arange(tile).reshape(-1, per).T.ravel()
            rows, cols = (np.arange(size) // tile * tile + order[np.arange(size) % tile] for size in whole.shape)
            values = {"tile": tile, "per": per}
            down = later(lambda w, i: ended(case, w[i][:m, :n]), whole, rows)
            aside = later(lambda w, i: ended(case, w[:, i][:m, :n]), whole, cols)
            yield Mistake("gemm-rows-moved", down, values)
            yield Mistake("gemm-columns-moved", aside, values)


def _split(case: Replayed, product: np.ndarray, side: int) -> np.ndarray:
    """A tile's number is taken apart the wrong way round, so that some tiles keep what C held: of square ones."""
    m, n = product.shape
    left_out = (np.arange(m)[:, None] >= -(-n // side) * side) | (np.arange(n) >= -(-m // side) * side)
    held = case.inputs["c"] if case.inputs["beta"] else np.nan
    return np.where(left_out, held, ended(case, product))


def _of_own_lane(case: Replayed, a: np.ndarray, b: np.ndarray, step: int) -> np.ndarray:
    product = np.empty((a.shape[0], b.shape[1]))
    at = np.arange(a.shape[1])
    for first in range(step):
        product[:, first::step] = as_often(a, b, at % step == first)[:, first::step]
    return ended(case, product)


def _of_fragment_rows(case: Replayed, a: np.ndarray, b: np.ndarray) -> Iterator[Mistake]:
    """Fragments that are loaded by another row length than their tile in shared memory has."""
    for width in WIDTHS:
        for given in (n for n in (MMA_DEPTH, *WIDTHS) if n < width):
            values = {"given": given, "width": width}
            of_a, of_b = padded(a, MMA_DEPTH, width), padded(b, MMA_DEPTH, width)
            read_a = later(lambda x, g, w: ended(case, (_by_rows_of(x, g, w) @ padded(b, w, 1))[: len(a)]),
                           of_a, given, width)  # fmt: skip
            read_b = later(lambda x, g, w: ended(case, padded(a, 1, MMA_DEPTH) @ _by_rows_of(x, g, w)[:, : b.shape[1]]),
                           of_b, given, width)  # fmt: skip
            yield Mistake("gemm-fragment-stride", read_a, {"name": "A", **values})
            yield Mistake("gemm-fragment-stride", read_b, {"name": "B", **values})


def _by_rows_of(x: np.ndarray, given: int, width: int) -> np.ndarray:
    """x in tiles of 16 rows of `width` elements, each fragment of 16 x 16 read as if a row had `given`."""
    row, col = np.arange(x.shape[0])[:, None], np.arange(x.shape[1])
    flat = col % width // MMA_DEPTH * MMA_DEPTH + row % MMA_DEPTH * given + col % MMA_DEPTH
    return np.asarray(x[row // MMA_DEPTH * MMA_DEPTH + flat // width, col // width * width + flat % width])
