"""Answers that a kernel might have given: of each call what a test makes of the right one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from onekernel.backends.base import Buffer, CallReport
from onekernel.grading import buffers
from onekernel.grading.buffers import Call
from onekernel.ops import OPERATORS
from onekernel.ops.base import DTYPES, Operator
from onekernel.sandbox.supervisor import CallOutcome

MOST = 700  # rows or columns
Change = Callable[[Call, np.ndarray], np.ndarray]


def pairs(
    name: str, groups: tuple[str, ...], change: Change, dtypes: tuple[str, ...] = ("float32",), most: int = MOST
) -> list[tuple[Call, CallOutcome]]:
    """The calls of an operator's groups, each answered by what `change` makes of the right answer."""
    operator = OPERATORS[name]
    cases = [c for g in groups for c in operator.group(g) if max(c.sizes.values()) <= most and all(c.sizes.values())]
    cases = [c for c in cases if c.plain]
    every = [(case, dtype) for dtype in dtypes for case in cases if dtype in (case.dtypes or [dtype])]
    return [answered(operator, buffers.make(operator, "any", c, d, seed=11), change) for c, d in every]


def answered(operator: Operator, call: Call, change: Change) -> tuple[Call, CallOutcome]:
    (output,) = operator.outputs()
    with np.errstate(all="ignore"):
        made = np.asarray(change(call, call.expected[output.name].copy())).astype(DTYPES[call.dtype])
    buffer = next(a for a in call.args if isinstance(a, Buffer) and a.name == output.name)
    memory = buffer.memory.copy()
    moved = Buffer(output.name, memory, buffer.offset, buffer.extent, True, buffer.itemsize)
    buffers._elements(moved, call.case, output, call.dtype)[...] = made.view(f"u{buffer.itemsize}")
    after = {a.name: a.memory for a in call.args if isinstance(a, Buffer)} | {output.name: memory}
    return call, CallOutcome(CallReport(0, "cudaSuccess"), after)
