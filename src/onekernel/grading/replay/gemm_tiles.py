"""Mistakes with tiles along k: products left out or taken twice, tiles read the wrong way round.

Causes are message keys: replay.gemm-NAME.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from onekernel.grading.replay.base import Mistake, Replayed, later
from onekernel.grading.replay.gemm_product import DEPTHS, MMA_DEPTH, PARTS, ended, padded
from onekernel.grading.replay.gemm_threads import as_often
from onekernel.grading.replay.sums import LIMITS

SHARED_BY = (2, 4, 8, 16, 32)  # the usual numbers of blocks that share k
PART_STEPS = (2, 4, 8, 16, 32)


def of_sums(case: Replayed, a: np.ndarray, b: np.ndarray) -> Iterator[Mistake]:
    """Products that are left out of the sum, or taken twice."""
    k = a.shape[1]

    def weighted(often: np.ndarray) -> np.ndarray:
        return ended(case, as_often(a, b, often))

    at = np.arange(k)
    yield Mistake("gemm-skips-last", later(weighted, at < k - 1))
    yield Mistake("gemm-skips-first", later(weighted, at > 0))
    for depth in (1, *DEPTHS):  # of the last tile, which may end beyond k
        yield Mistake("gemm-last-alone", later(weighted, at == -(-k // depth) * depth - 1), variant=depth)
    for limit in (n for n in LIMITS if n < k):
        yield Mistake("gemm-k-limited", later(weighted, at < limit), {"limit": limit})
    for part in (*DEPTHS, *PARTS):
        twice = 1 + ((at % part == 0) & (at > 0))
        yield Mistake("gemm-part-overlaps", later(weighted, twice), {"depth": part})
    for part in PARTS:
        yield Mistake("gemm-tail-lost", later(weighted, at < k // part * part), {"depth": part})
    for depth in DEPTHS:
        yield Mistake("gemm-tail-lost", later(weighted, at < k // depth * depth), {"depth": depth})
        yield Mistake("gemm-first-tile", later(weighted, at < depth), {"depth": depth})
        stale = later(lambda d: ended(case, _stale(a, d) @ _stale(b.T, d).T), depth)
        yield Mistake("gemm-tile-before", stale, {"depth": depth})
        last = (k - 1) // depth * depth  # where the last tile begins
        after = (at >= depth) * (1 + (at >= last)) if last > 0 else np.ones(k, int)  # of one tile there is none
        yield Mistake("gemm-tile-after", later(weighted, after), {"depth": depth})
        for coarse in (32 * depth, 64 * depth, 128 * depth):  # the step of a warp, or of more threads
            begun = (at >= k // coarse * coarse) & (at < k // depth * depth)
            yield Mistake("gemm-rest-early", later(weighted, 1 + begun), {"depth": depth}, variant=coarse)


def of_tiles(case: Replayed, a: np.ndarray, b: np.ndarray) -> Iterator[Mistake]:
    """What a tile along k brings to the sums: all of the last one alone, none of it, a part of each, what stands beyond
    the end of k; and tiles that are read the wrong way round."""
    k = a.shape[1]
    at = np.arange(k)

    def weighted(often: np.ndarray) -> np.ndarray:
        return ended(case, as_often(a, b, often))

    def with_edges(more: int, of_a: np.ndarray, of_b: np.ndarray) -> np.ndarray:
        return ended(case, a @ b + more * of_a * of_b)

    yield from _of_one_side(case, a, b)
    yield from _of_parts(case, a, b)
    for depth in DEPTHS:
        of_last = (k - 1) // depth * depth  # where the last tile begins
        values = {"depth": depth}
        again = (at < depth) * -(-k // depth)
        yield Mistake("gemm-first-tile-often", later(weighted, again), values)
        swapped = later(_operands_swapped, case, a, b, depth)
        yield Mistake("gemm-operands-swapped", swapped, variant=depth)
        yield Mistake("gemm-last-tile-alone", later(weighted, at >= of_last), values)
        yield Mistake("gemm-last-tile-lost", later(weighted, at < of_last), values)
        yield Mistake("gemm-first-tile-lost", later(weighted, at >= depth), values)
        yield Mistake("gemm-step-twice", later(weighted, at // depth % depth == 0), values)
        yield Mistake("gemm-tiles-skipped", later(weighted, at // depth % 2 == 0), values)
        for taken in sorted({depth // 2, depth - 1} - {0}):
            for which, part in {"first": at % depth < taken, "last": at % depth >= depth - taken}.items():
                yield Mistake("gemm-tile-part", later(weighted, part), values | {"taken": taken}, variant=which)
        yield Mistake("gemm-tile-indices", later(_exchanged, case, a, b, depth), values)
        yield Mistake("gemm-stored-each-tile", later(_stored_each_tile, case, a, b, depth), values)
        more = -k % depth
        ones = later(lambda more: ended(case, a @ b + more), more)
        yield Mistake("gemm-ones-beyond", ones, variant=depth)
        stale = 1 + ((at >= of_last - depth + k % depth) & (at < of_last)) * (more > 0)
        yield Mistake("gemm-edge-kept", later(weighted, stale), variant=("before", depth))
        if k:
            edges = {"first": (a[:1, :1], b[:1, :1]), "row": (a[:, :1], b[:1]), "last": (a[:, -1:], b[-1:])}
            for which, (of_a, of_b) in edges.items():
                yield Mistake("gemm-edge-kept", later(with_edges, more, of_a, of_b), variant=(which, depth))
        turned_a = later(lambda d: _turned(a, d)[: a.shape[0]] @ padded(b, d, 1), depth)
        turned_b = later(lambda d: padded(a, 1, d) @ _turned(b, d)[:, : b.shape[1]], depth)
        for name, make in {"A": turned_a, "B": turned_b}.items():
            whole = later(lambda product: ended(case, product()), make)
            yield Mistake("gemm-tile-turned", whole, {"name": name}, variant=depth)
        if depth == MMA_DEPTH:  # of fragments, as load_matrix_sync is told that they lie in memory
            for name, make in {"A": turned_a, "B": turned_b}.items():
                whole = later(lambda product: ended(case, product()), make)
                yield Mistake("gemm-fragment-layout", whole, {"name": name})
            of_c = later(lambda p: ended(case, _turned(p, MMA_DEPTH)[: p.shape[0], : p.shape[1]]), a @ b)
            yield Mistake("gemm-fragment-layout", of_c, {"name": "C"})
        for form in (True, False):  # of one form of B alone
            made = turned_b if bool(case.inputs["transpose_b"]) is form else later(lambda: a @ b)
            whole = later(lambda product: ended(case, product()), made)
            yield Mistake("gemm-tile-turned", whole, {"name": "B"}, variant=(depth, form))


def _of_one_side(case: Replayed, a: np.ndarray, b: np.ndarray) -> Iterator[Mistake]:
    """One operand's tile is loaded from the beginning again at each turn along k, while the other's goes on."""
    k = a.shape[1]
    at = np.arange(k)
    for depth in DEPTHS:
        for name, form in {"A": None, "B": None, "B of this form": bool(case.inputs["transpose_b"])}.items():
            again = at % depth
            product = later(lambda n, i: ended(case, a[:, i] @ b if n == "A" else a @ b[i]), name, again)
            yield Mistake("gemm-tile-stays", product, {"name": name[0]}, (depth, name, form))


def _of_parts(case: Replayed, a: np.ndarray, b: np.ndarray) -> Iterator[Mistake]:
    """k is divided among parts, and of each part only whole steps are taken; or the parts are as long as k / parts."""
    k = a.shape[1]
    at = np.arange(k)
    for parts in SHARED_BY:
        share = -(-k // parts)
        within, length = at % max(share, 1), np.minimum(share, k - at // max(share, 1) * share)
        for step in PART_STEPS:
            whole = within < length // step * step
            kept = later(lambda w: ended(case, as_often(a, b, w)), whole)
            yield Mistake("gemm-part-rest-lost", kept, {"step": step}, parts)


def _operands_swapped(case: Replayed, a: np.ndarray, b: np.ndarray, side: int) -> np.ndarray:
    """Square tiles of B times those of A, which belong together and stand the wrong way round."""
    tiles_a, tiles_b = (padded(x, side, side) for x in (a, b))
    rows, depth, cols = (n // side for n in (*tiles_a.shape, tiles_b.shape[1]))
    of_a = tiles_a.reshape(rows, side, depth, side)
    of_b = tiles_b.reshape(depth, side, cols, side)
    product = np.einsum("pxjy,iypz->ixjz", of_b, of_a, optimize=True).reshape(rows * side, cols * side)
    return ended(case, product[: a.shape[0], : b.shape[1]])


def _exchanged(case: Replayed, a: np.ndarray, b: np.ndarray, side: int) -> np.ndarray:
    """Threads of square tiles that load A's column by their y and B's row by their x: each of a tile's products is the
    same one."""
    m, n = a.shape[0], b.shape[1]
    whole_a, whole_b = padded(a, side, side), padded(b, side, side)
    total = np.zeros((whole_a.shape[0], whole_b.shape[1]))
    row, col = np.arange(total.shape[0])[:, None], np.arange(total.shape[1])
    for first in range(0, whole_a.shape[1], side):
        total += side * whole_a[row, first + row % side] * whole_b[first + col % side, col]
    return ended(case, total[:m, :n])


def _stored_each_tile(case: Replayed, a: np.ndarray, b: np.ndarray, depth: int) -> np.ndarray:
    """C stored after each tile along k, of the sum so far: beta scales what the turn before has stored."""
    alpha, beta = case.inputs["alpha"], case.inputs["beta"]
    if not beta or not a.shape[1]:
        return ended(case, a @ b)
    c = case.inputs["c"]
    for first in range(0, a.shape[1], depth):
        c = alpha * (a[:, : first + depth] @ b[: first + depth]) + beta * c
    return np.asarray(c)


def _turned(x: np.ndarray, side: int) -> np.ndarray:
    """x, padded with zeros to whole square tiles of that side, each of them read with row and column exchanged."""
    whole = padded(x, side, side)
    tiles = whole.reshape(whole.shape[0] // side, side, whole.shape[1] // side, side)
    return np.asarray(tiles.transpose(0, 3, 2, 1).reshape(whole.shape))


def _stale(rows: np.ndarray, depth: int) -> np.ndarray:
    """Columns as one sees them who multiplies with the tile before: the first tile twice, the last one never."""
    tiles = -(-rows.shape[1] // depth)
    whole = np.zeros((rows.shape[0], tiles * depth))
    whole[:, : rows.shape[1]] = rows
    return np.concatenate([whole[:, :depth], whole[:, : (tiles - 1) * depth]], axis=1)
