"""GEMM: C = alpha * A op(B) + beta * C, row-major; op(B) is B of (k, n), or the transpose of a B that is stored (n, k).

As in BLAS, C is not read where beta is 0, and an empty k leaves beta * C. Infinities and NaN go where sums carry them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from onekernel.messages import Message
from onekernel.ops.base import (
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
    sampled,
    worst,
)
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
EXACT = 2.0**22  # whole numbers below it, and their sums, are exact in float32 and in what Tensor Cores add with


def oracle(inputs: Arrays) -> Arrays:
    """a of (m, k), b of (k, n) or (n, k), c of (m, n) where beta is not 0 -> c of (m, n), in float64."""
    with np.errstate(invalid="ignore", over="ignore"):
        return {"c": _combined(inputs, inputs["a"], _product_side(inputs))}


def compare(got: np.ndarray, want: np.ndarray, dtype: str, inputs: Arrays) -> Mismatch | None:
    """Within gamma of |alpha| |A| |B| + |beta| |C|, and one rounding to the element type; of small whole numbers, of
    which no sum is rounded, the result itself, rounded once."""
    if is_exact(inputs):
        rounded = want.astype(DTYPES[dtype]).astype(np.float64)
        return worst(got, rounded, np.zeros(rounded.shape))
    return worst(got, want, bound(dtype, inputs, want))


def is_exact(inputs: Arrays) -> bool:
    """Whether every sum of products is a whole number that float32 holds, whatever the order: in Tensor Cores, too,
    which keep 24 bits of the largest term at least."""
    tensors = [values for name, values in inputs.items() if values.ndim]
    if inputs["alpha"] != 1 or inputs["beta"] not in (0, 1) or not all(np.isfinite(v).all() for v in tensors):
        return False
    if any((v != np.rint(v)).any() for v in tensors):
        return False
    sizes = {name: np.abs(values) for name, values in inputs.items() if name != "transpose_b"}
    return bool(_combined(sizes, sizes["a"], np.abs(_product_side(inputs))).max(initial=0.0) < EXACT)


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


def _edges(scalars: Mapping[str, int | float]) -> Fill:
    """Infinities and NaN in the first row and column of A and of B, and in the last."""

    def fill(rng: np.random.Generator, sizes: Sizes) -> Arrays:
        m, n, k = sizes["m"], sizes["n"], sizes["k"]
        a, b = rng.standard_normal((m, k)), rng.standard_normal((k, n))
        a[1, 0], a[2, -1], a[3, 0], a[-2, k // 2] = np.inf, np.inf, np.nan, -np.inf
        b[0, 1], b[-1, 2], b[k // 2, -2] = np.inf, -np.inf, np.nan
        return {"a": a, "b": np.ascontiguousarray(b.T) if scalars["transpose_b"] else b}

    return fill


def _whole(scalars: Mapping[str, int | float], cancels: bool) -> Fill:
    """Whole numbers from 1 to 3, so that each sum is exact; where it `cancels`, the second half of the sum takes off
    what the first has come to: what is rounded on the way has lost more than is left."""

    def fill(rng: np.random.Generator, sizes: Sizes) -> Arrays:
        m, n, k = sizes["m"], sizes["n"], sizes["k"]
        a, b, c = (rng.integers(1, 4, shape).astype(np.float64) for shape in ((m, k), (k, n), (m, n)))
        if cancels:
            b[k // 2 :] *= -1.0
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
    if kind in ("whole", "cancelled"):
        fill = _whole(scalars, cancels=kind == "cancelled")
    elif kind == "edges":
        fill = _edges(scalars)
    return Case(name, group, sizes, fill, about, between, shift, scalars, apart or {})


def _far(name: str, turned: int, shape: tuple[int, int, int], stride: int = 2**24 + 7) -> Case:
    """One tensor's rows lie so far apart that an offset of 32 bits, with a sign or without, ends within them."""
    gaps = tuple(stride if name == each else 0 for each in "abc")
    case = _case("large", "far", shape, turned, gaps=(gaps[0], gaps[1], gaps[2]))
    about = Message("ops.gemm_far", {**case.about.values, "name": name.upper(), "gap": stride})
    return replace(case, about=about, way=SPARSE)


def _far_and_deep(shape: tuple[int, int, int], a: int, b: int) -> Case:
    """As `_far`, of A and B at once: a deep product takes its time."""
    case = _case("large", "far", shape, gaps=(a, b, 0))
    return sampled(replace(case, about=Message("ops.gemm_far-both", {**case.about.values, "a": a, "b": b})))


# The first call of a process is of sizes that suit everybody: rows of each matrix divide by 16 bytes in each type, as a
# launcher that keeps what it found there believes of later ones. Then come calls with one argument changed.
_FIRST = (32, 40, 24)
_SHAPES = (
    _FIRST, (32, 40, 19), (1, 1, 1), (16, 16, 16), (128, 128, 32), (17, 33, 5), (1, 65, 300), (65, 1, 130),
    (31, 100, 257), (129, 67, 34), (70, 130, 8), (3, 5, 1), (193, 197, 3), (4200, 2, 3), (17, 33, 16), (128, 128, 29),
)  # fmt: skip
_TURNED = (
    _FIRST, (32, 40, 21), (1, 1, 1), (32, 48, 64), (33, 17, 5), (65, 129, 40), (2, 70, 257), (130, 3, 31),
    (20, 37, 37), (2, 4200, 3),
)  # fmt: skip
# Scalars that are no powers of two, too: those round nothing, so that a sum is the same rounded before or behind them.
_SCALED = ((0.5, 0.0), (1.0, 1.0), (-2.0, 0.25), (0.0, 3.0), (1.0, -1.0), (1.375, 0.0), (0.6875, -1.375))

