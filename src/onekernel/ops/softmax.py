"""Row softmax: y[r, c] = exp(x[r, c] - max_r) / sum_r, one probability distribution a row.

Special values follow torch.nn.functional.softmax: a row of all -inf is NaN; a NaN or a +inf makes its row NaN and no
other.
"""

from __future__ import annotations

import numpy as np

from onekernel.messages import Message
from onekernel.ops.base import DTYPES, Arrays, Case, Fill, Ledger, Mismatch, Operator, Parameter, Sizes, worst

# Relative tolerances. float32: an exponential of 2 ULP with |x - max| <= 100 costs up to 1e-5, a plain serial sum of a
# few thousand terms about as much; accumulating in half precision errs by 5e-4 and more. float16, bfloat16: the
# rounding of the result itself (half an ULP: 2^-11, 2^-8) and the float32 arithmetic before it.
RELATIVE = {"float32": 3e-5, "float16": 7e-4, "bfloat16": 5e-3}
# Absolute: results below the type's normal range may be flushed to zero.
ABSOLUTE = {"float32": 1.2e-38, "float16": 6.2e-5 * 2.0**-10, "bfloat16": 1.2e-38}
# A row's sum sees an error that is small everywhere. An element just below 1 may fall to either side of a tie, so that
# a perfect kernel differs from the rounded oracle by one spacing there: 2^-11, 2^-8.
ROW_SUM = {"float32": 2e-5, "float16": 6e-4, "bfloat16": 5e-3}


def oracle(inputs: Arrays) -> Arrays:
    """Row softmax in float64: x of shape (rows, cols) -> y of the same shape."""
    x = inputs["x"]
    if x.size == 0:
        return {"y": x.copy()}
    with np.errstate(invalid="ignore", divide="ignore"):
        e = np.exp(x - x.max(axis=1, keepdims=True))
        return {"y": e / e.sum(axis=1, keepdims=True)}


def compare(got: np.ndarray, want: np.ndarray, dtype: str, inputs: Arrays) -> Mismatch | None:
    """Element by element, relative; then each row's sum, which sees an error that is small everywhere."""
    found = worst(got, want, RELATIVE[dtype] * np.abs(want) + ABSOLUTE[dtype])
    if found or got.size == 0:
        return found
    # The oracle's own values, rounded to the type: what a perfect kernel's row sums to.
    ideal = want.astype(DTYPES[dtype]).astype(np.float64).sum(axis=1)
    found = worst(got.sum(axis=1), ideal, np.full(len(ideal), ROW_SUM[dtype]))
    if found is None:
        return None
    return Mismatch("row-sum", found.count, found.total, found.index, found.got, found.want, found.error, found.limit)


def ledger(sizes: Sizes, itemsize: int) -> Ledger:
    """One read and one write of every element; per element a subtraction, an exponential, an addition, a maximum
    and a multiplication: 5 FLOPs by the course's convention (an exponential counts as one)."""
    elements = sizes["rows"] * sizes["cols"]
    return Ledger(elements * itemsize, elements * itemsize, 5 * elements)


def _normal(scale: float = 1.0, shift: float = 0.0) -> Fill:
    def fill(rng: np.random.Generator, sizes: Sizes) -> Arrays:
        return {"x": rng.standard_normal((sizes["rows"], sizes["cols"])) * scale + shift}

    return fill


def _peaked(last_column: bool) -> Fill:
    """Rows with one element far above the others, at a random column or at the last."""

    def fill(rng: np.random.Generator, sizes: Sizes) -> Arrays:
        rows, cols = sizes["rows"], sizes["cols"]
        x = rng.standard_normal((rows, cols))
        columns = np.full(rows, cols - 1) if last_column else rng.integers(0, cols, rows)
        x[np.arange(rows), columns] += 12.0
        return {"x": x}

    return fill


def _far(rng: np.random.Generator, sizes: Sizes) -> Arrays:
    """One element of each row, at a random column, so far above the others that exp(x - anything else) overflows."""
    x = rng.standard_normal((sizes["rows"], sizes["cols"]))
    x[np.arange(len(x)), rng.integers(0, sizes["cols"], len(x))] += 150.0
    return {"x": x}


def _climbing(rng: np.random.Generator, sizes: Sizes) -> Arrays:
    """Each row climbs, so that a running maximum changes at every step."""
    return {"x": np.sort(rng.standard_normal((sizes["rows"], sizes["cols"])) * 5, axis=1)}


def _negative(rng: np.random.Generator, sizes: Sizes) -> Arrays:
    return {"x": -1.0 - 20.0 * rng.random((sizes["rows"], sizes["cols"]))}


def _levels(rng: np.random.Generator, sizes: Sizes) -> Arrays:
    """Rows at very different levels: what suits the largest row, or the first, drowns the others."""
    x = rng.standard_normal((sizes["rows"], sizes["cols"]))
    return {"x": x + 300.0 * rng.permutation(sizes["rows"])[:, None]}


