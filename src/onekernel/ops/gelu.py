"""GeLU: y[i] = x[i] * Phi(x[i]), Phi the normal distribution's, exactly or by the tanh that torch offers in its place.

Special values follow torch.nn.functional.gelu: NaN stays, +inf stays, -inf gives NaN (it is -inf * 0).
Source of both formulas: Hendrycks and Gimpel, "Gaussian Error Linear Units" (2016), section 2.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from onekernel.messages import Message
from onekernel.ops.base import (
    BEYOND_32_BITS,
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

CUBIC = 0.044715
# Of the result. float32: erff and tanhf err by 2 ULP, a sigmoid from one exponential by less. float16, bfloat16: half
# an ULP, for the one rounding that a result needs; a second rounding on the way shows.
RELATIVE = {"float32": 1e-6, "float16": 5.5e-4, "bfloat16": 4.3e-3}
# Of x: 1 + erf(x) and 1 + tanh(x) cancel where x is far below 0, and what is left there is rounding, as torch's is.
OF_INPUT = 3e-7
ABSOLUTE = {"float32": 1.2e-38, "float16": 2.0**-24, "bfloat16": 1.2e-38}  # results may be flushed to zero


def oracle(inputs: Arrays) -> Arrays:
    """x of shape (n,) and `approximate` (0: erf, 1: tanh) -> y of the same shape, in float64."""
    x = inputs["x"]
    with np.errstate(invalid="ignore", over="ignore"):
        if inputs["approximate"]:
            # x / (1 + exp(-2 u)) is x / 2 * (1 + tanh(u)) without its cancellation.
            return {"y": x / (1 + np.exp(-2 * math.sqrt(2 / math.pi) * (x + CUBIC * x**3)))}
        return {"y": 0.5 * x * erfc(-x / math.sqrt(2))}


erfc = np.vectorize(math.erfc, otypes=[np.float64])


def compare(got: np.ndarray, want: np.ndarray, dtype: str, inputs: Arrays) -> Mismatch | None:
    """Relative to the result and, where it is small, to x."""
    limit = RELATIVE[dtype] * np.abs(want) + OF_INPUT * np.abs(inputs["x"]) + ABSOLUTE[dtype]
    return worst(got, want, limit)


def ledger(sizes: Sizes, itemsize: int) -> Ledger:
    """One read and one write of every element; by tanh 8 FLOPs an element (a tanh counts as one), by erf 5."""
    n = sizes["n"]
    return Ledger(n * itemsize, n * itemsize, 8 * n)


def _normal(scale: float = 1.0) -> Fill:
    return lambda rng, sizes: {"x": scale * rng.standard_normal(sizes["n"])}


def _even(rng: np.random.Generator, sizes: Sizes) -> Arrays:
    """From -6 to 6, where the function bends, each part of it as often as every other."""
    return {"x": rng.uniform(-6.0, 6.0, sizes["n"])}


def _special(rng: np.random.Generator, sizes: Sizes) -> Arrays:
    """Infinities, NaN, signed zeros, large and small numbers, between plain ones."""
    values = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, 6e4, -6e4, 1e-7, -1e-7, 0.5, -0.5])
    return {"x": rng.choice(values, sizes["n"])}


def _case(
    group: str, kind: str, fill: Fill, n: int, approximate: int, shift: int = 0, apart: int = 0
) -> Case:
    name = f"{kind}-{n}-{'tanh' if approximate else 'erf'}"
    name += (f"-shift{shift}" if shift else "") + (f"-apart{apart}" if apart else "")
    about = Message(f"ops.gelu_{kind}", {"n": n, "how": "tanh" if approximate else "erf"})
    moved = {"y": apart} if apart else {}
    return Case(name, group, {"n": n}, fill, about, {}, shift, {"approximate": approximate}, moved)


_SHIFTED = ((1001, 1), (130, 3), (5, 1), (4096, 7))
_APART = ((1003, 1), (2050, 3), (9, 2), (3001, 6))
# The first call of a process is of a length and of addresses that suit everybody; later ones change one argument.
_LENGTHS = (512, 1, 31, 33, 255, 257, 1000, 4099, 30_015)

CASES = (
    *(_case("exact", "normal", _normal(), n, 0) for n in _LENGTHS),
    *(_case("tanh", "normal", _normal(), n, 1) for n in _LENGTHS),
    *(_case("empty", "empty", _normal(), 0, how) for how in (0, 1)),
    replace(_case("errors", "refused", _normal(), 1000, 0), way=REFUSED),
    *(_case("range", "even", _even, 4000, how) for how in (0, 1)),
    *(_case("range", "wide", _normal(scale=1000.0), 999, how) for how in (0, 1)),
    *(replace(_case("range", "vast", _normal(1e5), 300, how), dtypes=("bfloat16",)) for how in (0, 1)),
    *(_case("special", "special", _special, 777, how) for how in (0, 1)),
    *(_case("unaligned", "unaligned", _normal(), n, n % 2, shift) for n, shift in _SHIFTED),
    replace(_case("large", "large", _normal(), BEYOND_32_BITS, 1), way=SPARSE),
    *(_case("unaligned", "apart", _normal(), n, n % 2, 1, apart) for n, apart in _APART),
    *between(
        _case("exact", "normal", _normal(), _LENGTHS[0], 0),
        (
            replace(_case("unaligned", "apart", _normal(), _LENGTHS[0], 0), name=f"first-{name}1", apart={name: 1})
            for name in "xy"
        ),
    ),
)

OPERATOR = Operator(
    name="gelu",
    parameters=(
        Parameter("x", "in", ("n",)),
        Parameter("y", "out", ("n",)),
        Parameter("n", "size"),
        Parameter("approximate", "choice", default=0),
    ),
    cases=CASES,
    oracle=oracle,
    compare=compare,
    ledger=ledger,
)
