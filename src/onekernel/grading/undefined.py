"""Whether a result depends on what a shuffle gave for a lane that takes no part.

Graded kernels are given NaN there, a very large number, or one far below zero (the simulator's machine/undefined.cpp):
a sum, a maximum or a minimum that takes one in comes to nothing that is like a result. Numbers that are merely wrong
have another cause.
"""

from __future__ import annotations

import numpy as np

from onekernel.grading import buffers
from onekernel.grading.buffers import Call
from onekernel.ops.base import DTYPES, Operator
from onekernel.sandbox.supervisor import CallOutcome

UNDEFINED = ("absent-lane",)
BEYOND = 1e20  # times the right answer, or 1: a sum that holds such a value
BELOW = 1e-12  # times the right answer: what is divided by one


def depends(operator: Operator, call: Call, outcome: CallOutcome) -> bool:
    """Whether an element of an output, if it is wrong, may have come of such a value; of a type without NaN any may."""
    for p in operator.outputs():
        if call.dtype not in DTYPES or p.dtype not in ("", *DTYPES):
            return True
        got, want = buffers.content(call, p, outcome.after[p.name]), call.expected[p.name]
        lost = np.isnan(got) != np.isnan(want)
        size, right = np.abs(got), np.abs(want)
        with np.errstate(invalid="ignore", over="ignore"):
            far = size > BEYOND * np.maximum(right, 1)
            far |= (size < BELOW * right) & (got.size > 1)  # of one number, a sum, 0 has had no such term
        if (lost | (far & (got != want))).any():
            return True
    return False
