"""The mistakes that people make in a row softmax, each made on purpose on the inputs of a case.

Causes are message keys: replay.softmax-NAME, or those of a sum (sums.py). tests/slips has kernels that make them for
real.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from functools import cache, partial

import numpy as np

from onekernel.grading.replay import softmax_extremes, softmax_formula, softmax_online, softmax_pairs, softmax_threads
from onekernel.grading.replay.base import THREADS, Mistake, Replayed, later, row_max, row_sum
from onekernel.grading.replay.factors import of_rows
from onekernel.grading.replay.softmax_rows import Rows
from onekernel.grading.replay.sums import NARROW, STEP, integer_sums, narrow_sums
from onekernel.messages import Message
from onekernel.ops.base import Arrays
from onekernel.ops.softmax import compare

# Where a maximum is begun, in place of -INFINITY.
STARTS = (0.0, -1.0, -100.0, -999.0, -1000.0, -1e4, -65504.0, -1e5, -1e6, -1e7, -1e8, -1e9, -1e10, -1e20, -1e30, -1e37,
          -1e38)  # fmt: skip
SMOOTH = 2.0**24  # beyond it the rounding of a maximum or a mean is a factor of e and more
NEAR_ONE = {"float32": 1e-5, "float16": 1e-2, "bfloat16": 6e-2}  # what a sum of a row's elements is off by
SUM = 1e-2  # what the sum of a column is off by
MOST_TERMS = 1 << 25  # of sums of which each element has one of its own
KEPT = tuple(1 << k for k in range(8, 15))  # columns that threads may keep of a row between them
LONG = 5000  # columns from which on a sum in steps is not made: a step of Python for each


def mistakes(case: Replayed) -> Iterator[Mistake]:
    """y of shape (rows, cols) under each mistake that this case can show; not yet rounded to the element type."""
    rows = Rows(case.inputs["x"].astype(np.float32))
    yield from _of_the_maximum(rows)
    yield from softmax_formula.mistakes(rows)
    yield from _of_the_rows(case, rows)
    yield from _of_the_padding(rows)
    yield from softmax_threads.mistakes(rows)
    yield from _of_the_sum(case, rows)
    yield from _of_aligned_rows(case, rows)
    yield from softmax_online.mistakes(rows)
    yield from softmax_pairs.mistakes(case, rows)
    yield from softmax_extremes.mistakes(rows)


def _of_the_maximum(r: Rows) -> Iterator[Mistake]:
    yield Mistake("softmax-no-max", partial(r.above, np.float32(0)))
    for start in STARTS:
        make = later(lambda s: r.above(np.maximum(r.largest, np.float32(s))), start)
        yield Mistake("softmax-max-start", make, variant=start)
        others = later(lambda s: r.above(np.maximum(row_max(r.x[:, 1:]), np.float32(s))), start)
        yield Mistake("softmax-max-start-and-first", others, variant=start)
    yield Mistake("softmax-matrix-max", lambda: r.above(np.fmax.reduce(r.x, axis=None)))
    yield Mistake("softmax-max-from-corner", lambda: r.above(np.maximum(r.largest, r.x[:1, :1])))
    yield Mistake("softmax-mean", lambda: r.above(r.x.mean(axis=1, keepdims=True)))
    yield Mistake("softmax-max-is-first", lambda: r.above(r.x[:, :1]))
    yield Mistake("softmax-max-is-last", lambda: r.above(r.x[:, -1:]))
    yield Mistake("softmax-max-of-abs", lambda: r.above(row_max(np.abs(r.x))))
    first = np.argmax(np.abs(np.nan_to_num(r.x, nan=0.0)), axis=1)[:, None]
    yield Mistake("softmax-max-by-size", lambda: r.above(np.take_along_axis(r.x, first, axis=1)))
    smallest = np.fmin.reduce(r.x, axis=1, keepdims=True)
    yield Mistake("softmax-min-for-max", lambda: r.above(smallest))
    beyond = np.float32(-np.inf if r.x.shape[1] & (r.x.shape[1] - 1) else np.inf)  # a tile's columns there: -infinity
    yield Mistake("softmax-min-from-infinity", lambda: r.above(np.minimum(smallest, beyond)), variant="of a tile")
    yield Mistake("softmax-min-from-infinity", lambda: r.above(np.float32(-np.inf)))


def _of_the_rows(case: Replayed, r: Rows) -> Iterator[Mistake]:
    """Rows and columns mixed up, and a row stride that is another's."""
    columns = Rows(np.ascontiguousarray(r.x.T))
    yield Mistake("softmax-by-column", lambda: columns.above(columns.largest).T)
    yield from _down_the_column(r)
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
    for vector in (2, 4, 8):
        yield Mistake("softmax-tail-of-next-row", partial(_tail_of_next_row, r, vector), {"vector": vector})
    masked = Rows(r.x[:, np.arange(r.x.shape[1]) & (r.x.shape[1] - 1)])
    yield Mistake("element-masked", lambda: masked.above(masked.largest), {"name": "x"})
    strides = case.row_strides
    for cause, stride in {"x-cols": r.x.shape[1], "x-of-y": strides["y"], "x-one": 1}.items():
        if stride != strides["x"]:
            wrong = Rows(case.read("x", stride))
            yield Mistake(f"stride-{cause}", later(lambda w: w.above(w.largest), wrong))


