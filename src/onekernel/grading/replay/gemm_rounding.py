"""Matrix products that are rounded on the way: sums, inputs and parts in a narrow type.

Causes are message keys: replay.gemm-NAME, or those of any type's own rounding.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from onekernel.grading.replay.base import Mistake, Replayed, later
from onekernel.grading.replay.gemm_product import MMA_DEPTH, ended
from onekernel.grading.replay.sums import NARROW, STEP
from onekernel.ops.base import DTYPES

MOST_STEPS = 600  # of a sum that is rounded at each: longer ones are left to shorter inputs
LANES = (32, 64, 128, 256)  # that share a sum along k
MOST_TERMS = 1 << 22  # that are added at once
TF32 = 13  # bits of a float32 that it loses: what is left is as precise as float16


def of_rounding(case: Replayed, a: np.ndarray, b: np.ndarray, product: np.ndarray) -> Iterator[Mistake]:
    for kind, narrow in NARROW.items():
        values = {"type": kind}
        for fused, depth in ((True, 1), (False, 1), *((True, deep) for deep in (MMA_DEPTH, 32, 64))):
            if a.shape[1] <= MOST_STEPS * depth:
                summed = later(lambda t, f, d: ended(case, _summed(a, b, t, f, d)), narrow, fused, depth)
                yield Mistake("gemm-narrow-sum", summed, values, variant=(fused, depth), step=STEP[kind])
        for lanes in LANES:
            if min(lanes, a.shape[1]) * product.size <= MOST_TERMS and a.shape[1] <= MOST_STEPS * lanes:
                dealt = later(lambda t, n: ended(case, _summed_by_lanes(a, b, t, n)), narrow, lanes)
                yield Mistake("gemm-narrow-sum", dealt, values, variant=("lanes", lanes), step=STEP[kind])
        inputs = later(lambda t: ended(case, a.astype(t).astype(float) @ b.astype(t).astype(float)), narrow)
        yield Mistake("gemm-narrow-inputs", inputs, values)
        early = later(lambda t: ended(case, product.astype(t).astype(float)), narrow)
        yield Mistake("gemm-rounded-early", early, values, step=STEP[kind] / 2)
        for part in ("product", "c") if case.dtype == "float32" else ():
            apart = later(_ended_rounded, case, product, narrow, part)
            yield Mistake("gemm-part-rounded", apart, values, variant=part, step=STEP[kind] / 2)
    own = np.dtype(DTYPES[case.dtype])
    for part in ("product", "c"):
        apart = later(_ended_rounded, case, product, own, part)
        yield Mistake("own-type-part", apart, variant=part, step=case.step)
    yield Mistake("own-type-part", lambda: ended(case, case.own(product)), variant="early", step=case.step)
    for depth in (1, MMA_DEPTH, 32, 64, 128):
        if a.shape[1] <= MOST_STEPS * depth:
            for which in ("sum", "tile"):
                summed = later(lambda d, w: ended(case, _summed(a, b, own, w == "sum", d, w == "tile")), depth, which)
                yield Mistake("own-type-sum", summed, variant=(which, depth), step=case.step)
    cut = later(lambda bits: ended(case, _cut(a, bits) @ _cut(b, bits)), TF32)
    yield Mistake("gemm-tf32", cut)


def _ended_rounded(case: Replayed, product: np.ndarray, narrow: np.dtype, part: str) -> np.ndarray:
    """The product with alpha, or C with beta, rounded to a narrow type before the two are added."""
    alpha, beta = case.inputs["alpha"], case.inputs["beta"]
    scaled, added = alpha * product, beta * case.inputs["c"] if beta else np.zeros_like(product)
    if part == "product":
        scaled = scaled.astype(narrow).astype(float)
    else:
        added = added.astype(narrow).astype(float)
    return np.asarray(scaled + added)


def _summed(
    a: np.ndarray, b: np.ndarray, narrow: np.dtype, fused: bool, depth: int, wide: bool = False
) -> np.ndarray:
    """The product, each sum rounded to a narrow type after every `depth` products, which
    unless `fused` are rounded, too. `wide`: the sums themselves are not."""
    total = np.zeros((a.shape[0], b.shape[1]))
    for p in range(0, a.shape[1], depth):
        one = a[:, p : p + depth] @ b[p : p + depth]
        one = one if fused else one.astype(narrow).astype(float)
        total = total + one if wide else (total + one).astype(narrow).astype(float)
    return total


def _summed_by_lanes(a: np.ndarray, b: np.ndarray, narrow: np.dtype, lanes: int) -> np.ndarray:
    """The product, whose sums so many lanes share, each rounding its own to a narrow type after every product."""
    sums = np.zeros((min(lanes, a.shape[1]), a.shape[0], b.shape[1]))
    for p in range(0, a.shape[1], lanes):
        some = a[:, p : p + lanes].T[:, :, None] * b[p : p + lanes][:, None]
        sums[: len(some)] = (sums[: len(some)] + some).astype(narrow).astype(float)
    return np.asarray(sums.sum(axis=0))


def _cut(x: np.ndarray, bits: int) -> np.ndarray:
    """float32 numbers, rounded to that many bits of precision less."""
    whole = x.astype(np.float32).view(np.uint32).astype(np.uint64)
    kept = (whole + (1 << (bits - 1))) & ~np.uint64((1 << bits) - 1)
    return kept.astype(np.uint32).view(np.float32).astype(float)
