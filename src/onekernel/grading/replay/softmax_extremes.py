"""Mistakes in a softmax at the ends of what a float holds: small exponentials raised or cut off, and a maximum of bits.

Causes are message keys: replay.softmax-NAME.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

import numpy as np

from onekernel.grading.replay.base import THREADS, Mistake, dealt, later, row_max, row_sum
from onekernel.grading.replay.softmax_rows import Rows

_POWERS = (38, 37, 35, 30, 20, 16, 15, 12, 10, 9, 8, 7, 6, 5, 4, 3)
SMALL = (*(10.0**-k for k in _POWERS), float(np.finfo(np.float32).tiny), float(np.finfo(np.float32).eps))
LEAST = (5, 8, 10, 15, 16, 20, 25, 30, 32, 40, 50, 60, 64, 70, 80, 85, 86, 87, 88)  # of a difference, below 0


MOST = (80, 85, 87, 88, 88.7, 88.72, 100)  # of a maximum
COLUMNS = (32, 64, 128, 256, 512, 1024, 2048, 4096)  # from which on nothing is computed


def mistakes(r: Rows) -> Iterator[Mistake]:
    """y of shape (rows, cols) under each mistake that these rows can show."""
    for small in SMALL:
        floored = later(lambda t: np.fmax(r.e, t), np.float32(small))
        yield from _of_small(r, "floored", floored, {"least": small}, small)
        raised = later(lambda t: np.maximum(r.over(row_sum(r.e)), t), np.float32(small))
        yield Mistake("softmax-floored", raised, {"least": small}, (small, "result"))
        flushed = later(lambda t: np.where(r.e < t, np.float32(0), r.e), np.float32(small))
        yield from _of_small(r, "flushed", flushed, {}, small)  # from where on, the numbers seldom tell
    for most in MOST:
        capped = later(lambda m: r.above(np.minimum(r.largest, m)), np.float32(most))
        yield Mistake("softmax-max-capped", capped, variant=most)
    for last in COLUMNS:
        zeros = later(lambda n: np.where(np.arange(r.x.shape[1]) < n, r.above(r.largest), 0), last)
        yield Mistake("softmax-zero-beyond", zeros, {"last": last})
    for threads in THREADS:
        yield Mistake("softmax-max-of-abs", partial(_by_tree_of_sizes, r, threads), variant=("tree", threads))
    for least in LEAST:
        clamped = later(lambda t: np.exp(np.fmax(r.x - r.largest, t)), np.float32(-least))
        yield from _of_small(r, "clamped", clamped, {"least": -least}, least)
    for unsigned in (True, False):
        for threads in THREADS:
            for of in {threads, 32}:  # of a block, or of a warp each
                largest = partial(_largest_by_bits, r, threads, of, unsigned)
                yield Mistake("softmax-max-of-bits", partial(_above, r, largest), variant=(unsigned, threads, of))
        for start in (-np.inf, -np.finfo(np.float32).max):  # from 0 on bits are in the order of the numbers
            begun = partial(_by_bits, np.insert(r.x, 0, np.float32(start), axis=1), unsigned)
            yield Mistake("softmax-max-of-bits", partial(_above, r, begun), variant=(unsigned, start))
        yield Mistake("softmax-max-of-bits", partial(_above, r, partial(_by_bits, r.x, unsigned)), variant=unsigned)
    yield from _not_decoded(r)


def _not_decoded(r: Rows) -> Iterator[Mistake]:
    """The maximum is found among bits in the order of the numbers, and they are not turned back as they were turned."""
    bits = np.ascontiguousarray(r.largest, np.float32).view(np.uint32)
    sign = np.uint32(1 << 31)
    turned = np.where(bits & sign, ~bits, bits | sign)
    of_negative = {"as it is": ~bits, "sign": ~bits | sign}  # where the highest bit is not set
    for which, below in of_negative.items():
        level = np.where(bits & sign, below, bits).view(np.float32)
        yield Mistake("softmax-max-not-decoded", later(r.above, level), variant=which)
    yield Mistake("softmax-max-not-decoded", later(r.above, turned.view(np.float32)), variant="neither")


def _of_small(
    r: Rows, cause: str, e: Callable[[], np.ndarray], values: Mapping[str, float], bound: float
) -> Iterator[Mistake]:
    """Other exponentials in numerator and sum, or in one of them; a NaN stays, or is lost as fmaxf loses it."""
    seen = later(lambda: np.where(np.isnan(r.e), r.e, e()))
    for nan, some in {"kept": seen, "lost": e}.items():
        made = {
            "both": later(lambda some: some() / row_sum(some()), some),
            "numerator": later(lambda some: some() / row_sum(r.e), some),
            "sum": later(lambda some: r.over(row_sum(some())), some),
        }
        for where, make in made.items():
            yield Mistake(f"softmax-{cause}", make, values, (bound, nan, where))


def _above(r: Rows, largest: partial[np.ndarray]) -> np.ndarray:
    return r.above(largest())


def _by_bits(x: np.ndarray, unsigned: bool) -> np.ndarray:
    """The last axis's element with the largest bits, these taken for an integer."""
    bits = np.ascontiguousarray(x, np.float32).view(np.uint32 if unsigned else np.int32)
    return np.asarray(bits.max(axis=-1, keepdims=True).view(np.float32))


def _by_tree_of_sizes(r: Rows, threads: int) -> np.ndarray:
    """A tree that takes the upper half by its absolute value: -infinity, of a thread without a column, becomes +."""
    own = np.fmax.reduce(dealt(r.x, threads, -np.inf), axis=1)
    half = threads // 2
    while half:
        own = np.fmax(own[:, :half], np.abs(own[:, half : 2 * half]))
        half //= 2
    return r.above(own[:, :1])


def _largest_by_bits(r: Rows, threads: int, of: int, unsigned: bool) -> np.ndarray:
    """The threads' own maxima are right, and joined by their bits, `of` threads each; then rightly."""
    own = dealt(r.x, threads, -np.inf).max(axis=1).reshape(len(r.x), -1, of)
    return row_max(_by_bits(own, unsigned)[:, :, 0])
