"""Mistakes in pairs of a maximum and a sum, which threads keep of their own columns and then join: lane with lane, warp
with warp. A thread's columns are those of its number in every step or, of rows that are read so, of 16 bytes each.

Causes are message keys: replay.softmax-NAME, or those of a sum (sums.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from onekernel.grading.replay.base import THREADS, WARP, Mistake, Replayed, later, row_sum
from onekernel.grading.replay.softmax_rows import Rows
from onekernel.grading.replay.sums import NARROW, STEP, shuffled_down

MANY = (128, 256, 512, 1024)  # threads that take vectors
LONG = 5000  # columns from which on a step of Python for each is too slow
Part = tuple[np.ndarray, np.ndarray]
"""Maxima and sums of some elements each."""


def mistakes(case: Replayed, r: Rows) -> Iterator[Mistake]:
    """y of shape (rows, cols) under each mistake that these rows can show."""
    for threads in THREADS:
        for how, laid in {"": padded(r.x, threads), "vectors": case.by_vectors(r.x, threads)}.items():
            if not how or threads in MANY:
                for m in _of_pairs(r, laid, threads):
                    yield Mistake(m.cause, m.make, m.values, (m.variant, threads, how), m.step)
    for kept in ("first", "second"):
        yield Mistake("softmax-one-side-rescaled", later(_of_lanes, r, kept), variant=("lanes", kept))


def _of_pairs(r: Rows, laid: np.ndarray, threads: int) -> Iterator[Mistake]:
    """`laid`: (rows, steps * threads), a thread's columns `threads` apart."""
    by_warps = threads > WARP and threads % WARP == 0

    def own() -> Part:
        return parts(laid, threads)

    def over(kept: str, after: str, way: str) -> Callable[[], np.ndarray]:
        return lambda: r.over(joined(own(), kept, after, way))

    for kept in ("first", "second"):
        for way in ("tree", "warps", "loop") if by_warps else ("tree",):
            yield Mistake("softmax-one-side-rescaled", over(kept, kept, way), variant=(kept, way))
        if by_warps:
            for lanes, warps in ((kept, "neither"), ("neither", kept)):
                yield Mistake("softmax-one-side-rescaled", over(lanes, warps, "loop"), variant=(lanes, warps))
        if laid.shape[1] // threads <= LONG:
            way = "loop" if by_warps else "tree"
            one = later(lambda k, w: r.over(joined(_in_turn(laid, threads, k), k, k, w)), kept, way)
            yield Mistake("softmax-one-side-rescaled", one, variant=(kept, "of each term"))
    for way in ("tree", "loop") if by_warps else ("tree",):
        yield Mistake("softmax-pairs-of-nothing", over("nothing asked", "nothing asked", way), variant=way)
    if by_warps:
        yield from _of_warps(r, laid, threads)


def _of_warps(r: Rows, laid: np.ndarray, threads: int) -> Iterator[Mistake]:
    thread = np.arange(laid.shape[1]) % threads
    twice = 1 + (thread < WARP)
    yield Mistake("sum-first-warp-twice", lambda: r.over(_weighted(laid, r.largest, twice)))
    last = np.where(thread % WARP == WARP - 1, WARP, 0)
    yield Mistake("sum-last-lane", lambda: _above_own(r, laid, last), variant="maximum, too")
    yield Mistake("sum-last-lane", lambda: r.over(_weighted(laid, r.largest, last)), variant="of pairs")
    down = shuffled_down()[thread % WARP]
    yield Mistake("sum-lanes-all", lambda: r.over(_weighted(laid, r.largest, down)), variant="of pairs")
    for kind, narrow in NARROW.items():
        rounded = later(lambda n: r.over(_of_rounded_warps(laid, threads, n)), narrow)
        yield Mistake("sum-narrow", rounded, {"type": kind}, "of warps", STEP[kind])


def padded(x: np.ndarray, threads: int) -> np.ndarray:
    """Columns up to a whole number of steps, -infinity where there is none."""
    return np.pad(x, [(0, 0), (0, -x.shape[1] % threads)], constant_values=-np.inf)


def _weighted(laid: np.ndarray, largest: np.ndarray, often: np.ndarray) -> np.ndarray:
    return row_sum(np.where((often > 0) & (laid > -np.inf) | np.isnan(laid), np.exp(laid - largest) * often, 0))


