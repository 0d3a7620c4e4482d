"""RMSNorm of a sum: h = x + residual; y[r, c] = h[r, c] / sqrt(mean over c of h[r, c]^2 + eps) * weight[c].

Source: Zhang and Sennrich, "Root Mean Square Layer Normalization" (2019), equation 4. Special values follow its plain
form in torch: an infinity makes itself NaN and the rest of its row 0; a NaN fills its row.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from onekernel.messages import Message
from onekernel.ops import base
from onekernel.ops.base import Arrays, Case, Fill, Ledger, Mismatch, Operator, Parameter, Sizes, between, worst
from onekernel.ways import REFUSED, SPARSE

# Of the result: a sum of squares errs less than a softmax's sum, because its terms are all positive and no exponential
# stands before them. float16, bfloat16: half an ULP, for the one rounding that a result needs.
RELATIVE = {"float32": 1e-5, "float16": 5.5e-4, "bfloat16": 4.3e-3}
FAR_GAPS = (2**31 + 11, 2**31 + 77, 2**31 + 31)  # between two rows
MOST_ROWS = 500_000_003  # a grid has blocks in x for four times as many: several for each row are no mistake
ABSOLUTE = {"float32": 1.2e-38, "float16": 2.0**-24, "bfloat16": 1.2e-38}  # results may be flushed to zero


def oracle(inputs: Arrays) -> Arrays:
    """x, residual of shape (rows, cols), weight (cols,), eps -> y of shape (rows, cols), in float64."""
    with np.errstate(invalid="ignore"):
        h = inputs["x"] + inputs["residual"]
        if h.size == 0:
            return {"y": h}
        scale = 1 / np.sqrt(np.mean(h * h, axis=1, keepdims=True) + inputs["eps"])
        return {"y": h * scale * inputs["weight"]}


def compare(got: np.ndarray, want: np.ndarray, dtype: str, inputs: Arrays) -> Mismatch | None:
    """Element by element, relative."""
    return worst(got, want, RELATIVE[dtype] * np.abs(want) + ABSOLUTE[dtype])


def ledger(sizes: Sizes, itemsize: int) -> Ledger:
    """Two reads and one write of every element, the weight once; an addition, two for the mean, two to scale."""
    elements = sizes["rows"] * sizes["cols"]
    return Ledger((2 * elements + sizes["cols"]) * itemsize, elements * itemsize, 5 * elements)


def _normal(scale: float = 1.0) -> Fill:
    def fill(rng: np.random.Generator, sizes: Sizes) -> Arrays:
        shape = (sizes["rows"], sizes["cols"])
        x, residual = (scale * rng.standard_normal(shape) for _ in range(2))
        return {"x": x, "residual": residual, "weight": rng.standard_normal(sizes["cols"]) * 2}

    return fill


def _levels(rng: np.random.Generator, sizes: Sizes) -> Arrays:
    """Rows whose sizes differ by thousands: what is the mean of one is not another's."""
    drawn = _normal()(rng, sizes)
    level = 10.0 ** rng.permutation(np.linspace(-2, 2, sizes["rows"]))[:, None]
    return drawn | {"x": drawn["x"] * level, "residual": drawn["residual"] * level}


def _opposite(rng: np.random.Generator, sizes: Sizes) -> Arrays:
    """A residual that nearly cancels x: a sum that is rounded too early has nothing right left."""
    drawn = _normal(100.0)(rng, sizes)
    return drawn | {"residual": -drawn["x"] + rng.standard_normal(drawn["x"].shape)}


def _zeros(rng: np.random.Generator, sizes: Sizes) -> Arrays:
    """Every second row is 0: without eps it would be 0 / 0."""
    drawn = _normal()(rng, sizes)
    drawn["x"][::2] = 0.0
    drawn["residual"][::2] = 0.0
    return drawn


def _special(rng: np.random.Generator, sizes: Sizes) -> Arrays:
    """Row r % 3 == 0: an infinity; 1: a NaN; 2: plain, and must stay so."""
    drawn = _normal()(rng, sizes)
    for r, c in enumerate(rng.integers(0, sizes["cols"], sizes["rows"])):
        if r % 3 < 2:
            drawn["x" if r % 2 else "residual"][r, c] = np.nan if r % 3 else np.inf
    return drawn


def _case(
    group: str, kind: str, fill: Fill, rows: int, cols: int, eps: float = 1e-5,
    gaps: tuple[int, int, int] = (0, 0, 0), shift: int = 0, apart: int = 0,
) -> Case:  # fmt: skip
    name = f"{kind}-{rows}x{cols}-eps{eps:g}" + (f"-gaps{gaps}" if any(gaps) else "")
    name += f"-shift{shift}" if shift else ""
    about = Message(f"ops.rmsnorm_{kind}", {"rows": rows, "cols": cols, "eps": f"{eps:g}"})
    moved = {"residual": apart, "weight": 2 * apart} if apart else {}
    between = dict(zip(("x", "residual", "y"), gaps, strict=True))
    return Case(name, group, {"rows": rows, "cols": cols}, fill, about, between, shift, {"eps": eps}, moved)


