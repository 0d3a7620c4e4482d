"""The mistakes that people make in softmax(x) * w: those of a softmax, and those of its epilogue.

Causes are message keys: replay.mul-NAME, or those of the softmax and of a sum.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from onekernel.grading.replay import softmax
from onekernel.grading.replay.base import Mistake, Replayed, later, row_sum
from onekernel.grading.replay.elements import exchanged
from onekernel.grading.replay.sums import NARROW, STEP
from onekernel.messages import Message
from onekernel.ops.base import Arrays
from onekernel.ops.softmax import oracle

SMOOTH = softmax.SMOOTH
ROUNDING = 1e-6  # of a float32 sum, relative to the sum of its terms' sizes


def mistakes(case: Replayed) -> Iterator[Mistake]:
    """y of shape (rows, cols) under each mistake that this case can show; not yet rounded to the element type."""
    w, rows = case.inputs["w"], case.inputs["w"].shape[0]
    p = oracle({"x": case.inputs["x"]})["y"]
    yield from _of_w(case, p, w)
    yield from _of_the_exponent(case.inputs["x"], p, w)
    yield Mistake("mul-left-out", lambda: p)
    yield Mistake("mul-divided", lambda: p.astype(np.float32) / w)  # what is 0 there gives NaN over 0
    yield Mistake("mul-added", lambda: p + w)
    x = case.inputs["x"]
    unsure = later(_of_a_sum, p * w)
    x32 = case.inputs["x"].astype(np.float32)  # of exponentials that vanish there is nothing left to divide by
    e = np.exp(x32 - x32.max(axis=1, keepdims=True, initial=-np.inf)) * w.astype(np.float32)
    yield Mistake("mul-before-sum", lambda: e / row_sum(e), slack=unsure)
    yield Mistake("mul-before-sum", lambda: p / row_sum(p * w), variant="sum alone", slack=unsure)
    yield Mistake("mul-x-for-w", lambda: p * x)
    yield Mistake("mul-w-normalised", lambda: p * w / row_sum(w), slack=later(_of_a_sum, w))
    yield Mistake("mul-summed", lambda: np.broadcast_to(row_sum(p * w), p.shape))
    yield Mistake("own-type-p", lambda: case.own(p) * w, step=case.step)
    yield Mistake("mul-exchanged", lambda: oracle({"x": w})["y"] * x)
    yield Mistake("mul-twice", lambda: p * w * w)
    yield Mistake("mul-one-plus", lambda: p * (1 + w))
    yield Mistake("mul-exponential", lambda: p * np.exp(w))
    yield Mistake("mul-last-column", lambda: np.concatenate([p[:, :-1] * w[:, :-1], p[:, -1:]], axis=1))
    yield Mistake("mul-zeros-skipped", lambda: np.where(w == 0, 0, p * w))
    for kind, narrow in NARROW.items():
        rounded = later(lambda n: p.astype(n).astype(np.float64) * w, narrow)
        yield Mistake("mul-narrow", rounded, {"type": kind}, step=STEP[kind] / 2)
    if rows:
        for m in (m for m in softmax.mistakes(case) if m.cause != "sum-narrow-result"):  # that is mul-narrow
            times_w = later(lambda make: np.asarray(make()) * w, m.make)
            yield Mistake(m.cause, times_w, m.values, m.variant, m.step)


def _of_a_sum(terms: np.ndarray) -> np.ndarray:
    """How far off the order of each row's sum may bring it, relatively: where signs nearly cancel, far."""
    return np.asarray(ROUNDING * row_sum(np.abs(terms)) / np.abs(row_sum(terms)))


def _of_the_exponent(x: np.ndarray, p: np.ndarray, w: np.ndarray) -> Iterator[Mistake]:
    """w within the exponential: in the numerator, in the sum, or in both."""
    x32, w32 = x.astype(np.float32), w.astype(np.float32)
    top = x32.max(axis=1, keepdims=True, initial=-np.inf)
    product = x32 * w32  # rounded as a kernel rounds it: the exponential shows it
    total = row_sum(np.exp(x - top))
    scaled = later(lambda: np.exp((x32 - top) * w32))
    yield Mistake("mul-in-exponent", lambda: np.exp(product - top) / total)
    yield Mistake("mul-in-exponent", lambda: scaled() / total, variant="difference")
    yield Mistake("mul-in-exponent", lambda: scaled() / row_sum(scaled()), variant="difference, sum, too")
    of_product = later(lambda: oracle({"x": product.astype(np.float64)})["y"])
    yield Mistake("mul-softmax-of-product", of_product)
    above_top = later(lambda: np.exp(product - top))
    yield Mistake("mul-softmax-of-product", lambda: above_top() / row_sum(above_top()), variant="maximum of x")
    yield Mistake("mul-softmax-of-product-too", lambda: of_product() * w)
    yield Mistake("mul-softmax-of-sum", lambda: oracle({"x": (x32 + w32).astype(np.float64)})["y"])
    sums = x32 + w32 - top, x32 - top + w32  # the rounding of a large x shows
    for numerator in sums:
        for each in sums:
            above_x = later(lambda n, e: np.exp(n) / row_sum(np.exp(e)), numerator, each)
            yield Mistake("mul-softmax-of-sum", above_x, variant=(numerator is each, numerator is sums[0]))
    with np.errstate(all="ignore"):
        logarithm = np.log(w32)
    yield Mistake("mul-logarithm", lambda: np.exp(x32 - top + logarithm) / total)
    kept = np.where(w32 != 0, x32, np.float32(-np.inf)).max(axis=1, keepdims=True, initial=-np.inf)
    above_kept = later(lambda: np.exp(x32 - kept))
    yield Mistake("mul-max-of-nonzero", lambda: above_kept() / row_sum(above_kept()) * w)
    yield Mistake("mul-exchanged-at-the-end", lambda: np.exp(w32 - top) / total * x)


def _of_w(case: Replayed, p: np.ndarray, w: np.ndarray) -> Iterator[Mistake]:
    """Another element of w in the place of the right one."""
    yield from exchanged("w", w, lambda other: p * other)
    mine, rows = case.row_strides["w"], w.shape[0]
    of_row = later(lambda: p * case.memory["w"][:rows, None])
    if case.memory["w"].size >= rows:
        yield Mistake("mul-w-of-row", of_row)
    for cause, stride in {"x": case.row_strides["x"], "y": case.row_strides["y"], "cols": w.shape[1]}.items():
        read = later(lambda s: p * case.read("w", s), stride) if stride != mine else lambda: p * w
        yield Mistake(f"mul-w-of-{cause}", read)


def otherwise(got: np.ndarray, want: np.ndarray, dtype: str, inputs: Arrays) -> Message | None:
    """As of a softmax: w multiplies both."""
    return softmax.otherwise(got, want, dtype, inputs)


holds = softmax.holds
