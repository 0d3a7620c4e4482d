"""What a softmax computes is another formula: another quotient, power or sign, a value that passes through an integer.

Causes are message keys: replay.softmax-NAME.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from onekernel.grading.replay.base import Mistake, later, row_sum
from onekernel.grading.replay.softmax_rows import Rows

EPSILONS = (0.1, 1e-2, 1e-3, 1e-4, 1e-5)  # added to the sum, so that it is not 0
FACTORS = (0.1, 0.125, 0.25, 0.5, 2.0, 4.0, 10.0)
SHORT_LOG2E = (1.4, 1.44, 1.442, 1.4426, 1.4427, 1.443, 1.45, 1.5, 0.6931472, 0.693)  # and its inverse
BASES = (2.7, 2.71, 2.72, 2.718, 3.0)  # taken for e


def mistakes(r: Rows) -> Iterator[Mistake]:
    yield Mistake("softmax-no-division", lambda: r.e)
    yield Mistake("softmax-no-division", lambda: np.exp(r.x), variant="no maximum")
    yield Mistake("softmax-no-exponential", lambda: r.x / row_sum(r.x))
    yield Mistake("softmax-numerator-no-exponential", lambda: (r.x - r.largest) / row_sum(r.e))
    yield Mistake("softmax-numerator-no-exponential", lambda: r.x / row_sum(r.e), variant="not shifted")
    yield Mistake("softmax-sum-of-x", lambda: r.over(row_sum(r.x)))
    yield Mistake("softmax-sum-of-x", lambda: r.over(row_sum(r.x - r.largest)), variant="shifted")
    beyond = np.float32(-np.inf if r.x.shape[1] & (r.x.shape[1] - 1) else 0)  # of a tile's columns, a power of two
    padded = row_sum(r.x) + beyond
    yield Mistake("softmax-sum-of-x", lambda: r.over(padded), variant="of a tile")
    yield Mistake("softmax-sum-of-own", lambda: r.over(np.float32(r.x.shape[1]) * r.e))
    twice = np.exp(r.e)
    yield Mistake("softmax-exponential-twice", lambda: twice / row_sum(r.e))
    yield Mistake("softmax-exponential-twice", lambda: twice / row_sum(twice), variant="sum, too")
    shifted = later(lambda: np.exp(r.e - r.largest))
    yield Mistake("softmax-exponential-twice", lambda: shifted() / row_sum(r.e), variant="shifted twice")
    yield Mistake("softmax-exponential-twice", lambda: shifted() / row_sum(shifted()), variant="shifted, sum, too")
    yield Mistake("softmax-multiplied", lambda: r.e * row_sum(r.e))
    yield Mistake("softmax-parenthesis", lambda: np.exp(r.x) - r.largest / row_sum(r.e))
    yield Mistake("softmax-division-inside", lambda: np.exp((r.x - r.largest) / row_sum(r.e)))
    yield Mistake("softmax-division-inside", lambda: np.exp(r.x - r.largest / row_sum(r.e)), variant="of the maximum")
    yield Mistake("softmax-numerator-not-shifted", lambda: np.exp(r.x) / row_sum(r.e))
    yield Mistake("softmax-sum-not-shifted", lambda: r.over(row_sum(np.exp(r.x))))
    yield Mistake("softmax-power-of-two", lambda: np.exp2(r.x - r.largest) / row_sum(np.exp2(r.x - r.largest)))
    twos = partial(np.exp2, r.x - r.largest)
    yield Mistake("softmax-power-of-two-above", lambda: twos() / row_sum(r.e))
    yield Mistake("softmax-power-of-two-in-sum", lambda: r.over(row_sum(twos())))
    yield Mistake("softmax-divided-by-mean", lambda: r.over(row_sum(r.e) / np.float32(r.x.shape[1])))
    tens = partial(np.power, np.float32(10), r.x - r.largest)
    yield Mistake("softmax-power-of-ten", lambda: tens() / row_sum(tens()))
    yield from _of_whole_numbers(r)
    yield Mistake("softmax-sign", lambda: np.exp(r.largest - r.x) / row_sum(np.exp(r.largest - r.x)))
    yield Mistake("softmax-sign", lambda: np.exp(r.largest - r.x) / row_sum(r.e), variant="numerator")
    yield Mistake("softmax-sign", lambda: r.over(row_sum(np.exp(r.largest - r.x))), variant="sum")
    yield Mistake("softmax-logarithm", lambda: r.x - r.largest - np.log(row_sum(r.e)))
    yield Mistake("softmax-divided-by-count", lambda: r.over(np.float32(r.x.shape[1])))
    yield Mistake("softmax-divided-early", lambda: r.e / np.cumsum(r.e, axis=1))
    yield from _of_other_formulas(r)
    yield from _of_equal_maxima(r)
    yield Mistake("softmax-inverted", lambda: row_sum(r.e) / r.e)
    yield Mistake("softmax-constant", lambda: np.full_like(r.x, 1 / r.x.shape[1]))
    yield Mistake("softmax-zeros", lambda: np.zeros_like(r.x))
    yield Mistake("softmax-copy", lambda: r.x)
    seen = Rows(np.where(np.isnan(r.x), np.float32(0), r.x))
    yield Mistake("softmax-nan-hidden", lambda: seen.above(seen.largest))
    right = r.above(r.largest)
    yield Mistake("softmax-nan-hidden", lambda: np.where(np.isnan(right), np.float32(0), right), variant="result")
    yield Mistake("softmax-masked-row", lambda: np.where(r.largest == -np.inf, np.float32(0), r.above(r.largest)))


def _of_equal_maxima(r: Rows) -> Iterator[Mistake]:
    """What equals the maximum counts as 1 without a subtraction, in the sum alone or in the result as well: infinity
    minus infinity does not become NaN."""
    ones = later(lambda: np.where(r.x == r.largest, np.float32(1), r.e))
    yield Mistake("softmax-equal-as-one", lambda: r.over(row_sum(ones())))
    yield Mistake("softmax-equal-as-one", lambda: ones() / row_sum(ones()), variant="result, too")


def _of_other_formulas(r: Rows) -> Iterator[Mistake]:
    """What is like a softmax, or nearly one."""
    yield Mistake("softmax-divided-by-max", lambda: r.over(r.largest))
    for first in (-np.inf, 0):  # where fmaxf begins; past NaN
        top = later(lambda f: np.fmax.reduce(r.e, axis=1, keepdims=True, initial=f), np.float32(first))
        yield Mistake("softmax-divided-by-largest", later(lambda t: r.over(t()), top), variant=first)
    yield Mistake("softmax-divided-by-largest", lambda: r.over(r.e.max(axis=1, keepdims=True)), variant="NaN stays")
    yield Mistake("softmax-divided-twice", lambda: r.over(row_sum(r.e) ** 2))
    yield Mistake("softmax-root-of-squares", lambda: r.over(np.sqrt(row_sum(r.e * r.e))))
    ratio = later(lambda: np.exp(r.x / r.largest))
    yield Mistake("softmax-ratio", lambda: ratio() / row_sum(ratio()))
    yield Mistake("softmax-sigmoid", lambda: 1 / (1 + np.exp(-r.x)))
    scale = np.float32(np.sqrt(r.x.shape[1]))
    scaled = later(lambda: np.exp((r.x - r.largest) / scale))
    yield Mistake("softmax-scaled", lambda: scaled() / row_sum(scaled()))
    for epsilon in EPSILONS:
        make = later(lambda e: r.over(row_sum(r.e) + np.float32(e)), epsilon)
        yield Mistake("softmax-epsilon", make, {"epsilon": epsilon})
    for base in BASES:
        powers = later(lambda b: np.power(np.float32(b), r.x - r.largest), base)
        yield Mistake("softmax-base", later(lambda p: p() / row_sum(p()), powers), {"base": base})
    for factor in FACTORS:
        scaled_by = later(lambda f: np.exp((r.x - r.largest) * np.float32(f)), factor)
        yield Mistake("softmax-factor", later(lambda p: p() / row_sum(p()), scaled_by), {"factor": factor})
    for digits in SHORT_LOG2E:
        short = later(lambda d: np.exp2((r.x - r.largest) * np.float32(d)), digits)
        yield Mistake("softmax-log2e", later(lambda p: p() / row_sum(p()), short), variant=digits)
    of_largest = later(lambda: np.exp(r.x - r.largest * np.float32(np.log2(np.e))))
    yield Mistake("softmax-log2e-of-largest", lambda: of_largest() / row_sum(r.e))
    of_x = later(lambda: np.exp2(r.x.astype(np.float64) * np.log2(np.e) - r.largest).astype(np.float32))
    yield Mistake("softmax-log2e-of-x", lambda: of_x() / row_sum(of_x()))
    yield Mistake("softmax-sum-of-squares", lambda: r.over(row_sum(r.e * r.e)))
    yield from _of_own_maxima(r)
    for whose in ("row", "own"):  # the maximum of the whole row, or of the columns that are summed
        yield Mistake("softmax-from-own-column", partial(_from_own_column, r, whose), variant=whose)


def _of_own_maxima(r: Rows) -> Iterator[Mistake]:
    """Each element's thread begins the maximum at its own element: one column is looked at by its own thread alone, or
    those before its own, or behind it, are left out. A level cancels, unless what is above it overflows."""
    columns = np.arange(r.x.shape[1])
    for column, at in {"0": 0, "cols - 1": r.x.shape[1] - 1}.items():
        others = np.fmax.reduce(r.x[:, columns != at], axis=1, keepdims=True, initial=-np.inf).astype(r.x.dtype)
        alone = later(lambda o, c: np.where(columns == c, r.above(r.largest), r.above(o)), others, at)
        yield Mistake("softmax-max-from-own", alone, {"column": column})
    yield Mistake("softmax-max-part-of-row", later(_above_part, r, True), variant="from its own column on")
    yield Mistake("softmax-max-part-of-row", later(_above_part, r, False), variant="up to its own column")


def _above_part(r: Rows, onwards: bool) -> np.ndarray:
    """The softmax of each element above the largest from its own column on, or up to it, in its own sum, too."""
    x = r.x[:, ::-1] if onwards else r.x
    top, sums = np.fmax.accumulate(x, axis=1), np.empty_like(x)
    for row in range(len(x)):
        levels, which = np.unique(top[row], return_inverse=True)  # a row has few that none before it exceeds
        sums[row] = np.array([np.exp(x[row] - level).sum() for level in levels], x.dtype)[which]
    y = np.exp(x - top) / sums
    return np.asarray(y[:, ::-1] if onwards else y)


def _from_own_column(r: Rows, whose: str) -> np.ndarray:
    """Each element's sum begins at its own column, and perhaps its maximum, too."""
    backwards = r.x[:, ::-1]
    top = np.fmax.accumulate(backwards, axis=1) if whose == "own" else np.broadcast_to(r.largest, r.x.shape)
    running = np.zeros_like(r.x)
    total = np.zeros(len(r.x), r.x.dtype)
    for c in range(r.x.shape[1]):
        if whose == "own" and c:
            total = total * np.exp(top[:, c - 1] - top[:, c])
        total = total + np.exp(backwards[:, c] - top[:, c])
        running[:, c] = np.exp(backwards[:, c] - top[:, c]) / total
    return running[:, ::-1]


