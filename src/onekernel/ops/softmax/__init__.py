"""Row softmax: y[r, c] = exp(x[r, c] - max_r) / sum_r, one probability distribution a row.

Special values follow torch.nn.functional.softmax: a row of all -inf is NaN; a NaN or a +inf makes its row NaN and no
other.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from onekernel.messages import Message
from onekernel.ops.base import DTYPES, Arrays, Ledger, Mismatch, Operator, Parameter, Sizes, worst
from onekernel.ops.softmax.cases import CASES

# Relative tolerances. float32: an exponential of 2 ULP with |x - max| <= 100 costs up to 1e-5, a plain serial sum of a
# few thousand terms about as much; accumulating in half precision errs by 5e-4 and more. float16, bfloat16: the
# rounding of the result itself (half an ULP: 2^-11, 2^-8) and the float32 arithmetic before it.
RELATIVE = {"float32": 3e-5, "float16": 7e-4, "bfloat16": 5e-3}
# Absolute: results below the type's normal range may be flushed to zero.
ABSOLUTE = {"float32": 1.2e-38, "float16": 6.2e-5 * 2.0**-10, "bfloat16": 1.2e-38}
# A row's sum sees an error that is small everywhere. An element just below 1 may fall to either side of a tie, so that
# a perfect kernel differs from the rounded oracle by one spacing there: 2^-11, 2^-8.
ROW_SUM = {"float32": 2e-5, "float16": 6e-4, "bfloat16": 5e-3}
# Between values near 0; the kernels flush what is smaller in fp32.
SMALLEST_STEP = {"float32": 2.0**-126, "float16": 2.0**-24, "bfloat16": 2.0**-126}


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
    if found and found.kind == "values":
        row = found.index[0]
        total, should = got[row].sum(), want[row].sum()
        if abs(total - should) > 1e-3:  # a row that sums to 1 tells nothing
            found = replace(found, note=Message("ops.softmax-row-sum", {"row": row, "sum": float(total)}))
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
