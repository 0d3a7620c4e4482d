"""The mistakes that people make in an RMSNorm of a sum, each made on purpose on the inputs of a case.

Causes are message keys: replay.rms-NAME, or those of a sum (sums.py).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from functools import cache
from typing import Any

import numpy as np

from onekernel.grading.replay.base import THREADS, WARP, Mistake, Replayed, dealt, later, row_sum
from onekernel.grading.replay.elements import exchanged
from onekernel.grading.replay.factors import of_rows
from onekernel.grading.replay.sums import NARROW, STEP, narrow_sums, of_own_warp, weightings
from onekernel.messages import Message
from onekernel.ops.base import Arrays

USUAL_EPS = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7)
TINY_EPS = 1e-8  # and less: of the elements that are tried no square is as small
FIXED = (*(1 << k for k in range(11, 17)), 100, 300, 768, 1000)  # for cols
ROUNDING = 2e-6  # of a float32 sum, relative to the sum of its terms
WIDTHS = (4, 8, 32, 64, 128, 256)
OFTEN = (2, 4, 8, 16, *THREADS)  # how often eps may come in: by warps, or by threads


def mistakes(case: Replayed) -> Iterator[Mistake]:
    """y of shape (rows, cols) under each mistake that this case can show; not yet rounded to the element type."""
    x, residual, weight = (case.inputs[name] for name in ("x", "residual", "weight"))
    eps, (rows, cols) = float(case.inputs["eps"]), x.shape
    yield from exchanged("weight", weight, lambda w: _right(x + residual, w, eps))
    yield from exchanged("residual", residual, lambda of: _right(x + of, weight, eps))
    yield from exchanged("x", x, lambda of: _right(of + residual, weight, eps))
    h = x + residual
    mean = row_sum(h * h) / cols

    def over(square: np.ndarray) -> np.ndarray:
        return np.asarray(h / np.sqrt(square) * weight)

    yield Mistake("rms-no-eps", lambda: over(mean))
    yield Mistake("rms-eps-divided", lambda: over(mean + eps / cols))
    yield from _of_eps(mean, eps, cols, over)
    yield Mistake("rms-eps-outside", lambda: h / (np.sqrt(mean) + eps) * weight)
    for usual in USUAL_EPS:
        yield Mistake("rms-eps-fixed", later(lambda e: over(mean + e), usual), {"eps": f"{usual:g}"})
    yield Mistake("rms-eps-on-elements", lambda: over(row_sum((h + eps) ** 2) / cols))
    yield Mistake("rms-eps-on-elements", lambda: _right(h + eps, weight, 0.0), variant="numerator")
    yield Mistake("rms-eps-on-elements", lambda: over(row_sum((h + eps) ** 2) / cols + eps), variant="twice")
    yield Mistake("rms-eps-tiny", lambda: over(mean + TINY_EPS))
    yield Mistake("rms-eps-subtracted", lambda: over(mean - eps))
    yield Mistake("own-type-eps", lambda: over(mean + case.own(np.asarray(eps))))
    yield Mistake("rms-cols-outside", lambda: h / np.sqrt(mean * cols + eps) / cols * weight)
    yield Mistake("rms-cols-outside", lambda: h / np.sqrt(mean * cols + eps) * cols * weight, variant="times")
    yield Mistake("rms-root-twice", lambda: over(np.sqrt(mean + eps)))
    yield Mistake("rms-sum-for-mean", lambda: over(mean * cols + eps))
    yield Mistake("rms-mean-of-x", lambda: over(row_sum(x * x) / cols + eps))
    centred = h - row_sum(h) / cols
    spread = np.sqrt(row_sum(centred * centred) / cols + eps)
    yield Mistake("rms-layer-norm", lambda: centred / spread * weight)
    yield Mistake("rms-centred", lambda: centred / np.sqrt(mean + eps) * weight)
    unsure = later(lambda: ROUNDING * mean / spread**2)  # of a mean of squares less a squared mean
    yield Mistake("rms-variance", lambda: h / spread * weight, slack=unsure)
    yield Mistake("rms-no-root", lambda: h / (mean + eps) * weight)
    root = np.sqrt(mean + eps)
    yield Mistake("rms-inverted", lambda: h * root * weight)
    yield Mistake("rms-integer", lambda: h * np.trunc(1 / np.trunc(root)) * weight, variant="reciprocal")
    zero = np.where(np.trunc(root) == 1, 1.0, 0.0)  # 1 / n of whole numbers, where a compiler takes 1 / 0 for 0
    yield Mistake("rms-integer", lambda: h * zero * weight, variant="quotient")
    yield Mistake("rms-integer", lambda: h / np.trunc(root) * weight)
    yield Mistake("rms-weight-plus-one", lambda: h / root * (1 + weight))
    yield Mistake("rms-difference", lambda: _right(x - residual, weight, eps))
    yield Mistake("rms-sample-variance", lambda: over(mean * cols / (cols - 1) + eps))
    yield Mistake("rms-residual-after", lambda: (x / root + residual) * weight)
    yield Mistake("rms-residual-after", lambda: x / root * weight + residual, variant="weight")
    yield Mistake("rms-no-weight", lambda: h / np.sqrt(mean + eps))
    yield Mistake("rms-residual-lost", lambda: x / np.sqrt(mean + eps) * weight)
    yield Mistake("rms-no-residual", lambda: x / np.sqrt(row_sum(x * x) / cols + eps) * weight)
    numbers = {"cols + 1": cols + 1, "2 * cols": 2 * cols, "cols / 2": cols / 2, "rows": rows}
    for counted, n in (numbers | {"rows * cols": rows * cols} | {str(n): n for n in FIXED}).items():
        yield Mistake("rms-count", later(lambda n: over(mean * cols / n + eps), n), {"counted": counted})
    for name, stride in case.row_strides.items():
        by_stride = later(lambda n: over(mean * cols / n + eps), stride)
        yield Mistake("rms-count", by_stride, {"counted": f"{name}_row_stride"})
    yield Mistake("rms-residual-twice", lambda: _right(x + 2 * residual, weight, eps))
    yield Mistake("rms-residual-twice", lambda: over(row_sum((h + residual) ** 2) / cols + eps), variant="mean")
    for name, twice in {"x": x, "residual": residual}.items():
        yield Mistake("rms-added-to-itself", later(lambda v: _right(v + v, weight, eps), twice), {"name": name})
    yield Mistake("rms-weight-twice", lambda: _right(h, weight * weight, eps))
    yield Mistake("rms-weight-divides", lambda: h / root / weight)
    weighted = (h * weight) ** 2
    yield Mistake("rms-weight-in-mean", lambda: h / np.sqrt(row_sum(weighted) / cols + eps))
    yield Mistake("rms-weight-in-mean", lambda: over(row_sum(weighted) / cols + eps), variant="twice")
    yield Mistake("rms-not-squared", lambda: over(row_sum(h) / cols + eps))
    yield Mistake("rms-sign-lost", lambda: np.abs(h) / root * weight)
    yield Mistake("rms-matrix-mean", lambda: over((h * h).mean() + eps))
    yield Mistake("rms-count", lambda: over(mean * cols / (cols // 2) + eps), {"counted": "cols / 2"}, "rounded")
    for threads in THREADS:
        own = later(lambda t: over(mean * cols / (cols // t + 1) + eps), threads)
        yield Mistake("rms-steps", own, variant=threads)
        yield Mistake("rms-steps", later(lambda t: over(mean * cols / -(-cols // t) + eps), threads), variant=-threads)
    yield from _of_the_ends(x, residual, weight, root, over, eps)
    for width in WIDTHS:
        rounded = -(-cols // width) * width
        yield Mistake("rms-columns", later(lambda n: over(mean * cols / n + eps), rounded), variant=width)
    for way, power in {"up": 1 << (cols - 1).bit_length(), "beyond": 1 << cols.bit_length()}.items():
        yield Mistake("rms-columns", later(lambda n: over(mean * cols / n + eps), power), variant=way)
    for threads in THREADS:
        if threads > WARP:
            yield Mistake("rms-warps", later(lambda t: over(mean * cols * WARP / t + eps), threads), variant=threads)
            for times, whose in {1: "sum-own-warp", threads // WARP: "sum-own-warp-often"}.items():
                warps = later(lambda t, k: over(k * of_own_warp(h * h, t) / cols + eps), threads, times)
                yield Mistake(whose, warps, variant=threads)
        of_means = later(lambda t: over(_mean_of_means(h * h, t) + eps), threads)
        yield Mistake("rms-mean-of-means", of_means, variant=threads)
        own_sums = later(lambda t: over(_of_own_thread(h * h, t) / cols + eps), threads)
        yield Mistake("sum-own-thread", own_sums, variant=threads)
        yield Mistake("rms-threads", later(lambda n: over(mean * cols / n + eps), threads), {"threads": threads})
        for others in (0.0, np.inf):
            own = np.where(np.arange(cols) % threads == 0, h / root, h * others)
            yield Mistake("sum-not-shared", later(lambda y: y * weight, own), variant=(threads, others))
    if rows <= cols:
        yield Mistake("rms-weight-of-row", lambda: h / np.sqrt(mean + eps) * weight[:rows, None])
    mine = case.row_strides["residual"]
    for cause, stride in {"x": case.row_strides["x"], "y": case.row_strides["y"], "cols": cols}.items():
        read = later(lambda s: _right(x + (residual if s == mine else case.read("residual", s)), weight, eps), stride)
        yield Mistake(f"rms-residual-of-{cause}", read)
        once = later(lambda s: (x + (residual if s == mine else case.read("residual", s))) / root * weight, stride)
        yield Mistake(f"rms-residual-of-{cause}", once, variant="numerator")
    for kind, narrow in NARROW.items():
        stored = later(lambda n: h.astype(n).astype(np.float64) / np.sqrt(mean + eps) * weight, narrow)
        yield Mistake("rms-narrow", stored, {"type": kind}, step=STEP[kind] / 2)
    yield Mistake("own-type-h", lambda: _right(case.own(h), weight, eps), step=case.step)
    yield Mistake("own-type-h", lambda: case.own(h) / root * weight, variant="numerator", step=case.step)
    of_rounded = later(lambda: over(row_sum(case.own(h) ** 2) / cols + eps))
    yield Mistake("own-type-h", of_rounded, variant="mean", step=case.step)
    yield Mistake("own-type-normed", lambda: case.own(h / root) * weight, step=case.step)
    yield Mistake("own-type-scale", lambda: h * case.own(1 / root) * weight, step=case.step)
    yield Mistake("own-type-scale", lambda: h * case.own(1 / root * weight), variant="weight", step=case.step)
    yield Mistake("own-type-term", lambda: over(row_sum(case.own(h * h)) / cols + eps), step=case.step)
    yield from _in_own_type(case, h, weight, eps)
    yield Mistake("rms-largest", lambda: over((h * h).max(axis=1, keepdims=True) + eps))
    for kind, narrow in NARROW.items() if case.dtype == "float32" else ():
        squares = later(lambda n: over(row_sum((h * h).astype(n).astype(np.float64)) / cols + eps), narrow)
        yield Mistake("sum-narrow-term", squares, {"type": kind})
        result = later(lambda n: (h / root * weight).astype(n).astype(np.float64), narrow)
        yield Mistake("sum-narrow-result", result, {"type": kind}, step=STEP[kind] / 2)
    yield Mistake("rms-eps-maximum", lambda: over(np.maximum(mean, eps)))
    yield Mistake("rms-absolute", lambda: over(row_sum(np.abs(h)) / cols + eps))
    yield Mistake("rms-absolute", lambda: h / (row_sum(np.abs(h)) / cols + eps) * weight, variant="no root")
    yield Mistake("rms-signed-squares", lambda: over(row_sum(h * np.abs(h)) / cols + eps))
    yield Mistake("rms-weight-early", lambda: (x * weight + residual) / root)
    yield Mistake("rms-integer", lambda: over(np.trunc(np.trunc(row_sum(h * h)) / cols) + eps), variant="mean")
    for cause, which, often in weightings(cols):
        part = later(lambda o: over(row_sum(np.where(o() > 0, h * h * o(), 0)) / cols + eps), often)
        yield Mistake(cause, part, variant=which)


def _of_eps(
    mean: np.ndarray, eps: float, cols: int, over: Callable[[np.ndarray], np.ndarray]
) -> Iterator[Mistake]:
    """eps added by each of several, before their parts are joined; or in another way than once, under the root."""
    for often in OFTEN:
        yield Mistake("rms-eps-often", later(lambda k: over(mean + k * eps), often), {"often": often})
        yield Mistake("rms-eps-often", later(lambda k: over(mean + k * eps / cols), often), {"often": often}, "divided")
    yield Mistake("rms-eps-squared", lambda: over(mean + eps * eps))
    yield Mistake("rms-eps-times", lambda: over(mean * eps))
    right = over(np.ones_like(mean))  # h * weight
    yield Mistake("rms-eps-outside", lambda: right * (1 / np.sqrt(mean) + eps), variant="of the reciprocal")


def _in_own_type(case: Replayed, h: np.ndarray, weight: np.ndarray, eps: float) -> Iterator[Mistake]:
    """In 16 bits, several values kept in the tensors' own type at once: h in the mean, the result or both, the squares
    or their sum, and what is made of the root."""
    if case.dtype not in NARROW:
        return
    own_h = "h = x + residual"
    of_mean = {own_h: case.own(h), "": h}

    sums: dict[str, dict[Hashable, Callable[[], np.ndarray]]] = {}
    for name, of in of_mean.items():
        terms = of**2
        sums[name] = {"": later(row_sum, terms), "h * h": later(lambda t: row_sum(case.own(t)), terms)}
        sums[name] |= {how: cache(make) for how, make in narrow_sums(terms, case.dtype)}
    for name, hows in sums.items():
        for how, total in hows.items():
            added = how if isinstance(how, str) else "sum(h * h)"
            for numerator in (own_h, ""):
                for end in ("", "1 / root", "h / root"):
                    kept = [*dict.fromkeys(part for part in (name, numerator, added, end) if part)]
                    if len(kept) > 1:
                        make = later(_rounded, case, of_mean[numerator], total, weight, eps, end)
                        variant = name, how, numerator, end
                        yield Mistake("own-type-several", make, {"what": ", ".join(kept)}, variant, STEP[case.dtype])


def _rounded(
    case: Replayed, h: np.ndarray, total: Callable[[], np.ndarray], weight: np.ndarray, eps: float, end: str
) -> np.ndarray:
    root = np.sqrt(total() / h.shape[1] + eps)
    if end == "h / root":
        return np.asarray(case.own(h / root) * weight)
    return np.asarray(h * (case.own(1 / root) if end else 1 / root) * weight)


def _of_the_ends(
    x: np.ndarray, residual: np.ndarray, weight: np.ndarray, root: np.ndarray, over: Callable[..., Any], eps: float
) -> Iterator[Mistake]:
    """How x, residual and weight are put together: other signs, and one of them left out or added again."""
    h, cols = x + residual, x.shape[1]
    apart = row_sum(x * x + residual * residual) / cols
    yield Mistake("rms-squares-apart", lambda: over(apart + eps))
    yield Mistake("rms-product", lambda: _right(x * residual, weight, eps))
    yield Mistake("rms-residual-alone", lambda: residual / root * weight)
    yield Mistake("rms-weight-added", lambda: h * (1 / root + weight))
    yield Mistake("rms-weight-added", lambda: h / root + weight, variant="to the result")
    for name, again in {"x": x, "residual": residual, "x + residual": h}.items():
        yield Mistake("rms-added-again", later(lambda a: h / root * weight + a, again), {"name": name})
    yield Mistake("rms-divided-twice", lambda: over(row_sum(h * h) / cols**2 + eps))


def _mean_of_means(terms: np.ndarray, threads: int) -> np.ndarray:
    """The mean of the threads' means, some of which have an element more than others."""
    there = dealt(np.ones_like(terms), threads).sum(axis=1)
    means = dealt(terms, threads).sum(axis=1) / np.maximum(there, 1)
    return np.asarray(means.sum(axis=1, keepdims=True) / min(threads, terms.shape[1]))


def _of_own_thread(terms: np.ndarray, threads: int) -> np.ndarray:
    """For each column the sum of those that its own thread takes."""
    sums = dealt(terms, threads).sum(axis=1)
    return np.asarray(sums[:, np.arange(terms.shape[1]) % threads])


def otherwise(got: np.ndarray, want: np.ndarray, dtype: str, inputs: Arrays) -> Message | None:
    """What wrong rows have in common where no mistake gives their numbers: all elements off by one factor."""
    found = of_rows(got, want, dtype)
    if found is None or found[1] <= 0:
        return None
    return Message("replay.rms-row-factor", {"row": found[0], "factor": found[1] ** -2})


def _right(h: np.ndarray, weight: np.ndarray, eps: float) -> np.ndarray:
    return np.asarray(h / np.sqrt(row_sum(h * h) / h.shape[1] + eps) * weight)