def _of_whole_numbers(r: Rows) -> Iterator[Mistake]:
    """A value that passes through an integer on its way: an exponential, the difference, the sum, its reciprocal."""
    whole = np.trunc(r.e)
    yield Mistake("softmax-integer", lambda: whole / row_sum(r.e), variant="numerator")
    yield Mistake("softmax-integer", lambda: whole / row_sum(whole), variant="exponentials")
    yield Mistake("softmax-integer", lambda: r.over(np.trunc(row_sum(r.e))), variant="sum")
    whole_sum = np.nan_to_num(np.trunc(row_sum(r.e)), nan=2.0**31)  # NaN becomes a number, too
    yield Mistake("softmax-integer", lambda: r.e * np.trunc(1 / whole_sum), variant="reciprocal")
    yield Mistake("softmax-integer", lambda: r.above(np.trunc(r.largest)), variant="maximum")
    cut = np.exp(np.trunc(r.x - r.largest))
    yield Mistake("softmax-integer", lambda: cut / row_sum(cut), variant="difference")
    input_cut = Rows(np.trunc(r.x))
    yield Mistake("softmax-integer", lambda: input_cut.above(input_cut.largest), variant="input")
    held = Rows(np.where(np.abs(r.x) < 2**31, np.trunc(r.x), np.float32(-(2**31))))  # of what no int holds, an int
    yield Mistake("softmax-integer", lambda: held.above(r.largest), variant="input in an int")
    yield Mistake("softmax-integer", lambda: r.above(held.largest), variant="maximum in an int")
