"""Dot product: out[0] = sum of a[i] * b[i]. The first reduction of the course."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from onekernel.messages import Message
from onekernel.ops.base import (
    JUST_BEYOND_32_BITS,
    Arrays,
    Case,
    Fill,
    Ledger,
    Mismatch,
    Operator,
    Parameter,
    Sizes,
    between,
    worst,
)
from onekernel.ways import REFUSED, SPARSE

# The error of a sum is bounded by the sum of the magnitudes: Higham, "Accuracy and Stability of Numerical Algorithms",
# section 4.2. Measured in numpy's float32 over 300 seeds of each case: trees and grids of partial sums stay below 3e-7,
# and for a million positive terms below 1.2e-6; an atomic for each warp, whose sums add up one by one, below 6e-6. One
# serial sum of those errs by 1e-4. (Of terms of both signs it errs by 7e-8: the sum stays too small to lose any.)
RELATIVE = 2e-6
PER_TERM = 1e-11
ROUNDING = {"float32": 0.0, "float16": 2.0**-11, "bfloat16": 2.0**-8}  # of the result to a narrower type


def oracle(inputs: Arrays) -> Arrays:
    """a, b of shape (n,) -> out of shape (1,), in float64."""
    with np.errstate(invalid="ignore"):
        return {"out": np.array([np.dot(inputs["a"], inputs["b"])])}


def compare(got: np.ndarray, want: np.ndarray, dtype: str, inputs: Arrays) -> Mismatch | None:
    """Relative to the sum of |a[i] * b[i]|, which is what rounding errors scale with."""
    with np.errstate(invalid="ignore"):
        magnitude = np.array([np.dot(np.abs(inputs["a"]), np.abs(inputs["b"]))])
    relative = RELATIVE + PER_TERM * inputs["a"].size
    return worst(got, want, relative * magnitude + ROUNDING[dtype] * np.abs(want))


def ledger(sizes: Sizes, itemsize: int) -> Ledger:
    """Two reads, a multiplication and an addition an element; one result."""
    n = sizes["n"]
    return Ledger(2 * n * itemsize, itemsize, 2 * n)


def _normal(rng: np.random.Generator, sizes: Sizes) -> Arrays:
    return {name: rng.standard_normal(sizes["n"]) for name in ("a", "b")}


def _positive(rng: np.random.Generator, sizes: Sizes) -> Arrays:
    return {name: rng.random(sizes["n"]) for name in ("a", "b")}


def _integers(rng: np.random.Generator, sizes: Sizes) -> Arrays:
    """Ones and a few threes: every partial sum is exact in float32, so one lost element shows."""
    return {"a": rng.choice([1.0, 3.0], sizes["n"]), "b": np.ones(sizes["n"])}


def _special(rng: np.random.Generator, sizes: Sizes) -> Arrays:
    drawn = _normal(rng, sizes)
    drawn["a"][-1] = np.nan
    return drawn


def _first_nan(rng: np.random.Generator, sizes: Sizes) -> Arrays:
    """No infinity: compensated sums, which are right, make NaN of it."""
    drawn = _normal(rng, sizes)
    drawn["b"][0] = np.nan
    return drawn


def _zero_by_infinity(rng: np.random.Generator, sizes: Sizes) -> Arrays:
    """0 times infinity is NaN: whoever leaves out products with 0 does not see it."""
    drawn = _normal(rng, sizes)
    drawn["a"][5], drawn["b"][5] = 0.0, np.inf
    return drawn


def _case(group: str, kind: str, fill: Fill, n: int, shift: int = 0) -> Case:
    name = f"{kind}-{n}" + (f"-shift{shift}" if shift else "")
    return Case(name, group, {"n": n}, fill, Message(f"ops.dot_{kind}", {"n": n}), shift=shift)


def _block(block: int, n: int) -> Case:
    """Built with another number of threads per block than the file has."""
    about = Message("ops.dot_block", {"n": n, "block": block})
    case = _case("blocks", "integers", _integers, n)
    return replace(case, name=f"{case.name}-block{block}", about=about, defines=(f"BLOCK={block}",))


_LENGTHS = (512, 1, 31, 32, 33, 48, 96, 200, 256, 384, 700, 1000, 1024, 1025)

CASES = (
    *(_case("shapes", "normal", _normal, n) for n in _LENGTHS),
    *(_case("counted", "integers", _integers, n) for n in (1, 63, 255, 257, 1023, 40_001)),
    _case("empty", "empty", _normal, 0),
    _case("special", "special", _special, 777),
    _case("special", "zero_by_infinity", _zero_by_infinity, 130),
    *(_case("special", "first_nan", _first_nan, n) for n in (515, 2050)),
    _case("unaligned", "unaligned", _normal, 1001, shift=1),
    # One vector alone: whoever tests only the other one's address takes it for aligned.
    *(replace(_case("unaligned", "unaligned", _normal, n), apart={name: 1}) for n, name in ((260, "a"), (264, "b"))),
    # The length of the first call at other addresses, and again as it was: what was kept of either is wrong.
    *between(
        _case("shapes", "normal", _normal, 512),
        (replace(_case("unaligned", "unaligned", _normal, 512), name=f"first-{v}1", apart={v: 1}) for v in "ab"),
    ),
    _case("long", "normal", _normal, 1_000_003),
    _case("long", "positive", _positive, 1_000_003),
    replace(_case("large", "large", _normal, JUST_BEYOND_32_BITS), way=SPARSE),
    *(replace(_case("errors", "refused", _normal, n), way=REFUSED) for n in (100, 1_000_003)),
    *(_block(block, n) for block in (96, 1, 1000) for n in (1, 31, 1000, 2049)),
)

OPERATOR = Operator(
    name="dot_product",
    parameters=(
        Parameter("a", "in", ("n",)),
        Parameter("b", "in", ("n",)),
        Parameter("out", "out", ("one",)),
        Parameter("n", "size"),
    ),
    cases=CASES,
    oracle=oracle,
    compare=compare,
    ledger=ledger,
)
