"""Row strides: a kernel that is right where rows follow one another, and wrong where they lie further apart."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from onekernel.backends.base import Buffer
from onekernel.grading import buffers
from onekernel.grading.buffers import Call
from onekernel.grading.replay.stride_pairs import of_several
from onekernel.messages import Message
from onekernel.ops.base import DTYPES, Operator
from onekernel.sandbox.supervisor import CallOutcome

UNKNOWN = "replay.stride-unknown"


def stride_cause(operator: Operator, ran: Sequence[tuple[Call, CallOutcome]]) -> Message | None:
    """Which stride is used in whose place; None where something else is wrong, too, or nothing is."""
    strided = [p for p in operator.parameters if p.row_stride]
    one_matrix = [p.name for p in strided] == ["x", "y"] and len(operator.inputs()) == 1
    if len(strided) < 2:
        return None
    right: list[Call] = []
    wrong: list[tuple[Call, CallOutcome]] = []
    for call, outcome in ran:
        if not math.prod(call.case.sizes.values()) or call.case.sizes[strided[0].shape[0]] < 2:
            continue  # of one row there is no stride
        if is_right(operator, call, outcome):
            right.append(call)
        else:
            wrong.append((call, outcome))
    close = [c for c in right if not any(c.case.gaps.values())]
    if not close or not wrong or not all(any(c.case.gaps.values()) for c, _ in wrong):
        return None
    if strided[0].name != "x":
        return Message("replay.stride-any", {"inputs": len(wrong), "right": len(close)})
    if all(_row_0_is_wrong(operator, c, o) for c, o in wrong):  # it begins where it should under any stride
        return Message("replay.stride-for-cols", {"inputs": len(wrong), "right": len(close)})
    values = {"inputs": len(wrong), "right": len(close)}
    if not one_matrix:
        found = of_several(operator, right, wrong)
        return Message(found.key, {**found.values, **values}) if found else Message(UNKNOWN, values)
    which = _of_the_gaps(right, wrong) or _of_the_output(operator, wrong)
    return Message(f"replay.stride-{which}", values)


def is_right(operator: Operator, call: Call, outcome: CallOutcome) -> bool:
    """Whether the kernel came to its end and wrote what it must, and nothing else."""
    report = outcome.report
    if report is None or report.status or any(f.severity == "error" for f in report.findings):
        return False
    return buffers.judge(operator, call, outcome.after) is None


def _row_0_is_wrong(operator: Operator, call: Call, outcome: CallOutcome) -> bool:
    (output,) = operator.outputs()
    if output.name not in outcome.after:
        return False
    got = buffers.content(call, output, outcome.after[output.name])[0]
    return not np.allclose(got, call.expected[output.name][0], rtol=1e-2, atol=1e-6, equal_nan=True)


def _of_the_gaps(right: Sequence[Call], wrong: Sequence[tuple[Call, CallOutcome]]) -> str | None:
    """The one tensor whose gap makes a difference: wrong wherever it has one, right wherever it has none."""
    for mine, other in (("x", "y"), ("y", "x")):
        if all(c.case.gaps.get(mine) for c, _ in wrong) and any(
            c.case.gaps.get(other) and not c.case.gaps.get(mine) for c in right
        ):
            return f"{mine}-cols"
    return None


def _of_the_output(operator: Operator, wrong: Sequence[tuple[Call, CallOutcome]]) -> str:
    """Which rows of x reached which rows of y in memory, for the pairs of strides that one may take."""
    fitting = None
    for call, outcome in wrong:
        cols = call.inputs["x"].shape[1]
        strides = {p.name: buffers.row_stride(call.case, p) for p in operator.parameters if p.row_stride}
        taken = {"cols": cols, "x": strides["x"], "y": strides["y"]}
        here = set()
        for read, write in (("cols", "cols"), ("x", "x"), ("y", "y"), ("y", "x"), ("x", "cols"), ("cols", "y")):
            if _written(operator, call, outcome, taken[read], taken[write]):
                here.add((read, write))
        fitting = here if fitting is None else fitting & here
    names = {("cols", "cols"): "both-cols", ("x", "x"): "y-of-x", ("y", "y"): "x-of-y", ("y", "x"): "swapped"}
    found = [names[pair] for pair in sorted(fitting or ()) if pair in names]
    return found[0] if len(found) == 1 else "unknown"


def _written(operator: Operator, call: Call, outcome: CallOutcome, read: int, write: int) -> bool:
    """Whether the memory of y holds the softmax of rows that lie `read` apart, in rows that lie `write` apart."""
    if "y" not in outcome.after:
        return False
    buffer = {a.name: a for a in call.args if isinstance(a, Buffer)}
    kind = DTYPES[call.dtype]
    rows, cols = call.inputs["x"].shape
    with np.errstate(all="ignore"):
        source = buffer["x"].memory[buffer["x"].offset :].view(kind).astype(np.float64)
        out = outcome.after["y"][buffer["y"].offset :].view(kind).astype(np.float64)
        for row in range(rows - 1, -1, -1):  # rows that overlap: the last that is written stays
            x, y = source[row * read :][:cols], out[row * write :][:cols]
            if len(x) < cols or len(y) < cols:
                return False
            want = operator.oracle({"x": x[None]})["y"][0]
            seen = cols if row == rows - 1 else min(cols, write)
            if not np.allclose(y[:seen], want[:seen], rtol=1e-2, atol=1e-6, equal_nan=True):
                return False
    return True
