"""GEMM: C = alpha * A op(B) + beta * C, row-major; op(B) is B of (k, n), or the transpose of a B that is stored (n, k).

As in BLAS, C is not read where beta is 0, and an empty k leaves beta * C. Infinities and NaN go where sums carry them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from onekernel.messages import Message
from onekernel.ops.base import Arrays, Case, Fill, Ledger, Mismatch, Operator, Parameter, Sizes, worst
from onekernel.ways import REFUSED, SPARSE

# A sum of k products errs by at most gamma_k = k u / (1 - k u) of the sum of their magnitudes, in any order: Higham,
# "Accuracy and Stability of Numerical Algorithms", section 3.1. float32: every operation rounds, u = 2^-24.
# float16, bfloat16: products are exact in float32; Tensor Cores cut where others round, u = 2^-23, and take the sum so
# far as one term more with each 8 or 16: Fasi, Higham, Mikaitis and Pranesh, "Numerical behavior of NVIDIA tensor
# cores" (2021).
UNIT = {"float32": 2.0**-24, "float16": 2.0**-23, "bfloat16": 2.0**-23}
TERMS = {"float32": 1.0, "float16": 9 / 8, "bfloat16": 9 / 8}  # per product
SCALING = 3  # operations more: times alpha, times beta, the addition of both
ROUNDING = {"float32": 0.0, "float16": 2.0**-11, "bfloat16": 2.0**-8}  # of the result to a narrower type
ABSOLUTE = {"float32": 1.2e-38, "float16": 2.0**-24, "bfloat16": 1.2e-38}  # results may be flushed to zero


def oracle(inputs: Arrays) -> Arrays:
    """a of (m, k), b of (k, n) or (n, k), c of (m, n) where beta is not 0 -> c of (m, n), in float64."""
    with np.errstate(invalid="ignore", over="ignore"):
        return {"c": _combined(inputs, inputs["a"], _product_side(inputs))}


def compare(got: np.ndarray, want: np.ndarray, dtype: str, inputs: Arrays) -> Mismatch | None:
    """Within gamma of |alpha| |A| |B| + |beta| |C|, and one rounding to the element type."""
    return worst(got, want, bound(dtype, inputs, want))


def bound(dtype: str, inputs: Arrays, want: np.ndarray) -> np.ndarray:
    """How far each element of C, (m, n), may be from `want`."""
    error = (TERMS[dtype] * inputs["a"].shape[1] + SCALING) * UNIT[dtype]
    sizes = {name: np.abs(values) for name, values in inputs.items() if name != "transpose_b"}
    with np.errstate(invalid="ignore", over="ignore"):
        magnitude = _combined(sizes, sizes["a"], np.abs(_product_side(inputs)))
        return np.asarray(error / (1 - error) * magnitude + ROUNDING[dtype] * np.abs(want) + ABSOLUTE[dtype])


def _product_side(inputs: Arrays) -> np.ndarray:
    """op(B), (k, n)."""
    return inputs["b"].T if inputs["transpose_b"] else inputs["b"]


def _combined(inputs: Arrays, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    product = inputs["alpha"] * (a @ b)
    return np.asarray(product + inputs["beta"] * inputs["c"] if inputs["beta"] else product)


def ledger(sizes: Sizes, itemsize: int) -> Ledger:
    """Every element of A and B read once, every one of C written once; a multiplication and an addition per product."""
    m, n, k = sizes["m"], sizes["n"], sizes["k"]
    return Ledger((m * k + k * n) * itemsize, m * n * itemsize, 2 * m * n * k)


def _fill(scalars: Mapping[str, int | float], scale: float = 1.0, special: bool = False) -> Fill:
    """Normal numbers; with `special` some are NaN or infinite, the last of a row or a column of A and B among them, and
    a row of A and a column of B are zero: zero times infinity is no zero to be left out."""

    def fill(rng: np.random.Generator, sizes: Sizes) -> Arrays:
        m, n, k = sizes["m"], sizes["n"], sizes["k"]
        a, b, c = (scale * rng.standard_normal(shape) for shape in ((m, k), (k, n), (m, n)))
        if special:
            a[1], b[:, 1] = 0.0, 0.0
            for values in (a, b):
                values[rng.integers(0, values.shape[0]), -1] = np.inf
                values[-1, rng.integers(0, values.shape[1])] = np.nan
            c[rng.integers(0, m), rng.integers(0, n)] = -np.inf
            c[rng.integers(0, m), rng.integers(0, n)] = np.nan
        drawn = {"a": a, "b": np.ascontiguousarray(b.T) if scalars["transpose_b"] else b}
        return drawn | ({"c": c} if scalars["beta"] else {})

    return fill


def _case(
    group: str, kind: str, shape: tuple[int, int, int], turned: int = 0, alpha: float = 1.0, beta: float = 0.0,
    scale: float = 1.0, gaps: tuple[int, int, int] = (0, 0, 0), shift: int = 0, apart: Mapping[str, int] | None = None,
) -> Case:  # fmt: skip
    scalars: dict[str, int | float] = {"transpose_b": turned, "alpha": alpha, "beta": beta}
    sizes = dict(zip("mnk", shape, strict=True))
    how = Message("ops.gemm-turned" if turned else "ops.gemm-plain")
    about = Message(f"ops.gemm_{kind}", {**sizes, "how": how, "alpha": f"{alpha:g}", "beta": f"{beta:g}"})
    name = f"{kind}-{'x'.join(map(str, shape))}-{'abt' if turned else 'ab'}-alpha{alpha:g}-beta{beta:g}"
    name += (f"-gaps{gaps}" if any(gaps) else "") + (f"-shift{shift}" if shift else "")
    between = dict(zip("abc", gaps, strict=True))
    fill = _fill(scalars, scale, special=kind == "special")
    return Case(name, group, sizes, fill, about, between, shift, scalars, apart or {})


def _far(name: str, turned: int, shape: tuple[int, int, int]) -> Case:
    """One tensor's rows lie so far apart that an offset of 32 bits, with a sign or without, ends within them."""
    stride = 2**24 + 7
    gaps = tuple(stride if name == each else 0 for each in "abc")
    case = _case("large", "far", shape, turned, gaps=(gaps[0], gaps[1], gaps[2]))
    about = Message("ops.gemm_far", {**case.about.values, "name": name.upper(), "gap": stride})
    return replace(case, about=about, way=SPARSE)


