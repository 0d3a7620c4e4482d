"""The mistakes that people make in a dot product, each made on purpose on the inputs of a case.

Causes are message keys: replay.dot-NAME, or those of a sum (sums.py). tests/slips has kernels that make them for real.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from onekernel.grading.replay.base import THREADS, Mistake, Replayed, later
from onekernel.grading.replay.sums import STEP, integer_sums, narrow_sums, weightings

PER_THREAD = (1, 2, 4, 8, 16, 32)
LONG = 5000  # products from which on a sum in steps is not made: a step of Python for each


def mistakes(case: Replayed) -> Iterator[Mistake]:
    """out of shape (1,) under each mistake that this case can show; not yet rounded to the element type."""
    a, b = case.inputs["a"], case.inputs["b"]
    products = a * b
    n = products.size
    yield Mistake("dot-sum-of-a", lambda: np.array([a.sum()]))
    yield Mistake("dot-sum-of-a", lambda: np.array([b.sum()]), variant="b")
    yield Mistake("dot-squares", lambda: np.array([a @ a]))
    yield Mistake("dot-squares", lambda: np.array([b @ b]), variant="b")
    yield Mistake("dot-plus-for-times", lambda: np.array([(a + b).sum()]))
    yield Mistake("dot-nothing-added", lambda: np.zeros(1))
    yield Mistake("dot-mean", lambda: np.array([products.sum() / n]))
    for threads in THREADS:
        own = np.arange(n) % threads
        yield Mistake("add-index-of-block", later(lambda at: np.array([a[at] @ b]), own), {"name": "a"}, threads)
        yield Mistake("add-index-of-block", later(lambda at: np.array([a @ b[at]]), own), {"name": "b"}, threads)
        times = later(lambda t: np.array([t * products.sum()]), threads)
        yield Mistake("dot-every-thread", times, variant=threads)
        for each in PER_THREAD:
            most = threads * each
            if n > most:
                yield Mistake("dot-first-block", later(lambda k: np.array([products[:k].sum()]), most), variant=most)
    for cause, variant, weights in weightings(n):
        yield Mistake(cause, later(lambda w: _weighted(products, w()), weights), variant=variant)
    if n > LONG:
        yield Mistake("dot-serial", lambda: np.add.accumulate(products.astype(np.float32))[-1:])
        return
    row = products.astype(np.float32)[None]
    for kind in ("float16", "bfloat16"):
        for variant, sums in narrow_sums(row, kind):
            yield Mistake("sum-narrow", later(lambda s: s().ravel(), sums), {"type": kind}, variant, STEP[kind])
    for variant, sums in integer_sums(row):
        yield Mistake("sum-integer", later(lambda s: s().ravel(), sums), variant=variant)


def _weighted(products: np.ndarray, often: np.ndarray) -> np.ndarray:
    return np.array([np.where(often > 0, products * often, 0).sum()])
