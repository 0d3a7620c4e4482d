"""The mistakes that people make in a row softmax, each made on purpose on the inputs of a case.

Causes are message keys: replay.softmax-NAME, or those of a sum (sums.py). tests/slips has kernels that make them for
real.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from onekernel.grading.replay import softmax_extremes, softmax_online
from onekernel.grading.replay.base import THREADS, WARP, Mistake, Replayed, dealt, later, row_max, row_sum
from onekernel.grading.replay.factors import of_rows
from onekernel.grading.replay.softmax_rows import Rows
from onekernel.grading.replay.sums import NARROW, STEP, integer_sums, narrow_sums, of_own_warp, weightings
from onekernel.messages import Message
from onekernel.ops.base import Arrays
from onekernel.ops.softmax import compare

# Where a maximum is begun, in place of -INFINITY.
STARTS = (0.0, -1.0, -100.0, -999.0, -1000.0, -1e4, -65504.0, -1e5, -1e6, -1e7, -1e8, -1e9, -1e10, -1e20, -1e30, -1e37,
          -1e38)  # fmt: skip
EPSILONS = (0.1, 1e-2, 1e-3, 1e-4, 1e-5)  # added to the sum, so that it is not 0
FACTORS = (0.1, 0.125, 0.25, 0.5, 2.0, 4.0, 10.0)
SHORT_LOG2E = (1.4, 1.44, 1.442, 1.4426, 1.4427, 1.443, 1.45, 1.5, 0.6931472, 0.693)  # and its inverse
BASES = (2.7, 2.71, 2.72, 2.718, 3.0)  # taken for e
SMOOTH = 2.0**24  # beyond it the rounding of a maximum or a mean is a factor of e and more
Axes = int | tuple[int, ...]
NEAR_ONE = {"float32": 1e-5, "float16": 1e-2, "bfloat16": 6e-2}  # what a sum of a row's elements is off by
LONG = 5000  # columns from which on a sum in steps is not made: a step of Python for each


def mistakes(case: Replayed) -> Iterator[Mistake]:
    """y of shape (rows, cols) under each mistake that this case can show; not yet rounded to the element type."""
    rows = Rows(case.inputs["x"].astype(np.float32))
    yield from _of_the_maximum(rows)
    yield from _of_the_formula(rows)
    yield from _of_the_rows(case, rows)
    yield from _of_the_padding(rows)
    yield from _of_the_columns(rows)
    yield from _of_the_sum(case, rows)
    yield from softmax_online.mistakes(rows)
    yield from softmax_extremes.mistakes(rows)


def _of_the_maximum(r: Rows) -> Iterator[Mistake]:
    yield Mistake("softmax-no-max", partial(r.above, np.float32(0)))
    for start in STARTS:
        make = later(lambda s: r.above(np.maximum(r.largest, np.float32(s))), start)
        yield Mistake("softmax-max-start", make, variant=start)
    yield Mistake("softmax-matrix-max", lambda: r.above(np.fmax.reduce(r.x, axis=None)))
    yield Mistake("softmax-max-from-corner", lambda: r.above(np.maximum(r.largest, r.x[:1, :1])))
    yield Mistake("softmax-mean", lambda: r.above(r.x.mean(axis=1, keepdims=True)))
    yield Mistake("softmax-max-is-first", lambda: r.above(r.x[:, :1]))
    yield Mistake("softmax-max-is-last", lambda: r.above(r.x[:, -1:]))
    yield Mistake("softmax-max-of-abs", lambda: r.above(row_max(np.abs(r.x))))
    yield Mistake("softmax-min-for-max", lambda: r.above(np.fmin.reduce(r.x, axis=1, keepdims=True)))


def _of_the_formula(r: Rows) -> Iterator[Mistake]:
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
    yield Mistake("softmax-multiplied", lambda: r.e * row_sum(r.e))
    yield Mistake("softmax-parenthesis", lambda: np.exp(r.x) - r.largest / row_sum(r.e))
    yield Mistake("softmax-division-inside", lambda: np.exp((r.x - r.largest) / row_sum(r.e)))
    yield Mistake("softmax-division-inside", lambda: np.exp(r.x - r.largest / row_sum(r.e)), variant="of the maximum")
    yield Mistake("softmax-numerator-not-shifted", lambda: np.exp(r.x) / row_sum(r.e))
    yield Mistake("softmax-sum-not-shifted", lambda: r.over(row_sum(np.exp(r.x))))
    yield Mistake("softmax-power-of-two", lambda: np.exp2(r.x - r.largest) / row_sum(np.exp2(r.x - r.largest)))
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
    yield Mistake("softmax-inverted", lambda: row_sum(r.e) / r.e)
    yield Mistake("softmax-constant", lambda: np.full_like(r.x, 1 / r.x.shape[1]))
    yield Mistake("softmax-zeros", lambda: np.zeros_like(r.x))
    yield Mistake("softmax-copy", lambda: r.x)
    seen = Rows(np.where(np.isnan(r.x), np.float32(0), r.x))
    yield Mistake("softmax-nan-hidden", lambda: seen.above(seen.largest))
    right = r.above(r.largest)
    yield Mistake("softmax-nan-hidden", lambda: np.where(np.isnan(right), np.float32(0), right), variant="result")
    yield Mistake("softmax-masked-row", lambda: np.where(r.largest == -np.inf, np.float32(0), r.above(r.largest)))


def _of_other_formulas(r: Rows) -> Iterator[Mistake]:
    """What is like a softmax, or nearly one."""
    yield Mistake("softmax-divided-by-max", lambda: r.over(r.largest))
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
    of_x = later(lambda: np.exp2(r.x.astype(np.float64) * np.log2(np.e) - r.largest).astype(np.float32))
    yield Mistake("softmax-log2e-of-x", lambda: of_x() / row_sum(of_x()))
    yield Mistake("softmax-sum-of-squares", lambda: r.over(row_sum(r.e * r.e)))
    for whose in ("row", "own"):  # the maximum of the whole row, or of the columns that are summed
        yield Mistake("softmax-from-own-column", partial(_from_own_column, r, whose), variant=whose)


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


def _of_the_rows(case: Replayed, r: Rows) -> Iterator[Mistake]:
    """Rows and columns mixed up, and a row stride that is another's."""
    columns = Rows(np.ascontiguousarray(r.x.T))
    yield Mistake("softmax-by-column", lambda: columns.above(columns.largest).T)
    highest = np.fmax.reduce(r.x, axis=None)
    yield Mistake("softmax-matrix-sum", lambda: np.exp(r.x - highest) / np.exp(r.x - highest).sum())
    yield Mistake("softmax-matrix-sum", lambda: r.over(r.e.sum()), variant="own maximum")
    first = Rows(np.broadcast_to(r.x[:1], r.x.shape))
    yield Mistake("softmax-first-row", lambda: first.above(first.largest))
    for by in (1, -1):
        for around in (True, False):  # what the last row, or the first, takes where there is no other
            at = np.arange(len(r.x)) + by
            other = Rows(r.x[at % len(at) if around else np.clip(at, 0, len(at) - 1)])
            yield Mistake("softmax-other-row", later(lambda o: o.above(o.largest), other), variant=(by, around))
    masked = Rows(r.x[:, np.arange(r.x.shape[1]) & (r.x.shape[1] - 1)])
    yield Mistake("element-masked", lambda: masked.above(masked.largest), {"name": "x"})
    strides = case.row_strides
    for cause, stride in {"x-cols": r.x.shape[1], "x-of-y": strides["y"], "x-one": 1}.items():
        if stride != strides["x"]:
            wrong = Rows(case.read("x", stride))
            yield Mistake(f"stride-{cause}", later(lambda w: w.above(w.largest), wrong))