def _placed(rng: np.random.Generator, sizes: Sizes) -> Arrays:
    """As `_special`, in the first and the last column, the second, the middle one and the last but one."""
    drawn, cols = _normal()(rng, sizes), sizes["cols"]
    places = [place % cols for place in (0, cols - 1, 1, cols // 2, cols - 2)]
    odd = [(place, value) for place in places for value in (np.inf, np.nan)]
    for r, (place, value) in zip(range(sizes["rows"]), odd, strict=False):
        drawn["x" if r % 4 < 2 else "residual"][r, place] = value
    return drawn


def _of_path(group: str, rows: int, cols: int, gap: int) -> Case:
    gaps = (gap, gap + 72, gap + 32) if gap else (0, 0, 0)
    return _case(group, "many", _normal(), rows, cols, gaps=gaps)


# The first call of a process, of a size that suits everybody, and others that differ from it in one argument alone.
_FIRST = _case("shapes", "normal", _normal(), 8, 64)
_CHANGED = (
    *(_case("strides", "strided", _normal(), 8, 64, gaps=gaps) for gaps in ((3, 0, 0), (0, 5, 0), (0, 0, 1))),
    _case("strides", "normal", _normal(), 24, 64),
    _case("strides", "normal", _normal(), 8, 64, eps=0.25),
    *(replace(_case("unaligned", "unaligned", _normal(), 8, 64), name=f"unaligned-8x64-{name}1", apart={name: 1})
      for name in ("x", "residual", "weight", "y")),
)
_SHAPES = ((1, 1), (3, 1), (1, 31), (5, 32), (4, 33), (300, 3), (3, 255), (2, 1023), (2, 1025), (1, 4097), (2, 8192))

CASES = (
    _FIRST,
    *(_case("shapes", "normal", _normal(), rows, cols) for rows, cols in _SHAPES),
    *(_case("empty", "empty", _normal(), rows, cols) for rows, cols in ((0, 5), (5, 0))),
    *(replace(_case("errors", "refused", _normal(), *shape), way=REFUSED) for shape in ((4, 33), (2, 12_400))),
    *(_case("eps", "normal", _normal(0.01), 4, 257, eps) for eps in (1e-6, 1e-3, 0.5)),
    _case("eps", "zeros", _zeros, 6, 130),
    _case("range", "large", _normal(5000.0), 4, 300),
    replace(_case("range", "vast", _normal(1e5), 4, 300), dtypes=("bfloat16",)),
    _case("range", "levels", _levels, 8, 90),
    _case("range", "opposite", _opposite, 5, 515),
    _case("special", "special", _special, 9, 70),
    _case("strides", "strided", _normal(), 5, 33, gaps=(7, 7, 0)),
    _case("strides", "strided", _normal(), 4, 64, gaps=(0, 8, 8)),
    _case("strides", "strided", _normal(), 3, 1030, gaps=(8, 24, 16)),
    _case("unaligned", "unaligned", _normal(), 5, 64, shift=1),
    _case("unaligned", "unaligned", _normal(), 4, 2101, shift=3, apart=1),
    _case("unaligned", "unaligned", _normal(), 3, 256, gaps=(1, 3, 0), shift=1, apart=3),
    # Aligned tensors of rows that divide by 4, and whose second row is not aligned; a weight that alone is not.
    _case("unaligned", "strided", _normal(), 3, 64, gaps=(5, 3, 1)),
    replace(_case("unaligned", "unaligned", _normal(), 3, 128), apart={"weight": 1}),
    _case("long", "normal", _normal(), 2, 12345),
    _case("long", "normal", _normal(), 4200, 2),  # more rows than scratch memory of a usual size has places
    _case("long", "normal", _normal(), 1, 50257),
    _case("long", "normal", _normal(), 1, 70001),
    replace(_case("large", "many", _normal(), 3, 5, gaps=FAR_GAPS), way=SPARSE),
    replace(_case("large", "many", _normal(), MOST_ROWS, 13), way=SPARSE, only=base.SIMULATED),
    replace(_case("large", "many", _normal(), *base.MANY_ROWS), way=SPARSE, only=base.ON_GPU),
    _case("huge", "normal", _normal(), 2, 2_000_000),
    # Rows that begin on 16 bytes in each element type and end within them.
    _case("strides", "strided", _normal(), 5, 37, gaps=(3, 11, 19)),
    _case("strides", "strided", _normal(), 3, 1029, gaps=(11, 3, 3)),
    _case("long", "strided", _normal(), 3, 12_299, gaps=(5, 13, 5)),
    _case("special", "special", _placed, 10, 70),
    _case("special", "special", _placed, 4, 1100),
    _case("long", "special", _placed, 4, 12_290),
    *base.of_paths(_of_path),
    *between(_FIRST, _CHANGED),
)

OPERATOR = Operator(
    name="rmsnorm",
    parameters=(
        Parameter("x", "in", ("rows", "cols"), "x_row_stride"),
        Parameter("residual", "in", ("rows", "cols"), "residual_row_stride"),
        Parameter("weight", "in", ("cols",)),
        Parameter("y", "out", ("rows", "cols"), "y_row_stride"),
        Parameter("rows", "size"),
        Parameter("cols", "size"),
        Parameter("x_row_stride", "size"),
        Parameter("residual_row_stride", "size"),
        Parameter("y_row_stride", "size"),
        Parameter("eps", "real"),
    ),
    cases=CASES,
    oracle=oracle,
    compare=compare,
    ledger=ledger,
)
