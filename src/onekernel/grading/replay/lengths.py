"""Wrong from a length on: right on every shorter input, whatever else it is, and wrong on nearly all others."""

from __future__ import annotations

import math
from collections.abc import Sequence

from onekernel.grading.buffers import Call
from onekernel.grading.replay.strides import is_right
from onekernel.messages import Message
from onekernel.ops.base import Operator
from onekernel.sandbox.supervisor import CallOutcome

COUNTED = ("cols", "n", "k")  # what a row, a vector or a sum has so many of: the first that the operator has
LEAST = 64  # elements, below which a kernel is right by chance
FEW = 3  # inputs on either side
MOST = 0.7  # of the longer ones: some show no mistake, as rows of one value


def from_length_on(operator: Operator, ran: Sequence[tuple[Call, CallOutcome]]) -> Message | None:
    """The sentence that tells up to which length the results are right; None where length does not divide them."""
    sizes = {p.name for p in operator.parameters if p.role == "size"}
    counted = "k" if "k" in sizes else next((name for name in COUNTED if name in sizes), None)
    if counted is None:
        return None
    lengths: dict[bool, list[int]] = {True: [], False: []}
    for call, outcome in ran:
        if math.prod(call.case.sizes.values()):
            lengths[is_right(operator, call, outcome)].append(call.case.sizes[counted])
    wrong = lengths[False]
    first = min(wrong, default=0)
    right, longer = ([n for n in lengths[True] if (n < first) is shorter] for shorter in (True, False))
    if min(len(right), len(wrong)) < FEW or max(right) < LEAST or len(wrong) < MOST * (len(wrong) + len(longer)):
        return None
    values = {"name": counted, "most": max(right), "least": first, "right": len(right), "inputs": len(wrong)}
    return Message("replay.from-length-on", {**values, "of": len(wrong) + len(longer)})