def _of_the_padding(r: Rows) -> Iterator[Mistake]:
    """Columns that do not exist, in maximum and sum as 0, or in the sum alone: up to a power of two, or a whole number
    of steps."""
    cols = r.x.shape[1]

    def zeros(width: int, largest: np.ndarray) -> np.ndarray:
        e = np.exp(r.x - largest)
        return np.asarray(e / (row_sum(e) + np.float32(width - cols) * np.exp(-largest)))

    widths = {"power": 1 << (cols - 1).bit_length(), **{str(t): -(-cols // t) * t for t in THREADS}}
    widths |= {f"{t}, one step more": widths[str(t)] + t for t in THREADS}
    for variant, width in widths.items():
        if width > cols:
            in_both = partial(np.maximum, r.largest, np.float32(0))
            yield Mistake("softmax-padded-zero", later(lambda w, top: zeros(w, top()), width, in_both), variant=variant)
            yield Mistake("softmax-padded-zero", later(lambda w: zeros(w, r.largest), width), variant=variant + " sum")
            for number in STARTS[2:]:
                filled = later(lambda w, f: _filled(r, w - cols, f), width, number)
                yield Mistake("softmax-padded-number", filled, variant=(variant, number))
            padded = later(lambda w: r.over(row_sum(r.e) + np.float32(w - cols)), width)
            yield Mistake("softmax-padded-one", padded, variant=variant)


def _filled(r: Rows, more: int, number: float) -> np.ndarray:
    """With `more` columns of a number, in maximum and sum."""
    top = np.maximum(r.largest, np.float32(number))
    e = np.exp(r.x - top)
    return np.asarray(e / (row_sum(e) + np.float32(more) * np.exp(np.float32(number) - top)))


def _of_the_columns(r: Rows) -> Iterator[Mistake]:
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
    for rows in (2, 4, 8, 16):
        yield Mistake("softmax-whole-tile", partial(_of_tiles, r, rows, (1, 2), (1, 2)), {"rows": rows})
        for top, of_sum in ((2, 1), (1, 2), (1, 1)):
            yield Mistake("softmax-tile-axis", partial(_of_tiles, r, rows, top, of_sum), {"rows": rows}, (top, of_sum))
    for lanes in (16, 8, 4, 2):
        values = {"lanes": lanes, "offset": lanes // 2}
        yield Mistake("softmax-rows-mixed", partial(_rows_mixed, r, WARP // lanes), values)
        yield Mistake("softmax-part-of-warp", partial(_part_of_warp, r, lanes), {"lanes": lanes, "offset": lanes // 2})


def _of_the_sum(case: Replayed, r: Rows) -> Iterator[Mistake]:
    """A sum kept in too narrow a type, added in the usual orders; one that begins elsewhere, or is not rescaled."""
    yield Mistake("softmax-sum-from-one", lambda: r.over(row_sum(r.e) + np.float32(1)))
    for kind in ("float16", "bfloat16"):
        yield Mistake("sum-narrow-result", later(lambda k: r.over(row_sum(r.e)).astype(k), kind), {"type": kind})
    yield Mistake("own-type-e", lambda: case.own(r.e) / row_sum(r.e), step=case.step)
    yield Mistake("own-type-e", lambda: case.own(r.e) / row_sum(case.own(r.e)), variant="sum, too", step=case.step)
    yield Mistake("own-type-sum", lambda: r.over(case.own(row_sum(r.e))), variant="result", step=case.step)
    yield Mistake("own-type-term", lambda: r.over(row_sum(case.own(r.e))), step=case.step)
    yield Mistake("own-type-scale", lambda: r.e * case.own(1 / row_sum(r.e)), step=case.step)
    near = later(lambda: np.exp(case.own(r.x - r.largest)))
    yield Mistake("own-type-difference", lambda: near() / row_sum(near()), step=case.step)
    if r.x.shape[1] > LONG:
        return
    for variant, sums in narrow_sums(r.e, case.dtype) if case.dtype in NARROW else ():
        yield Mistake("own-type-sum", later(lambda s: r.over(s()), sums), variant=variant, step=STEP[case.dtype])
    for kind in ("float16", "bfloat16"):
        for variant, sums in narrow_sums(r.e, kind):
            yield Mistake("sum-narrow", later(lambda s: r.over(s()), sums), {"type": kind}, variant, STEP[kind])
    for variant, sums in integer_sums(r.e):
        yield Mistake("sum-integer", later(lambda s: r.over(s()), sums), variant=variant)


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


def _part_of_warp(r: Rows, lanes: int) -> np.ndarray:
    """A warp takes a row, and only so many lanes join their maxima and sums: each such part has its own."""
    laid = dealt(r.x, 32, -np.inf)
    steps = laid.shape[1]
    parts = laid.reshape(len(r.x), steps, -1, lanes)
    e = np.exp(parts - parts.max(axis=(1, 3), keepdims=True))
    return np.asarray((e / e.sum(axis=(1, 3), keepdims=True)).reshape(len(r.x), -1)[:, : r.x.shape[1]])


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


def otherwise(got: np.ndarray, want: np.ndarray, dtype: str, inputs: Arrays) -> Message | None:
    """What wrong rows have in common where no mistake gives their numbers: all elements NaN, or off by one factor."""
    if np.isnan(got).all() and not np.isnan(want).all():
        return Message("replay.softmax-all-nan")
    if column := _one_minus_others(got, want, dtype):
        return Message(f"replay.softmax-{column}-from-others")
    found = of_rows(got, want, dtype)
    if found is None or found[1] <= 0:
        return None
    return Message("replay.softmax-row-factor", {"row": found[0], "factor": 1 / found[1]})


def _one_minus_others(got: np.ndarray, want: np.ndarray, dtype: str) -> str | None:
    """The one column, "first" or "last", that is wrong, and by no more than the rounding of numbers near 1."""
    for name, column in {"first": 0, "last": -1}.items():
        without = got.copy()
        without[:, column] = want[:, column]
        off = np.nan_to_num(np.abs(got - want)[:, column])
        if compare(without, want, dtype, {}) is None and off.max(initial=0.0) < NEAR_ONE[dtype]:
            return name
    return None
