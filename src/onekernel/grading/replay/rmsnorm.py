"""The mistakes that people make in an RMSNorm of a sum, each made on purpose on the inputs of a case.

Causes are message keys: replay.rms-NAME, or those of a sum (sums.py).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from onekernel.grading.replay.base import THREADS, Mistake, Replayed, later, row_sum
from onekernel.grading.replay.sums import NARROW, STEP, weightings

USUAL_EPS = (1e-5, 1e-6, 1e-8)
WIDTHS = (4, 8, 32, 64, 128, 256)


def mistakes(case: Replayed) -> Iterator[Mistake]:
    """y of shape (rows, cols) under each mistake that this case can show; not yet rounded to the element type."""
    x, residual, weight = (case.inputs[name] for name in ("x", "residual", "weight"))
    eps, (rows, cols) = float(case.inputs["eps"]), x.shape
    h = x + residual
    mean = row_sum(h * h) / cols

    def over(square: np.ndarray) -> np.ndarray:
        return np.asarray(h / np.sqrt(square) * weight)

    yield Mistake("rms-no-eps", lambda: over(mean))
    yield Mistake("rms-eps-divided", lambda: over(mean + eps / cols))
    yield Mistake("rms-eps-outside", lambda: h / (np.sqrt(mean) + eps) * weight)
    for usual in USUAL_EPS:
        yield Mistake("rms-eps-fixed", later(lambda e: over(mean + e), usual), {"eps": f"{usual:g}"})
    yield Mistake("rms-sum-for-mean", lambda: over(mean * cols + eps))
    yield Mistake("rms-mean-of-x", lambda: over(row_sum(x * x) / cols + eps))
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
    middle = row_sum(h) / cols
    yield Mistake("rms-layer-norm", lambda: (h - middle) / np.sqrt(mean - middle**2 + eps) * weight)
    yield Mistake("rms-matrix-mean", lambda: over((h * h).mean() + eps))
    for width in WIDTHS:
        rounded = -(-cols // width) * width
        yield Mistake("rms-columns", later(lambda n: over(mean * cols / n + eps), rounded), variant=width)
    for threads in THREADS:
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
    yield Mistake("rms-eps-maximum", lambda: over(np.maximum(mean, eps)))
    yield Mistake("rms-absolute", lambda: over(row_sum(np.abs(h)) / cols + eps))
    yield Mistake("rms-weight-early", lambda: (x * weight + residual) / root)
    yield Mistake("rms-integer", lambda: over(np.trunc(np.trunc(row_sum(h * h)) / cols) + eps), variant="mean")
    for cause, variant, often in weightings(cols):
        part = later(lambda o: over(row_sum(np.where(o() > 0, h * h * o(), 0)) / cols + eps), often)
        yield Mistake(cause, part, variant=variant)


def _right(h: np.ndarray, weight: np.ndarray, eps: float) -> np.ndarray:
    return np.asarray(h / np.sqrt(row_sum(h * h) / h.shape[1] + eps) * weight)
