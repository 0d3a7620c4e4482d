"""Mistakes in a sum over a row, or over a vector, that several threads share: of every operator that has one.

A sum that leaves elements out, or takes some more than once, is a sum with weights. Causes are message keys:
replay.sum-NAME.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from functools import cache, partial

import ml_dtypes
import numpy as np

from onekernel.grading.replay.base import THREADS, WARP, dealt, later, row_sum

NARROW = {"float16": np.dtype(np.float16), "bfloat16": np.dtype(ml_dtypes.bfloat16)}
GRIDS = tuple(threads * blocks for threads in (128, 256, 512) for blocks in (2, 4, 8, 16, 32, 64))
STEP = {"float16": 2.0**-9, "bfloat16": 2.0**-6}  # of a sum in that type, some roundings of which have turned
BLOCKS = (33, 48, 64, 96, 100, 128, 160, 192, 224, 256, 320, 384, 512, 640, 768, 1000, 1024)
LIMITS = tuple(1 << k for k in range(7, 16))  # elements, or products, after which a loop ends
PARTS = (4, 2, 8)  # the usual numbers of accumulators, and of a vector's components
STEPS = (2, 4, 8, 16, *(1 << k for k in range(5, 18)), 96, 192)

MOST_TURNS = 5000  # of a thread, beyond which a sum in turn is not made: a step of Python for each

Weighting = tuple[str, Hashable, Callable[[], np.ndarray]]
"""The cause, which of it, and how often each element is in the sum."""


def weightings(n: int) -> Iterator[Weighting]:
    """How often each of `n` elements is in the sum under each mistake. Where that is once, it does not show."""
    at = np.arange(n)
    yield "sum-skips-last", None, lambda: at < n - 1
    yield "sum-skips-first", None, lambda: at > 0
    yield "sum-first-twice", None, lambda: 1 + (at == 0)
    for threads in THREADS:
        if threads < n:
            yield "sum-first-twice", threads, later(lambda t: 1 + (at < t), threads)
    for limit in LIMITS:
        if limit < n:
            yield "sum-limited", limit, later(lambda m: at < m, limit)
    yield "sum-doubled", None, lambda: np.full(n, 2)
    for threads in (1, *BLOCKS, *GRIDS):
        yield "sum-last-alone", threads, later(lambda t: at >= n - t, threads)
    yield "sum-first-alone", None, lambda: at == 0
    for step in STEPS:
        yield "sum-tail-lost", step, later(lambda s: at < n // s * s, step)
    for tile in STEPS[3:]:
        if tile < n:
            yield "sum-last-alone", -tile, later(lambda t: at >= (n - 1) // t * t, tile)
            yield "sum-first-tile", tile, later(lambda t: np.where(at < t, (n - 1 - at) // t + 1, 0), tile)
        yield "sum-last-tile-lost", tile, later(lambda t: at < (n - 1) // t * t, tile)
        yield "sum-first-tile-lost", tile, later(lambda t: at >= t, tile)
    for threads in BLOCKS:
        yield "sum-first-everywhere", threads, later(lambda t: 1 + t * (at == 0), threads)
    for step in sorted({*BLOCKS, *GRIDS}):
        for short in (0, 1):
            yield "sum-end-early", (step, short), later(lambda s, short: at < n - s + short, step, short)
    for step in (2, 4, 8):
        yield "sum-tail-late", step, later(lambda s: (at != n // s * s) | (n % s == 0), step)
    yield "sum-shuffled-up", None, lambda: 32 * (at % 32 == 0)
    for step in (2, 4, 8):
        yield "sum-tail-twice", step, later(lambda s: 1 + (at == n // s * s - 1), step)
        yield "sum-tail-twice", -step, later(lambda s: 1 + (at == n // s * s - 1) * (n % s > 0), step)
    yield from _parts_lost(n)
    for half in (16, 8):
        yield "sum-half-warp", half, later(lambda h: at % 32 < h, half)
    for step in (2, 4):
        yield "sum-half-warp", -step, later(lambda s: at % 32 % s == 0, step)
    yield "sum-lanes-all", None, lambda: shuffled_down()[at % 32]
    yield "sum-last-lane", None, lambda: 32 * (at % 32 == 31)
    yield "sum-shuffle-assigned", None, lambda: at % 32 == 31
    yield "sum-one-thread", 32, lambda: at % 32 == 0
    for threads in BLOCKS:
        yield "sum-one-thread", threads, later(lambda t: at % t == 0, threads)
        for again in (0, -1):  # what a thread without an element takes: of one step, or of the last of several
            idle = later(lambda t, e: 1 + max(t - n, 0) * (at == e % n), threads, again)
            yield "sum-idle-again", (threads, again), idle
            if threads < n:
                whole = later(lambda t, e: 1 + -n % t * (at == e % n), threads, again)
                yield "sum-idle-again", (-threads, again), whole
        yield "sum-tree-assigned", threads, later(lambda t: at % t == t - 1, threads)
        if threads > 32:
            yield "sum-shuffled-up", threads, later(lambda t: 32 * 32 * (at % t == 0), threads)  # warps' sums, too
            yield "sum-first-warp-twice", threads, later(lambda t: 1 + (at % t < 32), threads)
            yield "sum-one-warp", threads, later(lambda t: at % t < 32, threads)
            yield "sum-warp-lost", threads, later(lambda t: at % t >= 32, threads)
            if threads > 64:  # of two, that is one warp alone
                yield "sum-warp-lost", -threads, later(lambda t: at % t < t - 32, threads)
            for half in (16, 8):  # of the lanes, and then of the warps
                yield "sum-half-warp", (threads, half), later(lambda t, h: _lanes(at % t, h), threads, half)
            for step in (2, 4):
                yield "sum-half-warp", (threads, -step), later(lambda t, s: _every(at % t, s), threads, step)
        yield "sum-every-partial", threads, later(lambda t: _held_by(t)[at % t], threads)
        yield "sum-half-tree", threads, later(lambda t: at % t % 2 == 0, threads)
        yield "sum-half-tree", -threads, later(lambda t: at % t < (t + 1) // 2, threads)
        yield "sum-odd-tree", threads, later(lambda t: reached(t)[at % t], threads)
        for step in {threads - 1, threads + 1, threads // 2, 2 * threads, 32, 1} - {threads}:
            yield "sum-wrong-step", (threads, step), partial(visits, n, threads, step)
    for most in (128, 256, 512, 1024):  # a thread for each element, up to so many
        yield "sum-odd-tree", ("all", most), later(lambda m: reached(n) if n <= m else np.ones(n), most)
    for threads in (128, 256, 512):  # blocks of a grid that all begin in their own part and go on by a block's
        for grid in GRIDS:
            yield "sum-wrong-step", (grid, threads), partial(visits, n, grid, threads)


def _parts_lost(n: int) -> Iterator[Weighting]:
    """One of several partial sums is not joined: of a vector's components, or of the elements that a thread takes one
    after the other into accumulators of their own."""
    at = np.arange(n)
    for of in PARTS:
        for lost in range(of):
            yield "sum-part-lost", (1, of, lost), later(lambda o, p: at % o != p, of, lost)
    for threads in sorted({*THREADS, *GRIDS} - {WARP}):  # of a warp, a part is a warp's
        for of in PARTS[:2]:
            for lost in range(of):
                if n > lost * threads:
                    yield "sum-part-lost", (threads, of, lost), later(_not_part, at, threads, of, lost)
    for threads in THREADS:  # neither the first warp nor the last
        for warp in range(1, threads // WARP - 1):
            if n > warp * WARP:
                yield "sum-warp-lost", (threads, warp), later(lambda t, w: at % t // WARP != w, threads, warp)


        if threads > WARP:
            for one in (0, -1):
                yield "sum-warp-often", (threads, one), later(_one_part, at, threads, one)
            half = later(lambda t: 2 * (at % t // WARP < t // WARP / 2), threads)  # the parts of k / 2 for every k
            yield "sum-warp-often", (threads, "half"), half


def _one_part(at: np.ndarray, threads: int, warp: int) -> np.ndarray:
    """The part of one warp, counted from the first or the last, as often as there are warps."""
    warps = threads // WARP
    return np.asarray(warps * (at % threads // WARP == warp % warps))


def _not_part(at: np.ndarray, threads: int, of: int, lost: int) -> np.ndarray:
    return np.asarray(at // threads % of != lost)


def of_own_warp(terms: np.ndarray, threads: int) -> np.ndarray:
    """For each column the sum of those that its own warp takes, of columns dealt to so many threads."""
    rows, cols = terms.shape
    sums = dealt(terms, threads).sum(axis=1).reshape(rows, -1, WARP).sum(axis=2)
    return np.asarray(sums[:, np.arange(cols) % threads // WARP])


@cache
def shuffled_down() -> np.ndarray:
    """How often each lane's value is in the sum of what all lanes hold after shuffles down, of which lane 0 alone has
    the warp's sum: a lane that asks past the last one gets its own value."""
    held = np.eye(32, dtype=int)
    for offset in (16, 8, 4, 2, 1):
        held = held + np.concatenate([held[offset:], held[32 - offset :]])
    return np.asarray(held.sum(axis=0))


