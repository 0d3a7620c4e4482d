"""Row strides of an operator of several inputs: which tensor is addressed by whose.

Told from memory: an assignment of strides explains a kernel where the rows that it would read give the rows that it
wrote, on every input that came out wrong, and where it changes nothing on those that came out right.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np

from onekernel.backends.base import Buffer
from onekernel.grading import buffers
from onekernel.grading.buffers import Call
from onekernel.messages import Message
from onekernel.ops.base import DTYPES, Operator
from onekernel.sandbox.supervisor import CallOutcome

COLS = "cols"
BOUNDS = ("out-of-bounds-read", "out-of-bounds-write")
Assigned = Mapping[str, str]
"""By tensor whose stride it is addressed with: another tensor's, or COLS; its own where it is not in it."""


def of_several(operator: Operator, right: Sequence[Call], wrong: Sequence[tuple[Call, CallOutcome]]) -> Message | None:
    """The one assignment of strides that explains all, of the fewest tensors; None where none does, or more."""
    names = [p.name for p in operator.parameters if p.row_stride]
    found = [
        (len(assigned), told)
        for assigned, told in _assignments(names)
        if all(_taken(operator, call, assigned) == _own(operator, call) for call in right)
        and all(_explains(operator, call, outcome, assigned) for call, outcome in wrong)
    ]
    fewest = min((tensors for tensors, _ in found), default=0)
    simple = [told for tensors, told in found if tensors == fewest]
    return simple[0] if len(simple) == 1 else None


def _assignments(names: Sequence[str]) -> Iterator[tuple[Assigned, Message]]:
    for name in names:
        for of in names:
            if of != name:
                yield {name: of}, Message("replay.stride-of-another", {"name": name, "of": of})
        yield {name: COLS}, Message("replay.stride-one-cols", {"name": name})
    for one, other in combinations(names, 2):
        yield {one: other, other: one}, Message("replay.stride-two-swapped", {"one": one, "other": other})
    for of in names:
        yield {name: of for name in names if name != of}, Message("replay.stride-all-of", {"of": of})
    yield dict.fromkeys(names, COLS), Message("replay.stride-all-cols")


def _own(operator: Operator, call: Call) -> dict[str, int]:
    return {p.name: buffers.row_stride(call.case, p) for p in operator.parameters if p.row_stride}


def _taken(operator: Operator, call: Call, assigned: Assigned) -> dict[str, int]:
    own = _own(operator, call)
    named = own | {COLS: call.case.sizes[COLS]}
    return {name: named[assigned.get(name, name)] for name in own}


def _explains(operator: Operator, call: Call, outcome: CallOutcome, assigned: Assigned) -> bool:
    """Whether the output's memory holds what comes of the rows that these strides lead to. A row of which a part lies
    outside its tensor tells nothing; another one than the first must be there."""
    (output,) = operator.outputs()
    taken = _taken(operator, call, assigned)
    if output.name not in outcome.after or taken == _own(operator, call):
        return False
    buffer = {a.name: a for a in call.args if isinstance(a, Buffer)}
    kind, (rows, cols) = DTYPES[call.dtype], call.expected[output.name].shape
    read, beyond = {}, set()
    inside = np.ones(rows, dtype=bool)
    for name, stride in taken.items():
        memory = outcome.after[name] if name == output.name else buffer[name].memory
        flat = memory[buffer[name].offset :][: buffer[name].extent].view(kind)
        at = np.arange(rows)[:, None] * stride + np.arange(cols)
        inside &= at[:, -1] < flat.size
        beyond |= {name} if at[-1, -1] >= flat.size else set()
        read[name] = flat[np.minimum(at, flat.size - 1)]
    reported = _reported(outcome)  # of several tensors the first alone, perhaps
    if not reported <= beyond or bool(reported) != bool(beyond):
        return False
    stored = read.pop(output.name)
    written = stored.view(f"u{kind.itemsize}") != call.poison[output.name]
    with np.errstate(all="ignore"):  # what lies between rows is a signalling NaN
        wide = {name: values.astype(np.float64) for name, values in read.items()}
        got, want = stored.astype(np.float64), operator.oracle({**call.inputs, **wide})[output.name]
        near = written & np.isclose(got, want, rtol=1e-2, atol=1e-6, equal_nan=True)
    seen = np.arange(cols) < np.where(np.arange(rows) < rows - 1, taken[output.name], cols)[:, None]  # rows may overlap
    return bool(inside[1:].any() and (near | ~seen)[inside].all())


def _reported(outcome: CallOutcome) -> set[str]:
    """The tensors outside of which the kernel was seen to read or write."""
    findings = outcome.report.findings if outcome.report else ()
    values = [f.message.values for f in findings if f.code in BOUNDS]
    return {str(v.get("variable") or v.get("name")) for v in values}
