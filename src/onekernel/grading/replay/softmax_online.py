"""The mistakes that people make in an online softmax: a maximum and a sum that grow together, and are joined in pairs.

Causes are message keys: replay.softmax-NAME.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from onekernel.grading.replay.base import THREADS, WARP, Mistake, dealt, later, row_sum
from onekernel.grading.replay.softmax_rows import Rows

TILES = tuple(1 << n for n in range(5, 13))  # columns that are taken at once, as in Triton
LONG = 5000  # columns from which on a step of Python for each is too slow

Part = tuple[np.ndarray, np.ndarray]
"""Maxima and sums of some elements each."""
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
        for kept in ("first", "second"):
            for way in ("tree", "warps", "loop") if threads > WARP and threads % WARP == 0 else ("tree",):
                joined = later(lambda t, k, w: r.over(_joined(r, t, k, w)), threads, kept, way)
                yield Mistake("softmax-one-side-rescaled", joined, variant=(threads, kept, way))
        if r.x.shape[1] > LONG:
            continue
        for cause, rule in RULES.items():
            for first in ("one",) if cause == "softmax-running-backwards" else ("plain", "one"):  # else all is NaN
                running = later(lambda t, rule, one: r.over(_running(r, t, rule, one)), threads, rule, first == "one")
                yield Mistake(cause, running, variant=(threads, first))
    for tile in TILES:
        for cause, backwards in {"softmax-not-rescaled": False, "softmax-running-backwards": True}.items():
            by_tiles = later(lambda t, b: r.over(_by_tiles(r, t, b)), tile, backwards)
            yield Mistake(cause, by_tiles, variant=("tile", tile))
    for kept in ("first", "second"):
        yield Mistake("softmax-one-side-rescaled", partial(_of_lanes, r, kept), variant=("lanes", kept))


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
    return np.asarray(_halved((largest, sums), "neither")[1][:, None])


def _parts(r: Rows, threads: int) -> Part:
    """The threads' maxima and sums, each right: (rows, threads)."""
    laid = dealt(r.x, threads, -np.inf)
    own = laid.max(axis=1)
    return own, np.where(own == -np.inf, 0, np.exp(laid - own[:, None]).sum(axis=1))


def _pair(own: Part, other: Part, kept: str) -> Part:
    """Two partial results as one; the sum of the `kept` one, if any, is not rescaled to the common maximum."""
    (m, s), (other_m, other_s) = own, other
    both = np.fmax(m, other_m)
    mine = s if kept == "first" else s * np.exp(m - both)
    its = other_s if kept == "second" else other_s * np.exp(other_m - both)
    return both, np.where(s == 0, 0, mine) + np.where(other_s == 0, 0, its)


def _joined(r: Rows, threads: int, kept: str, way: str) -> np.ndarray:
    """The threads' sums joined in pairs by a tree; warp by warp and then by a tree, or by a loop over the warps."""
    m, s = _parts(r, threads)
    if way != "tree":
        m, s = _halved((m.reshape(len(m), -1, WARP), s.reshape(len(m), -1, WARP)), kept)
    if way == "loop":
        joined = (m[:, 0], s[:, 0])
        for warp in range(1, m.shape[1]):
            joined = _pair(joined, (m[:, warp], s[:, warp]), kept)
        return np.asarray(joined[1][:, None])
    return np.asarray(_halved((m, s), kept)[1][:, None])


def _halved(parts: Part, kept: str) -> Part:
    """Along the last axis, which is gone then."""
    m, s = parts
    while m.shape[-1] > 1:
        half = (m.shape[-1] + 1) // 2
        upper = m.shape[-1] - half
        joined = _pair((m[..., :upper], s[..., :upper]), (m[..., half:], s[..., half:]), kept)
        m = np.concatenate([joined[0], m[..., upper:half]], axis=-1)
        s = np.concatenate([joined[1], s[..., upper:half]], axis=-1)
    return m[..., 0], s[..., 0]


def _of_lanes(r: Rows, kept: str) -> np.ndarray:
    """A warp takes a row and joins by shuffles with xor: each lane has a sum of its own in the end."""
    m, s = _parts(r, WARP)
    lanes = np.arange(WARP)
    for offset in (16, 8, 4, 2, 1):
        m, s = _pair((m, s), (m[:, lanes ^ offset], s[:, lanes ^ offset]), kept)
    return r.over(s[:, np.arange(r.x.shape[1]) % WARP])