def _masked(rng: np.random.Generator, sizes: Sizes) -> Arrays:
    """About half of each row is -inf, as a causal mask leaves it; one element at least is finite."""
    x = rng.standard_normal((sizes["rows"], sizes["cols"]))
    x[rng.random(x.shape) < 0.5] = -np.inf
    x[np.arange(len(x)), rng.integers(0, sizes["cols"], len(x))] = 0.5
    return {"x": x}


def _special(rng: np.random.Generator, sizes: Sizes) -> Arrays:
    """Row r % 5 == 0: all -inf; 1: a NaN; 2: a +inf; 3: NaN in the last column; 4: plain, and must stay so."""
    x = rng.standard_normal((sizes["rows"], sizes["cols"]))
    columns = rng.integers(0, sizes["cols"], len(x))
    for r, c in enumerate(columns):
        if r % 5 == 0:
            x[r] = -np.inf
        elif r % 5 < 4:
            x[r, c if r % 5 < 3 else -1] = np.inf if r % 5 == 2 else np.nan
    return {"x": x}


def _case(
    group: str, kind: str, fill: Fill, rows: int, cols: int, gaps: tuple[int, int] = (0, 0), shift: int = 0
) -> Case:
    name = f"{kind}-{rows}x{cols}" + (f"-gap{gaps[0]},{gaps[1]}" if any(gaps) else "")
    name += f"-shift{shift}" if shift else ""
    about = Message(f"ops.softmax_{kind}", {"rows": rows, "cols": cols, "x_gap": gaps[0], "y_gap": gaps[1]})
    return Case(name, group, {"rows": rows, "cols": cols}, fill, about, {"x": gaps[0], "y": gaps[1]}, shift)


_SHAPES = [(1, 1), (3, 1), (1, 31), (5, 32), (4, 33), (300, 3), (3, 255), (2, 1023), (2, 1025), (1, 4097)]

# Lengths for one process, up and then down: what a kernel keeps from one call (a tuned configuration, scratch memory,
# a launch) meets lengths on both sides of it. Neighbours, since a rounded length is often a key; 3 x 2^k, since a power
# of two is as often a limit. The way down has its weight in the last column, which a tile too short would lose.
_LENGTHS = (47, 96, 97, 768, 1537, 3072, 3073, 6144, 12288)
_HUGE_LENGTHS = (25001, 65537, 500_000, 2_000_000)


def _up_and_down(group: str, lengths: tuple[int, ...]) -> tuple[Case, ...]:
    up = [_case(group, "normal", _normal(), 2, cols) for cols in lengths]
    return *up, *(_case(group, "peak_last", _peaked(last_column=True), 2, cols) for cols in reversed(lengths))


CASES = (
    *(_case("shapes", "normal", _normal(), r, c) for r, c in _SHAPES),
    *(_case("empty", "empty", _normal(), r, c) for r, c in [(0, 5), (5, 0), (0, 0)]),
    _case("peaked", "peak", _peaked(last_column=False), 7, 129),
    _case("peaked", "peak_last", _peaked(last_column=True), 5, 33),
    _case("peaked", "peak_last", _peaked(last_column=True), 3, 1025),
    _case("peaked", "climbing", _climbing, 3, 257),
    _case("range", "wide", _normal(scale=30.0), 4, 300),
    _case("range", "high", _normal(shift=1e4), 4, 257),
    _case("range", "low", _normal(shift=-2e4), 3, 100),
    _case("range", "levels", _levels, 6, 90),
    _case("range", "far", _far, 8, 300),
    _case("range", "negative", _negative, 4, 65),
    _case("special", "masked", _masked, 6, 130),
    _case("special", "special", _special, 11, 70),
    _case("special", "special", _special, 5, 1),
    _case("strides", "strided", _normal(), 5, 33, gaps=(7, 0)),
    _case("strides", "strided", _normal(), 4, 64, gaps=(0, 3)),
    _case("strides", "strided", _peaked(last_column=True), 3, 130, gaps=(5, 2)),
    _case("unaligned", "unaligned", _normal(), 5, 64, shift=1),
    _case("unaligned", "unaligned", _normal(), 4, 101, shift=3),
    _case("unaligned", "unaligned", _normal(), 3, 256, gaps=(1, 3), shift=1),
    _case("long", "normal", _normal(), 2, 12345),
    _case("long", "peak_last", _peaked(last_column=True), 1, 50257),
    _case("long", "wide", _normal(scale=30.0), 1, 70001),
    _case("long", "peak_last", _peaked(last_column=True), 2, 12289),
    *_up_and_down("lengths", _LENGTHS),
    *_up_and_down("huge", _HUGE_LENGTHS),
)

OPERATOR = Operator(
    name="softmax",
    parameters=(
        Parameter("x", "in", ("rows", "cols"), "x_row_stride"),
        Parameter("y", "out", ("rows", "cols"), "y_row_stride"),
        Parameter("rows", "size"),
        Parameter("cols", "size"),
        Parameter("x_row_stride", "size"),
        Parameter("y_row_stride", "size"),
    ),
    cases=CASES,
    oracle=oracle,
    compare=compare,
    ledger=ledger,
)
