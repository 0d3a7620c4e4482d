"""Columns of a softmax that are left out or counted more often, and maxima and sums that threads, warps or tiles do
not join as they must.

Causes are message keys: replay.softmax-NAME, or those of a sum (sums.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from onekernel.grading.replay.base import THREADS, WARP, Mistake, dealt, later, row_max, row_sum
from onekernel.grading.replay.softmax_rows import Rows
from onekernel.grading.replay.sums import of_own_warp, weightings

FULL = (1024, 2048, 4096, 8192)  # elements of a tile of short rows
Axes = int | tuple[int, ...]


def mistakes(r: Rows) -> Iterator[Mistake]:
    """Columns that are left out, or counted more than once: in the sum, in the maximum, in both."""
    for cause, variant, weights in weightings(r.x.shape[1]):
        for where in ("sum", "maximum", "both"):
            kept = where == "maximum" and cause == "sum-last-alone"  # the last maximum is kept, not the largest
            name = "softmax-max-is-last" if kept else cause
            yield Mistake(name, partial(r.weighted, weights, where), variant=(variant, where))
    cut = Rows(np.where(np.arange(r.x.shape[1]) == r.x.shape[1] - 1, np.float32(-np.inf), r.x))
    yield Mistake("sum-skips-last", lambda: cut.above(cut.largest), variant="masked")
    for threads in THREADS:
        yield Mistake("sum-own-thread", partial(_own_sums, r, threads), variant=threads)
        yield Mistake("sum-own-thread", partial(_own_sums, r, threads, joined=True), variant=-threads)
        yield Mistake("sum-own-thread", partial(_own, r, threads, "sum"), variant=("online", threads))
        yield Mistake("sum-own-twice", partial(_own, r, threads, "twice"), variant=threads)
        for others in ("nothing", "own", "shuffled"):
            not_shared = partial(_not_shared, r, threads, others)
            yield Mistake("sum-not-shared", not_shared, variant=(threads, others))
        for of in {1, 32} if threads > 32 else {1}:  # sums of threads, or of warps
            for zero in (False, True):
                by_maximum = partial(_sum_by_maximum, r, threads, of, zero)
                yield Mistake("sum-by-maximum", by_maximum, variant=(threads, of, zero))
        yield Mistake("softmax-own-maximum", partial(_own, r, threads, "maximum"), variant=threads)
        if threads > WARP:
            yield Mistake("sum-own-warp", later(lambda t: r.over(of_own_warp(r.e, t)), threads), variant=threads)
            each = later(lambda t: r.over(t // WARP * of_own_warp(r.e, t)), threads)
            yield Mistake("sum-own-warp-often", each, variant=threads)
            yield Mistake("sum-own-warp", partial(_all_of_own_warp, r, threads), variant=("maximum, too", threads))
        for of in {threads, 32}:  # of a block, or of a warp each
            yield Mistake("softmax-max-by-sum", partial(_max_by_sum, r, threads, of), variant=(threads, of))
            yield Mistake("softmax-max-by-min", partial(_max_by_min, r, threads, of), variant=(threads, of))
        for of in {1, 32} if threads > 32 else {1}:  # a thread's, or its warp's
            yield Mistake("softmax-own-maximum", partial(_own_maximum, r, threads, of), variant=(threads, of))
    for threads in THREADS:
        for idle in (1, WARP):  # a thread without a column, or a whole warp
            raised = np.maximum(r.largest, np.float32(0)) if r.x.shape[1] <= threads - idle else r.largest
            yield Mistake("softmax-max-idle", later(r.above, raised), variant=(threads, idle))
    for told, rows in _rows_of_tiles(r.x.shape[1]).items():
        yield Mistake("softmax-whole-tile", partial(_of_tiles, r, rows, (1, 2), (1, 2)), {"rows": told})
        yield Mistake("softmax-tile-maximum", partial(_of_tiles, r, rows, (1, 2), 2), {"rows": told})
        yield Mistake("softmax-tile-sum", partial(_of_tiles, r, rows, 2, (1, 2)), {"rows": told})
        for top, of_sum in ((2, 1), (1, 2), (1, 1)):
            yield Mistake("softmax-tile-axis", partial(_of_tiles, r, rows, top, of_sum), {"rows": told}, (top, of_sum))
    for lanes in (16, 8, 4, 2):
        values = {"lanes": lanes, "offset": lanes // 2}
        yield Mistake("softmax-rows-mixed", partial(_rows_mixed, r, WARP // lanes), values)
        yield Mistake("softmax-part-of-warp", partial(_part_of_warp, r, lanes), {"lanes": lanes, "offset": lanes // 2})
        for apart in (False, True):  # neighbours, or lanes with as many others between them
            for which in ("sum", "maximum"):
                make = partial(_part_of_warp, r, lanes, which, apart)
                yield Mistake(f"softmax-{which}-of-lanes", make, {"lanes": lanes}, apart)


def _own_sums(r: Rows, threads: int, joined: bool = False) -> np.ndarray:
    """Each thread divides by the sum of its own columns, above their own maximum; or above the row's, if `joined`."""
    laid = dealt(r.x, threads, -np.inf)
    e = np.exp(laid - (r.largest[:, :, None] if joined else laid.max(axis=1, keepdims=True)))
    return np.asarray((e / e.sum(axis=1, keepdims=True)).reshape(len(r.x), -1)[:, : r.x.shape[1]])


