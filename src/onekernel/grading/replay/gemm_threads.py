"""Mistakes in a matrix product by how its work is dealt: to lanes that share a sum, to tiles, to a thread's own sums.

Each is the product A B that comes out, before alpha and beta. Causes are message keys: replay.gemm-NAME, or those of a
sum (sums.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from onekernel.grading.replay.base import Mistake, later
from onekernel.grading.replay.sums import weightings

OF_LANES = ("sum-one-thread", "sum-one-warp", "sum-half-warp", "sum-last-lane", "sum-shuffle-assigned",
            "sum-shuffled-up", "sum-warp-lost", "sum-wrong-step")  # fmt: skip
PER_THREAD = (2, 4, 8)


def products(a: np.ndarray, b: np.ndarray, depths: tuple[int, ...]) -> Iterator[Mistake]:
    """A of (m, k), B of (k, n) -> what stands for A B under each mistake; `depths` are the usual tiles along k."""
    k = a.shape[1]
    at = np.arange(k)

    def weighted(weights: Callable[[], np.ndarray]) -> np.ndarray:
        return as_often(a, b, weights())

    for cause, variant, weights in weightings(k):
        if cause in OF_LANES:
            yield Mistake(cause, later(weighted, weights), variant=variant)
    yield Mistake("gemm-sum-of-both", lambda: a.sum(axis=1)[:, None] + b.sum(axis=0))
    for per in PER_THREAD:
        yield Mistake("gemm-one-accumulator", partial(_one_accumulator, a, b, per), {"per": per})
        turned = later(lambda p: _one_accumulator(b.T, a.T, p).T, per)
        yield Mistake("gemm-one-accumulator", turned, {"per": per}, variant="columns")
    for depth in depths:
        for step in sorted({1, depth // 2} - {0, depth}):
            often = later(lambda d, s: at // s - np.where(at >= d, (at - d) // s, -1), depth, step)
            yield Mistake("gemm-steps-overlap", later(weighted, often), {"depth": depth}, variant=step)
        turns = later(lambda d: np.minimum(at, -(-k // d) - 1) - np.maximum(at - d, -1), depth)  # a tile's number alone
        yield Mistake("gemm-steps-overlap", later(weighted, turns), {"depth": depth}, variant="turns")
        yield Mistake("gemm-elementwise", partial(_elementwise, a, b, depth), variant=depth)
        if k:
            edges = np.full((a.shape[0], b.shape[1]), -k % depth * a[0, 0] * b[0, 0]) if a.size and b.size else a @ b
            yield Mistake("gemm-zeros-inverted", later(lambda e: e, edges), variant=depth)


def as_often(a: np.ndarray, b: np.ndarray, often: np.ndarray) -> np.ndarray:
    """A B with each product in its sum as often as that; one that is left out is not looked at: NaN times 0 is NaN."""
    kept = often > 0
    return np.asarray((a[:, kept] * often[kept]) @ b[kept])


def _one_accumulator(a: np.ndarray, b: np.ndarray, per: int) -> np.ndarray:
    """Of each `per` rows the first has the sums of all of them."""
    product = a @ b
    whole = np.pad(product, [(0, -len(product) % per), (0, 0)]).reshape(-1, per, product.shape[1])
    out = np.zeros_like(whole)
    out[:, 0] = whole.sum(axis=1)
    return np.asarray(out.reshape(-1, product.shape[1])[: len(product)])


def _elementwise(a: np.ndarray, b: np.ndarray, side: int) -> np.ndarray:
    """Square tiles multiplied element by element, and added along k."""
    (m, k), n = a.shape, b.shape[1]
    row, col = np.arange(m)[:, None] % side, np.arange(n) % side
    deep = -k % side
    left, right = np.pad(a, [(0, 0), (0, deep)]), np.pad(b, [(0, deep), (0, 0)])
    total = np.zeros((m, n))
    for first in range(0, k, side):
        total += left[:, first + col] * right[first + row, np.arange(n)]
    return total
