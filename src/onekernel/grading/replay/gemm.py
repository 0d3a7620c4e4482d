"""The mistakes that people make in C = alpha * A op(B) + beta * C.

Causes are message keys: replay.gemm-NAME.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from onekernel.grading.replay.base import Mistake, Replayed, later
from onekernel.grading.replay.elements import exchanged
from onekernel.grading.replay.gemm_elements import of_addresses, of_fragments
from onekernel.grading.replay.gemm_places import of_places
from onekernel.grading.replay.gemm_product import DEPTHS, SIDES, across, ended
from onekernel.grading.replay.gemm_rounding import of_rounding
from onekernel.grading.replay.gemm_threads import products
from onekernel.grading.replay.gemm_tiles import of_sums, of_tiles


def mistakes(case: Replayed) -> Iterator[Mistake]:
    """c of shape (m, n) under each mistake that this case can show; not yet rounded to the element type."""
    a, b = case.inputs["a"], across(case, case.inputs["b"])
    product = a @ b
    yield from _of_scalars(case, product)
    yield from exchanged("A", a, lambda other: ended(case, other @ b), threads_of_row=())
    for form in (None, bool(case.inputs["transpose_b"])):  # of both forms of B, or of this one alone
        yield from exchanged("B", b, lambda other: ended(case, a @ other), form, ())
    yield from of_sums(case, a, b)
    yield from of_tiles(case, a, b)
    yield from of_addresses(case, a, b)
    yield from of_fragments(case, a, b)
    yield from of_places(case, a, b)
    yield from of_rounding(case, a, b, product)
    yield Mistake("gemm-zeros-skipped", lambda: ended(case, _zeros_skipped(a, b)), {"name": "A"})
    yield Mistake("gemm-zeros-skipped", lambda: ended(case, _zeros_skipped(b.T, a.T).T), {"name": "B"})
    yield from _wrapped(case, product)
    for m in products(a, b, DEPTHS):
        yield replace(m, make=later(lambda make: ended(case, make()), m.make))


def _zeros_skipped(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The product without the terms in which A has a 0, of infinities and NaN too."""
    finite = np.isfinite(b).all(axis=1)
    sums = a[:, finite] @ b[finite]
    for p in np.flatnonzero(~finite):
        sums = sums + np.where(a[:, p, None] == 0, 0, np.outer(a[:, p], b[p]))
    return np.asarray(sums)


def _of_scalars(case: Replayed, product: np.ndarray) -> Iterator[Mistake]:
    """With alpha, beta and the C that was there."""
    alpha, beta = case.inputs["alpha"], case.inputs["beta"]
    scaled_c = beta * case.inputs["c"] if beta else np.zeros_like(product)
    yield Mistake("gemm-alpha-twice", lambda: alpha * alpha * product + scaled_c)
    yield Mistake("gemm-alpha-added", lambda: alpha + product + scaled_c)
    for first in (1, -1):
        yield Mistake("gemm-sum-from", later(lambda f: alpha * (product + f) + scaled_c, first), {"first": first})
    if not beta:
        yield Mistake("gemm-integer-scalars", lambda: np.trunc(alpha) * product)
    yield Mistake("gemm-no-alpha", lambda: product + beta * case.inputs["c"] if beta else product)
    yield from _of_two_scalars(case, product)
    if not beta:  # C was not read
        yield from (Mistake(f"gemm-{name}", lambda: alpha * product) for name in (
            "no-beta", "beta-one", "alpha-on-c", "beta-on-all", "beta-twice", "minus-beta", "beta-sign", "alpha-zero"
        ))  # fmt: skip
        yield Mistake("gemm-no-product", lambda: np.zeros_like(product))
        yield Mistake("gemm-c-at-beta-zero", lambda: np.full_like(product, np.nan))
        return
    c = case.inputs["c"]
    whole = np.trunc(alpha), np.trunc(beta)
    yield Mistake("gemm-integer-scalars", lambda: whole[0] * product + (whole[1] * c if whole[1] else 0))
    yield Mistake("gemm-no-beta", lambda: alpha * product)
    yield Mistake("gemm-beta-one", lambda: alpha * product + c)
    yield Mistake("gemm-alpha-on-c", lambda: alpha * (product + beta * c))
    yield Mistake("gemm-beta-on-all", lambda: beta * (alpha * product + c))
    yield Mistake("gemm-no-product", lambda: beta * c)
    yield Mistake("gemm-beta-twice", lambda: alpha * product + beta * beta * c)
    yield Mistake("gemm-minus-beta", lambda: alpha * product - beta * c)
    yield Mistake("gemm-beta-sign", lambda: alpha * product + max(beta, 0) * c)
    yield Mistake("gemm-alpha-zero", lambda: alpha * product + beta * c if alpha else 0 * product)


def _of_two_scalars(case: Replayed, product: np.ndarray) -> Iterator[Mistake]:
    """Neither the product nor C has its own factor: exchanged, or one of them is lost besides."""
    alpha, beta = case.inputs["alpha"], case.inputs["beta"]
    both = {"alpha * beta": alpha * beta, "1": 1.0}
    for of_product, p in {"beta": beta, **both}.items():
        for of_c, q in {"alpha": alpha, **both}.items():
            values = {"product": of_product, "c": of_c}
            for alone, factor in {"alpha": alpha, "the same": p, "1": 1.0}.items():  # C is not read where beta is 0
                made = later(lambda p, q: p * product + q * case.inputs["c"], p, q)
                without = later(lambda f: f * product, factor)
                yield Mistake("gemm-scalars", made if beta else without, values, variant=alone)


def _wrapped(case: Replayed, product: np.ndarray) -> Iterator[Mistake]:
    """Tiles whose rows and columns beyond C's begin again at its first, `% m`: beta scales what another has stored."""
    alpha, beta = case.inputs["alpha"], case.inputs["beta"]
    for side in (2, 4, 8, *SIDES):
        for of in ("rows", "columns"):
            again = later(_last_again, case, product, side, of)
            kept = later(lambda p: alpha * p, product)
            yield Mistake("gemm-last-again", again if beta else kept, variant=(side, of), step=case.step)
    for side in SIDES:
        for of in ("both", "rows", "columns"):
            make = later(_stored_again, case, product, side, of)
            right = later(lambda p: alpha * p, product)
            yield Mistake("gemm-wrapped-rows", make if beta else right, variant=(side, of), step=case.step)


def _last_again(case: Replayed, product: np.ndarray, side: int, of: str) -> np.ndarray:
    """Rows, or columns, beyond the last are the last one: stored as often."""
    alpha, beta, c = (case.inputs[name] for name in ("alpha", "beta", "c"))
    often = np.ones(product.shape, int)
    if of == "rows":
        often[-1:] += -product.shape[0] % side
    else:
        often[:, -1:] += -product.shape[1] % side
    for turn in range(int(often.max(initial=0))):
        c = np.where(turn < often, case.own(alpha * product + beta * c), c)
    return np.asarray(c)


def _stored_again(case: Replayed, product: np.ndarray, side: int, of: str) -> np.ndarray:
    """Each element as often as tiles of that side come to it."""
    alpha, beta, c = (case.inputs[name] for name in ("alpha", "beta", "c"))
    m, n = product.shape
    times_down = 1 + (np.arange(m) < -m % side) * (of != "columns")
    times_aside = 1 + (np.arange(n) < -n % side) * (of != "rows")
    often = times_down[:, None] * times_aside
    for turn in range(int(often.max(initial=0))):
        c = np.where(turn < often, case.own(alpha * product + beta * c), c)
    return np.asarray(c)