def _all_of_own_warp(r: Rows, threads: int) -> np.ndarray:
    """Each warp has a maximum of its own as well as a sum."""
    laid = dealt(r.x, threads, -np.inf)
    own = laid.reshape(len(r.x), -1, threads // WARP, WARP).max(axis=(1, 3)).repeat(WARP, axis=1)[:, None]
    e = np.exp(laid - own).reshape(len(r.x), -1)[:, : r.x.shape[1]]
    return np.asarray(e / of_own_warp(e, threads))


def _own(r: Rows, threads: int, which: str) -> np.ndarray:
    """As after an online pass: each thread's own sum, or its maximum, where the row's is wanted."""
    laid = dealt(r.x, threads, -np.inf)
    own = laid.max(axis=1, keepdims=True)
    sums = np.exp(laid - own).sum(axis=1, keepdims=True)
    top = r.largest[:, :, None]
    if which == "twice":
        sums = row_sum(r.e)[:, :, None] + np.exp(laid - top).sum(axis=1, keepdims=True)
    y = np.exp(laid - own) / row_sum(r.e)[:, :, None] if which == "maximum" else np.exp(laid - top) / sums
    return np.asarray(y.reshape(len(r.x), -1)[:, : r.x.shape[1]])


def _own_maximum(r: Rows, threads: int, of: int) -> np.ndarray:
    """Exponentials above the maximum of the columns of `of` threads, in the numerator and in the row's sum."""
    laid = dealt(r.x, threads, -np.inf)
    own = laid.reshape(len(r.x), -1, threads // of, of).max(axis=(1, 3)).repeat(of, axis=1)[:, None]
    e = np.exp(laid - own).reshape(len(r.x), -1)[:, : r.x.shape[1]]
    return np.asarray(e / row_sum(e))


def _sum_by_maximum(r: Rows, threads: int, of: int, from_zero: bool) -> np.ndarray:
    """The largest of the sums of `of` threads each, in place of their sum."""
    sums = dealt(r.e, threads).sum(axis=1).reshape(len(r.x), -1, of).sum(axis=2)
    first = np.float32(0) if from_zero else np.float32(np.nan)  # fmaxf passes over NaN
    return r.over(np.fmax.reduce(sums, axis=1, keepdims=True, initial=first))


def _max_by_sum(r: Rows, threads: int, of: int) -> np.ndarray:
    """The maxima of `of` threads each added up in place of compared; the largest of these is the row's."""
    own = dealt(r.x, threads, -np.inf).max(axis=1).reshape(len(r.x), -1, of)
    return r.above(row_max(own.sum(axis=2)))


def _max_by_min(r: Rows, threads: int, of: int) -> np.ndarray:
    """The smallest of the maxima of `of` threads each; the largest of these is the row's."""
    own = dealt(r.x, threads, -np.inf).max(axis=1).reshape(len(r.x), -1, of)
    return r.above(row_max(own.min(axis=2)))


def _part_of_warp(r: Rows, lanes: int, which: str = "both", apart: bool = False) -> np.ndarray:
    """A warp takes a row, and only so many lanes join their maxima, their sums or both: each such part has its own. The
    lanes are neighbours or, if they are `apart`, those with the same remainder."""
    laid = dealt(r.x, 32, -np.inf)
    steps = laid.shape[1]
    shape, own = ((-1, lanes), (1, 3)) if not apart else ((lanes, -1), (1, 2))
    x = laid.reshape(len(r.x), steps, *shape)
    e = np.exp(x - (r.largest[:, :, None, None] if which == "sum" else x.max(axis=own, keepdims=True)))
    total = e.sum(axis=(1, 2, 3) if which == "maximum" else own, keepdims=True)
    return np.asarray((e / total).reshape(len(r.x), -1)[:, : r.x.shape[1]])


def _rows_of_tiles(cols: int) -> dict[int | str, int]:
    """Rows of a tile, as they are told: a number, or as many as fill it up."""
    width = 1 << (cols - 1).bit_length()
    numbers: dict[int | str, int] = {rows: rows for rows in (2, 4, 8, 16)}
    return numbers | {f"{full} // BLOCK": full // width for full in FULL if full >= width}


def _of_tiles(r: Rows, rows: int, top: Axes, of_sum: Axes) -> np.ndarray:
    """Tiles of so many rows, -infinity beyond the last one, whose maximum and sum run along those axes."""
    cols = r.x.shape[1]
    whole = np.full((-(-len(r.x) // rows) * rows, cols), np.float32(-np.inf))
    whole[: len(r.x)] = r.x
    x = whole.reshape(-1, rows, cols)
    e = np.exp(x - np.fmax.reduce(x, axis=top, keepdims=True))
    return np.asarray((e / e.sum(axis=of_sum, keepdims=True)).reshape(-1, cols)[: len(r.x)])


def _rows_mixed(r: Rows, together: int) -> np.ndarray:
    """So many neighbouring rows have a maximum and a sum in common; where rows end, the last one stands for others."""
    at = np.minimum(np.arange(-(-len(r.x) // together) * together), len(r.x) - 1)
    x = r.x[at].reshape(-1, together, r.x.shape[1])
    e = np.exp(x - x.max(axis=(1, 2), keepdims=True))
    return np.asarray((e / e.sum(axis=(1, 2), keepdims=True)).reshape(-1, r.x.shape[1])[: len(r.x)])


def _not_shared(r: Rows, threads: int, others: str) -> np.ndarray:
    """The first thread divides by the row's sum; the others by nothing, by their own, or by what shuffles left them."""
    laid = dealt(r.e, threads)
    sums = laid.sum(axis=1, keepdims=True)
    if others == "shuffled":  # not even the first: by its warp's
        lanes = dealt(sums[:, 0, :], 32).reshape(len(r.x), -1, 32)
        for offset in (16, 8, 4, 2, 1):  # past the last lane a lane gets its own value
            lanes = lanes + np.concatenate([lanes[:, :, offset:], lanes[:, :, 32 - offset :]], axis=2)
        sums = lanes.reshape(len(r.x), 1, -1)[:, :, :threads]
    else:
        sums = np.where(others == "own", sums, np.float32(0))
        sums[:, 0, 0] = row_sum(r.e)[:, 0]
    return np.asarray((laid / sums).reshape(len(r.x), -1)[:, : r.x.shape[1]])