def _lanes(thread: np.ndarray, first: int) -> np.ndarray:
    """Where the first so many lanes of the first so many warps alone are joined."""
    return np.asarray((thread % 32 < first) & (thread // 32 < first))


def _every(thread: np.ndarray, step: int) -> np.ndarray:
    """Where one lane of so many, in one warp of so many, is joined."""
    return np.asarray((thread % 32 % step == 0) & (thread // 32 % step == 0))


@cache
def reached(threads: int) -> np.ndarray:
    """Whose part a tree that halves, rounding down, brings to thread 0."""
    reach = [{t} for t in range(threads)]
    half = threads // 2
    while half:
        for t in range(half):
            reach[t] |= reach[t + half]
        half //= 2
    return np.isin(np.arange(threads), list(reach[0]))


@cache
def _held_by(threads: int) -> np.ndarray:
    """In how many entries of the array each thread's part is, once a tree that rounds up is done."""
    held = np.eye(threads, dtype=int)
    count = threads
    while count > 1:
        half = (count + 1) // 2
        held[: count - half] += held[half:count]
        count = half
    return np.asarray(held.sum(axis=0))


def visits(n: int, threads: int, step: int) -> np.ndarray:
    """How often an element is visited by `threads` threads that begin at their own number and go on in `step`s."""
    at = np.arange(n)
    last = np.minimum(at, threads - 1)  # the highest thread that can come here
    first = at % step
    return np.where(last >= first, (last - first) // step + 1, 0)


def narrow_sums(e: np.ndarray, kind: str) -> Iterator[tuple[tuple[int, bool, bool, bool], Callable[[], np.ndarray]]]:
    """Each row's sum in a narrow type, in the usual orders: every thread adds its columns in turn, in that type or in
    float32; then the threads are added up in that type or in float32, by a tree or warp by warp."""
    narrow, wide = NARROW[kind], np.dtype(np.float32)
    for threads in (n for n in (1, *THREADS) if e.shape[1] <= n * MOST_TURNS):
        for mine, joined in ((narrow, narrow), (narrow, wide), (wide, narrow)):
            for by_warp in (False, True) if threads > 32 and threads % 32 == 0 else (False,):
                make = partial(_narrow_sum, e, threads, mine, joined, by_warp)
                yield (threads, mine == narrow, joined == narrow, by_warp), make  # whichever of the two types


def _narrow_sum(e: np.ndarray, threads: int, mine: np.dtype, joined: np.dtype, by_warp: bool) -> np.ndarray:
    sums = _in_turn(e, threads, mine).astype(joined)
    if by_warp:
        sums = _tree(sums.reshape(-1, 32)).reshape(len(e), -1)
    return _tree(sums).astype(np.float32)


def _in_turn(e: np.ndarray, threads: int, kind: np.dtype) -> np.ndarray:
    laid = dealt(e, threads)
    sums = np.zeros((laid.shape[0], threads), kind)
    for step in range(laid.shape[1]):
        sums = (sums.astype(np.float32) + laid[:, step].astype(kind).astype(np.float32)).astype(kind)
    return sums


def _tree(sums: np.ndarray) -> np.ndarray:
    while sums.shape[1] > 1:
        half = (sums.shape[1] + 1) // 2
        upper = np.zeros((sums.shape[0], half), sums.dtype)
        upper[:, : sums.shape[1] - half] = sums[:, half:]
        sums = (sums[:, :half].astype(np.float32) + upper.astype(np.float32)).astype(sums.dtype)
    return sums


def integer_sums(e: np.ndarray) -> Iterator[tuple[Hashable, Callable[[], np.ndarray]]]:
    """Each row's sum in an integer: every thread cuts off the fraction after each of its additions, or of each term."""
    for threads in (1, *THREADS):
        yield threads, partial(_integer_sum, e, threads)
    yield "terms", lambda: row_sum(np.trunc(e))


def _integer_sum(e: np.ndarray, threads: int) -> np.ndarray:
    laid = dealt(e, threads)
    sums = np.zeros((laid.shape[0], threads), np.float32)
    for step in range(laid.shape[1]):
        sums = np.trunc(sums + laid[:, step])
    return row_sum(sums)