_SHAPES = (
    (1, 1, 1), (16, 16, 16), (128, 128, 32), (17, 33, 5), (1, 65, 300), (65, 1, 130), (31, 100, 257), (129, 67, 34),
    (70, 130, 8), (3, 5, 1), (193, 197, 3), (4200, 2, 3),
)  # fmt: skip
_TURNED = ((1, 1, 1), (32, 48, 64), (33, 17, 5), (65, 129, 40), (2, 70, 257), (130, 3, 31), (20, 37, 37), (2, 4200, 3))
# Scalars that are no powers of two, too: those round nothing, so that a sum is the same rounded before or behind them.
_SCALED = ((0.5, 0.0), (1.0, 1.0), (-2.0, 0.25), (0.0, 3.0), (1.0, -1.0), (1.375, 0.0), (0.6875, -1.375))

CASES = (
    *(_case("shapes", "normal", shape) for shape in _SHAPES),
    *(_case("transposed", "normal", shape, 1) for shape in _TURNED),
    *(_case("empty", "empty", shape, turned) for turned, shape in enumerate(((0, 5, 7), (5, 0, 7)))),
    *(_case("empty", "nothing", (33, 20, 0), turned, beta=beta) for turned in (0, 1) for beta in (0.0, 2.0)),
    *(replace(_case("errors", "refused", (40, 33, 20), beta=beta), way=REFUSED) for beta in (0.0, 1.0)),
    *(_case("scalars", "scaled", (45, 70, 19), n % 2, *pair) for n, pair in enumerate(_SCALED)),
    _case("strides", "strided", (37, 41, 23), gaps=(5, 9, 2)),
    _case("strides", "strided", (40, 32, 24), 1, gaps=(8, 16, 24), beta=1.0),
    _case("strides", "strided", (66, 20, 33), 1, gaps=(3, 0, 8)),
    _case("strides", "strided", (20, 66, 33), gaps=(0, 3, 0), beta=-0.5),
    _case("strides", "strided", (64, 64, 32), gaps=(0, 0, 64)),
    _case("unaligned", "unaligned", (64, 64, 32), shift=1),
    _case("unaligned", "unaligned", (48, 72, 40), 1, shift=3, apart={"b": 1, "c": 2}, beta=1.0),
    _case("unaligned", "unaligned", (33, 64, 16), apart={"a": 1}, gaps=(1, 0, 1)),
    # Aligned matrices of rows that divide by 4, and whose second row is not aligned.
    *(_case("unaligned", "strided", (32, 40, 24), turned, gaps=(5, 3, 1), beta=1.0) for turned in (0, 1)),
    _case("special", "special", (37, 45, 19), beta=1.0),
    _case("special", "special", (37, 45, 19), 1),
    _case("range", "large", (20, 30, 50), scale=100.0, alpha=2.0**-10),
    _case("range", "small", (20, 30, 50), 1, scale=0.01),
    _case("range", "deep", (3, 5, 4100)),
    _case("range", "deep", (5, 3, 4100), 1, alpha=0.25),
    # So deep that who divides it among blocks has many parts to add, and that no short counts as far.
    _case("range", "deep", (3, 5, 33_100), 1),
    replace(_case("range", "vast", (20, 30, 50), scale=1e5), dtypes=("bfloat16",)),
    *(_case("skinny", "normal", shape, turned) for turned in (0, 1) for shape in ((1000, 8, 64), (700, 16, 33))),
    *(_case("skinny", "normal", shape, turned) for turned in (1, 0) for shape in ((9, 700, 40), (16, 300, 500))),
    _case("skinny", "scaled", (600, 8, 16), 0, 2.0, 0.5),
    _far("a", 0, (300, 9, 8)),
    _far("b", 1, (9, 300, 8)),
    _far("b", 0, (9, 8, 300)),
    _far("c", 0, (300, 9, 8)),
    # More rows, and more columns, than a grid has blocks in y.
    *(
        replace(_case("large", "normal", shape, turned), way=SPARSE)
        for turned, shape in enumerate(((70_001, 3, 2), (3, 70_001, 2)))
    ),
    _case("huge", "normal", (1030, 900, 1100)),
    _case("huge", "normal", (512, 2050, 4100), 1),
)

OPERATOR = Operator(
    name="gemm",
    parameters=(
        Parameter("a", "in", ("m", "k"), "lda"),
        Parameter("b", "in", ("k", "n"), "ldb", flipped_by="transpose_b"),
        Parameter("c", "inout", ("m", "n"), "ldc"),
        Parameter("m", "size"),
        Parameter("n", "size"),
        Parameter("k", "size"),
        Parameter("lda", "size"),
        Parameter("ldb", "size"),
        Parameter("ldc", "size"),
        Parameter("transpose_b", "choice", default=0),
        Parameter("alpha", "real", default=1.0),
        Parameter("beta", "real", default=0.0),
    ),
    cases=CASES,
    oracle=oracle,
    compare=compare,
    ledger=ledger,
)
