"""Vector addition: out[i] = a[i] + b[i]. One IEEE addition an element, so the answer is exact to the bit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from onekernel.messages import Message
from onekernel.ops.base import (
    BEYOND_32_BITS,
    DTYPES,
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


def oracle(inputs: Arrays) -> Arrays:
    """a, b of shape (n,) -> out of shape (n,), in float64."""
    with np.errstate(invalid="ignore"):
        return {"out": inputs["a"] + inputs["b"]}


def compare(got: np.ndarray, want: np.ndarray, dtype: str, inputs: Arrays) -> Mismatch | None:
    """Exact: the float64 sum of two float32 (or narrower) numbers, rounded once, is the IEEE result.

    (Double rounding is innocuous here: float64 has more than 2p + 2 bits for every p used; Figueroa, 1995.)
    """
    with np.errstate(over="ignore"):
        rounded = want.astype(DTYPES[dtype]).astype(np.float64)
    return worst(got, rounded, np.zeros(rounded.shape))


def ledger(sizes: Sizes, itemsize: int) -> Ledger:
    """Two reads, one write and one addition an element."""
    n = sizes["n"]
    return Ledger(2 * n * itemsize, n * itemsize, n)


def _normal(rng: np.random.Generator, sizes: Sizes) -> Arrays:
    return {name: rng.standard_normal(sizes["n"]) * 100 for name in ("a", "b")}


def _special(rng: np.random.Generator, sizes: Sizes) -> Arrays:
    """Infinities, NaN, signed zeros, the largest and smallest numbers, in random pairs."""
    values = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, 3.4e38, -3.4e38, 1.2e-38, 1.0])
    return {name: rng.choice(values, sizes["n"]) for name in ("a", "b")}


def _case(group: str, kind: str, fill: Fill, n: int, shift: int = 0) -> Case:
    name = f"{kind}-{n}" + (f"-shift{shift}" if shift else "")
    return Case(name, group, {"n": n}, fill, Message(f"ops.vector_{kind}", {"n": n}), shift=shift)


def _moved(case: Case, tensor: str) -> Case:
    """With that tensor alone an element off its alignment: whoever tests another one's address takes it for aligned."""
    return replace(case, name=f"{case.name}-{tensor}1", apart={tensor: 1})


CASES = (
    *(_case("exact-blocks", "normal", _normal, n) for n in (256, 1024, 4096)),
    *(_case("tails", "normal", _normal, n) for n in (1, 31, 33, 48, 200, 255, 257, 700, 1000, 100_003)),
    _case("empty", "empty", _normal, 0),
    _case("special", "special", _special, 999),
    _case("unaligned", "unaligned", _normal, 1001, shift=1),
    _case("unaligned", "unaligned", _normal, 130, shift=3),
    *(_moved(_case("unaligned", "unaligned", _normal, 260), name) for name in ("a", "b", "out")),
    # The length of the first call at other addresses, and again as it was: what was kept of either is wrong.
    *between(
        _case("exact-blocks", "normal", _normal, 256),
        (_moved(_case("unaligned", "unaligned", _normal, 256), name) for name in ("a", "b", "out")),
    ),
    replace(_case("large", "large", _normal, BEYOND_32_BITS), way=SPARSE),
    replace(_case("errors", "refused", _normal, 1000), way=REFUSED),
)

OPERATOR = Operator(
    name="vector_add",
    parameters=(
        Parameter("a", "in", ("n",)),
        Parameter("b", "in", ("n",)),
        Parameter("out", "out", ("n",)),
        Parameter("n", "size"),
    ),
    cases=CASES,
    oracle=oracle,
    compare=compare,
    ledger=ledger,
)