def _above_own(r: Rows, laid: np.ndarray, often: np.ndarray) -> np.ndarray:
    """Maximum and sum of the columns that are in the sum, NaN of none."""
    top = np.fmax.reduce(np.where(often > 0, laid, -np.inf), axis=1, keepdims=True)
    y = np.exp(r.x - top) / _weighted(laid, top, often)
    return np.where(top == -np.inf, np.float32(np.nan), y)


def _of_rounded_warps(laid: np.ndarray, threads: int, narrow: np.dtype) -> np.ndarray:
    """Each row's sum, of which each warp's is rounded on its way to the others."""
    m, s = of_warps(parts(laid, threads), "neither")
    s = s.astype(narrow).astype(s.dtype)
    return row_sum(np.where(s == 0, 0, s * np.exp(m - m.max(axis=1, keepdims=True))))


def _in_turn(laid: np.ndarray, threads: int, kept: str) -> Part:
    """The threads' maxima and sums, each term joined to them as a pair of its own."""
    steps = laid.reshape(len(laid), -1, threads)
    own = np.full((len(laid), threads), -np.inf, laid.dtype), np.zeros((len(laid), threads), laid.dtype)
    for step in range(steps.shape[1]):
        x = steps[:, step]
        own = pair(own, (x, np.where(x == -np.inf, 0, 1).astype(laid.dtype)), kept)
    return own


def parts(laid: np.ndarray, threads: int) -> Part:
    """The threads' maxima and sums, each right: (rows, threads)."""
    steps = laid.reshape(len(laid), -1, threads)
    own = steps.max(axis=1)
    return own, np.where(own == -np.inf, 0, np.exp(steps - own[:, None]).sum(axis=1))


def pair(own: Part, other: Part, kept: str) -> Part:
    """Two partial results as one; the sum of the `kept` one, if any, is not rescaled to the common maximum. With
    "nothing asked" two that have no element make NaN."""
    (m, s), (other_m, other_s) = own, other
    both = np.fmax(m, other_m)
    mine = s if kept == "first" else s * np.exp(m - both)
    its = other_s if kept == "second" else other_s * np.exp(other_m - both)
    if kept == "nothing asked":
        return both, mine + its
    return both, np.where(s == 0, 0, mine) + np.where(other_s == 0, 0, its)


def joined(of: Part, kept: str, after: str, way: str) -> np.ndarray:
    """The threads' sums joined in pairs by a tree; warp by warp and then by a tree, or by a loop over the warps, for
    which `after` says which is kept."""
    m, s = of_warps(of, kept) if way != "tree" else of
    if way == "loop":
        whole = (m[:, 0], s[:, 0])
        for warp in range(1, m.shape[1]):
            whole = pair(whole, (m[:, warp], s[:, warp]), after)
        return np.asarray(whole[1][:, None])
    return np.asarray(halved((m, s), after)[1][:, None])


def of_warps(of: Part, kept: str) -> Part:
    m, s = of
    return halved((m.reshape(len(m), -1, WARP), s.reshape(len(m), -1, WARP)), kept)


def halved(of: Part, kept: str) -> Part:
    """Along the last axis, which is gone then."""
    m, s = of
    while m.shape[-1] > 1:
        half = (m.shape[-1] + 1) // 2
        upper = m.shape[-1] - half
        whole = pair((m[..., :upper], s[..., :upper]), (m[..., half:], s[..., half:]), kept)
        m = np.concatenate([whole[0], m[..., upper:half]], axis=-1)
        s = np.concatenate([whole[1], s[..., upper:half]], axis=-1)
    return m[..., 0], s[..., 0]


def _of_lanes(r: Rows, kept: str) -> np.ndarray:
    """A warp takes a row and joins by shuffles with xor: each lane has a sum of its own in the end."""
    m, s = parts(padded(r.x, WARP), WARP)
    lanes = np.arange(WARP)
    for offset in (16, 8, 4, 2, 1):
        m, s = pair((m, s), (m[:, lanes ^ offset], s[:, lanes ^ offset]), kept)
    return r.over(s[:, np.arange(r.x.shape[1]) % WARP])