_BEYOND_TILES = 65_535 * 128 + 129  # rows, or columns: of tiles of up to 128, more than a grid has blocks in y

CASES = (
    *(_case("shapes", "normal", shape) for shape in _SHAPES),
    *(_case("transposed", "normal", shape, 1) for shape in _TURNED),
    *(_case("empty", "empty", shape, turned) for turned, shape in enumerate(((0, 5, 7), (5, 0, 7)))),
    *(_case("empty", "nothing", (33, 20, 0), turned, beta=beta) for turned in (0, 1) for beta in (0.0, 2.0)),
    *(replace(_case("errors", "refused", (40, 33, 20), beta=beta), way=REFUSED) for beta in (0.0, 1.0)),
    # In the paths of other shapes, too, each of which has a launch of its own.
    *(
        replace(_case("errors", "refused", shape, turned), way=REFUSED)
        for turned, shape in enumerate(((300, 264, 64), (700, 8, 64)))
    ),
    *(
        replace(_case("errors", "refused", shape, turned), way=REFUSED)
        for turned, shape in enumerate(((8, 700, 40), (5, 3, 4100)))
    ),
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
    replace(_case("range", "vast", (20, 30, 50), scale=1e5), dtypes=("bfloat16",)),
    *(_case("skinny", "normal", shape, turned) for turned in (0, 1) for shape in ((1000, 8, 64), (700, 16, 33))),
    *(_case("skinny", "normal", shape, turned) for turned in (1, 0) for shape in ((9, 700, 40), (16, 300, 500))),
    *(_case("skinny", "normal", shape, turned) for turned in (0, 1) for shape in ((1000, 8, 61), (9, 700, 37))),
    _case("skinny", "scaled", (600, 8, 16), 0, 2.0, 0.5),
    _far("a", 0, (300, 9, 8)),
    _far("b", 1, (9, 300, 8)),
    _far("b", 0, (9, 8, 300)),
    _far("c", 0, (300, 9, 8)),
    # More rows, and more columns, than a grid has blocks in y.
    *(replace(_case("large", "normal", shape, turned), way=SPARSE)
      for turned, shape in enumerate(((70_001, 3, 2), (3, 70_001, 2)))),
    # And more than it has of tiles: of as many rows, or columns, as tiles have.
    *(sampled(_case("large", "normal", shape, turned), ("float32",))
      for turned, shape in enumerate(((_BEYOND_TILES, 1, 1), (1, _BEYOND_TILES, 1)))),
    # Rows that begin on 16 bytes in each element type and end within them: behind them lies what is somebody else's.
    _case("strides", "strided", (37, 42, 27), gaps=(5, 6, 6)),
    _case("strides", "strided", (37, 42, 27), 1, gaps=(5, 13, 14), beta=1.0),
    _case("strides", "strided", (70, 75, 67), gaps=(13, 5, 5)),
    _case("strides", "strided", (70, 75, 67), 1, gaps=(5, 5, 13)),
    _case("strides", "strided", (3, 6, 1019), gaps=(5, 10, 10)),
    _case("strides", "strided", (6, 3, 4091), 1, gaps=(5, 13, 5)),
    _case("skinny", "strided", (601, 10, 19), gaps=(5, 6, 6)),
    _case("skinny", "strided", (10, 603, 19), gaps=(5, 5, 5)),
    _case("skinny", "strided", (10, 603, 21), 1, gaps=(3, 11, 5)),
    _case("range", "whole", (40, 33, 700)),
    # So deep that who divides it among blocks has many parts to add, and that no short counts as far.
    *(_case("range", "cancelled", shape, turned) for turned, shape in enumerate(((5, 3, 4100), (3, 5, 33_100)))),
    _case("range", "cancelled", (40, 33, 700), 1, beta=1.0),
    *(_case("special", "edges", (70, 45, 40), turned) for turned in (0, 1)),
    *between(_case("shapes", "normal", _FIRST), (
        *(_case("strides", "strided", _FIRST, gaps=gaps) for gaps in ((1, 0, 0), (0, 3, 0), (0, 0, 5))),
        *(_case("scalars", "scaled", _FIRST, 0, *pair) for pair in ((1.5, 0.0), (1.0, -0.5))),
        *(replace(_case("unaligned", "unaligned", _FIRST), name=f"unaligned-first-{name}1", apart={name: 1})
          for name in "abc"),
    )),
    # In each path that is taken for deep or for wide products: far rows, and more tiles than a grid is likely to have.
    _far_and_deep((9, 5, 2100), 2**29 + 8, 2**21 + 8),
    *(sampled(_far(name, turned, (9, 130, 37), 2**29 + 8)) for name, turned in (("a", 1), ("c", 0))),
    # Strides that 32 bits do not hold.
    *(
        sampled(_far(name, turned, (3, 3, 3), 2**32 + 8))
        for name, turned in (("a", 0), ("b", 0), ("b", 1), ("c", 1))
    ),
    sampled(_case("large", "normal", (70_001, 5, 72), 1)),
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
