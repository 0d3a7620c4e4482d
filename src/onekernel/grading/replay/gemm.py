"""The mistakes that people make in C = alpha * A op(B) + beta * C.

Causes are message keys: replay.gemm-NAME.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from onekernel.grading.replay.base import Mistake, Replayed, later
from onekernel.grading.replay.elements import exchanged
from onekernel.grading.replay.gemm_elements import of_addresses, of_fragments
from onekernel.grading.replay.gemm_product import DEPTHS, across, ended
from onekernel.grading.replay.gemm_rounding import of_rounding
from onekernel.grading.replay.gemm_scalars import of_scalars, wrapped
from onekernel.grading.replay.gemm_threads import products
from onekernel.grading.replay.gemm_tiles import of_sums, of_tiles


def mistakes(case: Replayed) -> Iterator[Mistake]:
    """c of shape (m, n) under each mistake that this case can show; not yet rounded to the element type."""
    a, b = case.inputs["a"], across(case, case.inputs["b"])
    product = a @ b
    yield from of_scalars(case, product)
    yield from exchanged("A", a, lambda other: ended(case, other @ b), threads_of_row=())
    for form in (None, bool(case.inputs["transpose_b"])):  # of both forms of B, or of this one alone
        yield from exchanged("B", b, lambda other: ended(case, a @ other), form, ())
    yield from of_sums(case, a, b)
    yield from of_tiles(case, a, b)
    yield from of_addresses(case, a, b)
    yield from of_fragments(case, a, b)
    yield from of_rounding(case, a, b, product)
    yield from wrapped(case, product)
    for m in products(a, b, DEPTHS):
        yield replace(m, make=later(lambda make: ended(case, make()), m.make))
