"""The mistakes that people make in an online softmax: a maximum and a sum that grow together, column by column.

Causes are message keys: replay.softmax-NAME.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from onekernel.grading.replay.base import THREADS, WARP, Mistake, dealt, later, row_sum
from onekernel.grading.replay.softmax_pairs import halved
from onekernel.grading.replay.softmax_rows import Rows

TILES = tuple(1 << n for n in range(5, 14))  # columns that are taken at once, as in Triton
LONG = 5000  # columns from which on a step of Python for each is too slow

Rule = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray], np.ndarray]
"""The sum after a term: of the sum before, the maximum before and after, and the term's x."""

RULES: dict[str, Rule] = {
    "softmax-term-above-old": lambda s, old, new, x: s * np.exp(old - new) + np.exp(x - old),
    "softmax-term-rescaled": lambda s, old, new, x: (s + np.exp(x - new)) * np.exp(old - new),
    "softmax-running-backwards": lambda s, old, new, x: s * np.exp(new - old) + np.exp(x - new),
    "softmax-new-maximum-lost": lambda s, old, new, x: s * np.exp(old - new) + np.where(x > old, 0, np.exp(x - new)),
}


def mistakes(r: Rows) -> Iterator[Mistake]:
    """y of shape (rows, cols) under each mistake that these rows can show."""
    begun = later(lambda: np.where(r.x[:, :1] == -np.inf, np.nan, row_sum(r.e) + r.e[:, :1]))
    yield Mistake("sum-first-twice", lambda: r.over(begun()), variant="online")
    for threads in (1, *THREADS):
        yield Mistake("softmax-masked-beginning", later(_masked_beginning, r, threads), variant=threads)
        for of in {1, WARP} if threads % WARP == 0 and threads > WARP else {1}:  # threads, or warps that are joined
            plainly = later(lambda t, of: r.over(_added(r, t, of)), threads, of)
            yield Mistake("softmax-joined-plainly", plainly, variant=(threads, of))
        yield Mistake("softmax-not-rescaled", later(lambda t: r.over(_not_rescaled(r, t)), threads), variant=threads)
        as_it_is = later(lambda t: r.over(_not_rescaled(r, t, joined=False)), threads)
        yield Mistake("softmax-not-rescaled", as_it_is, variant=-threads)
        yield Mistake("softmax-rescaled-backwards", later(lambda t: r.over(_backwards(r, t)), threads), variant=threads)
        if r.x.shape[1] > LONG:
            continue
        for cause, rule in RULES.items():
            for first in ("one",) if cause == "softmax-running-backwards" else ("plain", "one"):  # else all is NaN
                running = later(lambda t, rule, one: r.over(_running(r, t, rule, one)), threads, rule, first == "one")
                yield Mistake(cause, running, variant=(threads, first))
    for columns in TILES[-3:]:  # of a tile that is walked along the row, each with a running maximum and sum
        own = later(lambda t: r.over(_not_rescaled(r, t)), columns)
        yield Mistake("softmax-not-rescaled", own, variant=("columns", columns))
        plainly = later(lambda t: r.over(_added(r, t, 1)), columns)
        yield Mistake("softmax-columns-joined-plainly", plainly, variant=columns)
    for tile in TILES:
        for cause, backwards in {"softmax-not-rescaled": False, "softmax-running-backwards": True}.items():
            by_tiles = later(lambda t, b: r.over(_by_tiles(r, t, b)), tile, backwards)
            yield Mistake(cause, by_tiles, variant=("tile", tile))


def _masked_beginning(r: Rows, threads: int) -> np.ndarray:
    """NaN in the rows of which a thread's first element is -infinity: its maximum is, before and after."""
    begun = (r.x[:, :threads] == -np.inf).any(axis=1, keepdims=True)
    return np.where(begun, np.float32(np.nan), r.over(row_sum(r.e)))


def _added(r: Rows, threads: int, of: int) -> np.ndarray:
    """The sums of `of` threads each, above their own maximum, added as they are."""
    laid = dealt(r.x, threads, -np.inf)
    laid = laid.reshape(len(r.x), -1, threads // of, of).transpose(0, 1, 3, 2).reshape(len(r.x), -1, threads // of)
    own = laid.max(axis=1, keepdims=True)
    return row_sum(np.where(own[:, 0] == -np.inf, 0, np.exp(laid - own).sum(axis=1)))


def _backwards(r: Rows, threads: int) -> np.ndarray:
    """The threads' sums, joined with the factor turned over: exp(the row's maximum - the thread's)."""
    laid = dealt(r.x, threads, -np.inf)
    own = laid.max(axis=1)
    sums = np.exp(laid - own[:, None]).sum(axis=1)
    return row_sum(np.where(own == -np.inf, 0, sums) * np.exp(r.largest - own))


def _not_rescaled(r: Rows, threads: int, joined: bool = True) -> np.ndarray:
    """Running sums whose terms keep the maximum that held when they came; the threads' sums are joined rightly, or
    added as they are."""
    laid = dealt(r.x, threads, -np.inf)
    running = np.fmax(np.fmax.accumulate(laid, axis=1), np.float32(-np.inf))
    there = dealt(np.ones_like(r.x), threads)
    sums = np.where(there > 0, np.exp(laid - running), 0).sum(axis=1)
    if not joined:
        return row_sum(sums)
    empty = running[:, -1] == -np.inf
    return row_sum(np.where(empty, 0, sums * np.exp(running[:, -1] - r.largest)))


def _by_tiles(r: Rows, tile: int, backwards: bool) -> np.ndarray:
    """A running sum of whole tiles, the old part of which is not rescaled, or by the factor turned over."""
    laid = dealt(r.x, tile, -np.inf)
    tops = np.fmax.accumulate(laid.max(axis=2), axis=1)
    added = np.exp(laid - tops[:, :, None]).sum(axis=2)
    total = np.zeros(len(r.x), r.x.dtype)
    for step in range(laid.shape[1]):
        grown = np.exp(tops[:, step] - tops[:, step - 1]) if backwards and step else 1
        total = total * grown + added[:, step]
    return np.asarray(total[:, None])


def _running(r: Rows, threads: int, rule: Rule, one: bool) -> np.ndarray:
    """The row's sum from running sums that follow a rule; with `one` each thread's first term is 1, as where it begins
    with its first element. The threads' sums are joined rightly."""
    laid = dealt(r.x, threads, -np.inf)
    there = dealt(np.ones_like(r.x), threads) > 0
    largest = np.full((len(r.x), threads), -np.inf, r.x.dtype)
    sums = np.zeros_like(largest)
    for step in range(laid.shape[1]):
        x = laid[:, step]
        new = np.fmax(largest, x)
        first = one & (largest == -np.inf) & (sums == 0)
        sums = np.where(there[:, step], np.where(first, 1, rule(sums, largest, new, x)), sums)
        largest = np.where(there[:, step], new, largest)
    return np.asarray(halved((largest, sums), "neither")[1][:, None])