def _of_aligned_rows(case: Replayed, r: Rows) -> Iterator[Mistake]:
    """In rows that are read by vectors, those that begin on 16 bytes, what is left behind the whole ones is not in
    maximum and sum; or the last whole one is, once more."""
    rows, cols = r.x.shape
    aligned, at, whole = case.on_vectors(rows), np.arange(cols), cols // case.per_vector
    twice = 1 + ((whole > 0) & (at // case.per_vector == whole - 1))
    for where in ("both", "sum"):
        again = later(lambda w: np.where(aligned, r.weighted(lambda: twice, w), r.above(r.largest)), where)
        yield Mistake("sum-last-vector-twice", again, variant=where)
        lost = later(lambda w: r.weighted(lambda: at < whole * case.per_vector, w), where)
        for nothing in (np.nan, np.inf):  # of a row of which nothing is taken: the others, too, where one loop has both
            some = later(lambda v, n: v() if whole else np.full(r.x.shape, n, r.x.dtype), lost, nothing)
            for rest in (nothing, None):
                others = later(lambda n: r.above(r.largest) if n is None else n, rest)
                by_rows = later(lambda s, o: np.where(aligned, s(), o()), some, others)
                yield Mistake("sum-tail-lost", by_rows, variant=("of aligned rows", where, nothing, rest))


    in_vectors = aligned & (at < whole * case.per_vector)
    total = later(row_sum, r.e)
    yield Mistake("own-type-e", lambda: np.where(in_vectors, case.own(r.e), r.e) / total(), variant="in vectors",
                  step=case.step)  # fmt: skip


def _tail_of_next_row(r: Rows, vector: int) -> np.ndarray:
    """Behind the whole vectors of a row, the maximum and the sum of the row after it; the last row has its own."""
    at = np.minimum(np.arange(len(r.x)) + 1, len(r.x) - 1)
    whole = r.x.shape[1] // vector * vector
    tail = np.exp(r.x - r.largest[at]) / row_sum(r.e)[at]
    return np.where(np.arange(r.x.shape[1]) < whole, r.above(r.largest), tail)


def _down_the_column(r: Rows) -> Iterator[Mistake]:
    """A sum, or a maximum, over the rows of a column where a row's is wanted; the other one is right."""
    yield Mistake("softmax-sum-down-column", lambda: r.over(r.e.sum(axis=0)), variant="own maxima")
    top = later(lambda: np.fmax.reduce(r.x, axis=0, keepdims=True, initial=-np.inf).astype(r.x.dtype))
    yield Mistake("softmax-max-down-column", lambda: r.above(top()), variant="of each term")
    rows, cols = r.x.shape
    if rows * r.x.size <= MOST_TERMS:
        below = later(lambda: np.stack([np.exp(r.x - level).sum(axis=0) for level in r.largest]))
        yield Mistake("softmax-sum-down-column", lambda: r.over(below()))
    if cols * r.x.size <= MOST_TERMS:
        yield Mistake("softmax-max-down-column", partial(_each_above_its_column, r, top))


def _each_above_its_column(r: Rows, top: Callable[[], np.ndarray]) -> np.ndarray:
    """The thread of an element subtracts its column's maximum, in its own sum, too."""
    sums = [np.exp(r.x - level).sum(axis=1) for level in top()[0]]
    return np.asarray(np.exp(r.x - top()) / np.stack(sums, axis=1))


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
            raised = partial(np.maximum, r.largest, np.float32(0))
            yield Mistake("softmax-max-padded-zero", later(lambda top: r.above(top()), raised), variant=variant)
            yield Mistake("softmax-padded-zero", later(lambda w, top: zeros(w, top()), width, raised), variant=variant)
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


def _of_the_sum(case: Replayed, r: Rows) -> Iterator[Mistake]:
    """A sum kept in too narrow a type, added in the usual orders; one that begins elsewhere, or is not rescaled."""
    yield from _of_registers(r)
    yield Mistake("softmax-sum-from-one", lambda: r.over(row_sum(r.e) + np.float32(1)))
    for kind, narrow in NARROW.items() if case.dtype == "float32" else ():
        terms = later(lambda n: r.over(row_sum(r.e.astype(n).astype(np.float32))), narrow)
        yield Mistake("sum-narrow-term", terms, {"type": kind})
        read = later(lambda n: Rows(r.x.astype(n).astype(np.float32)), narrow)
        yield Mistake("element-narrow", later(lambda x: x().above(x().largest), read), {"name": "x", "type": kind})
    for kind in ("float16", "bfloat16"):
        yield Mistake("sum-narrow-result", later(lambda k: r.over(row_sum(r.e)).astype(k), kind), {"type": kind})
    yield Mistake("own-type-e", lambda: case.own(r.e) / row_sum(r.e), step=case.step)
    yield Mistake("own-type-e", lambda: case.own(r.e) / row_sum(case.own(r.e)), variant="sum, too", step=case.step)
    yield Mistake("own-type-sum", lambda: r.over(case.own(row_sum(r.e))), variant="result", step=case.step)
    yield Mistake("own-type-term", lambda: r.over(row_sum(case.own(r.e))), step=case.step)
    yield Mistake("own-type-scale", lambda: r.e * case.own(1 / row_sum(r.e)), step=case.step)
    near = later(lambda: np.exp(case.own(r.x - r.largest)))
    yield Mistake("own-type-difference", lambda: near() / row_sum(near()), step=case.step)
    if case.dtype in NARROW:
        for variant, sums in narrow_sums(r.e, case.dtype):
            yield Mistake("own-type-sum", later(lambda s: r.over(s()), sums), variant=variant, step=STEP[case.dtype])
        yield from _several_in_own_type(case, r)
    if r.x.shape[1] > LONG:
        return
    for kind in ("float16", "bfloat16"):
        for variant, sums in narrow_sums(r.e, kind):
            yield Mistake("sum-narrow", later(lambda s: r.over(s()), sums), {"type": kind}, variant, STEP[kind])
    for threads, sums in integer_sums(r.e):
        yield Mistake("sum-integer", later(lambda s: r.over(s()), sums), variant=threads)


def _of_registers(r: Rows) -> Iterator[Mistake]:
    """Of rows that threads keep as a whole, the last element that each may keep is not in the sum; and is not made an
    exponential, where one takes the other's place."""
    cols = r.x.shape[1]
    for most in KEPT:
        for threads in (n for n in THREADS if most - n < cols <= most and n < most):
            first = most - threads
            beyond = np.arange(cols) >= first
            for which, numerator in {"right": r.e, "x": np.where(beyond, r.x, r.e)}.items():
                short = later(lambda e, b: e / row_sum(np.where(b, 0, r.e)), numerator, beyond)
                yield Mistake("softmax-registers-short", short, {"first": first, "most": most}, which)


def _several_in_own_type(case: Replayed, r: Rows) -> Iterator[Mistake]:
    """In 16 bits, several of difference, exponential, sum and its reciprocal are kept in the tensors' own type."""
    differences = {"x - max": later(lambda: case.own(r.x - r.largest)), "": later(lambda: r.x - r.largest)}
    for of_e, difference in differences.items():
        e = cache(later(lambda d: np.exp(np.asarray(d(), np.float32)), difference))
        own_e = cache(later(lambda e: case.own(e()), e))
        sums: dict[tuple[str, Hashable], Callable[[], np.ndarray]] = {
            ("", "sum"): cache(later(lambda e: row_sum(e()), e)),
            ("exp(x - max)", "sum"): cache(later(lambda e: row_sum(e()), own_e)),
            ("sum", "result"): cache(later(lambda e: case.own(row_sum(e())), e)),
        }
        sums |= {("sum", how): cache(make) for how, make in narrow_sums(e(), case.dtype)}
        for (added, how), total in sums.items():
            for numerator, above in {"exp(x - max)": own_e, "": e}.items():
                for end in ("", "1 / sum"):
                    kept = [*dict.fromkeys(part for part in (of_e, numerator, added, end) if part)]
                    if len(kept) > 1:
                        make = later(_rounded, case, above, total, bool(end))
                        variant = (of_e, how, added, numerator, end)
                        yield Mistake("own-type-several", make, {"what": ", ".join(kept)}, variant, STEP[case.dtype])


def _rounded(
    case: Replayed, e: Callable[[], np.ndarray], total: Callable[[], np.ndarray], scaled: bool
) -> np.ndarray:
    return np.asarray(e() * case.own(1 / total()) if scaled else e() / total())


def otherwise(got: np.ndarray, want: np.ndarray, dtype: str, inputs: Arrays) -> Message | None:
    """What wrong rows have in common where no mistake gives their numbers: all elements NaN, or off by one factor."""
    if np.isnan(got).all() and not np.isnan(want).all():
        return Message("replay.softmax-all-nan")
    if _columns_add_up(got, want):
        return Message("replay.softmax-columns-add-up")
    if column := _one_minus_others(got, want, dtype):
        return Message(f"replay.softmax-{column}-from-others")
    found = of_rows(got, want, dtype)
    if found is None or found[1] <= 0:
        return None
    return Message("replay.softmax-row-factor", {"row": found[0], "factor": 1 / found[1]})


def holds(message: Message, got: np.ndarray, want: np.ndarray, dtype: str, inputs: Arrays) -> bool:
    """Whether that every element is NaN is so on this wrong input, too, be it ever so narrow."""
    return message.key != "replay.softmax-all-nan" or bool(np.isnan(got).all())


def _columns_add_up(got: np.ndarray, want: np.ndarray) -> bool:
    """Whether the columns, and not the rows, add up to 1: or, of several tiles of rows, to their number."""
    if not np.isfinite(got).all() or got.shape[1] < 2:
        return False
    sums = got.sum(axis=0)
    tiles = round(float(sums[0]))
    rows_too = np.abs(got.sum(axis=1) - 1).max() < SUM
    return bool(1 <= tiles <= got.shape[0] and np.abs(sums - tiles).max() < SUM * tiles and not rows_too)


def _one_minus_others(got: np.ndarray, want: np.ndarray, dtype: str) -> str | None:
    """The one column, "first" or "last", that is wrong, and by no more than the rounding of numbers near 1."""
    for name, column in {"first": 0, "last": -1}.items():
        without = got.copy()
        without[:, column] = want[:, column]
        off = np.nan_to_num(np.abs(got - want)[:, column])
        if compare(without, want, dtype, {}) is None and off.max(initial=0.0) < NEAR_ONE[dtype]:
            return name
    return None
