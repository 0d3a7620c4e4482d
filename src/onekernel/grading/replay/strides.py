"""Row strides: a kernel that is right where rows follow one another, and wrong where they lie further apart.

Of several inputs it is told from memory which is addressed by whose stride: an assignment of strides explains a kernel
where the rows that it would read give the rows that it wrote, on every input that came out wrong, and where it changes
nothing on those that came out right.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations

import numpy as np

from onekernel.backends.base import Buffer
from onekernel.grading import buffers
from onekernel.grading.buffers import Call
from onekernel.grading.undefined import UNDEFINED
from onekernel.messages import Message
from onekernel.ops.base import DTYPES, Operator, Parameter
from onekernel.sandbox.supervisor import CallOutcome

UNKNOWN = "replay.stride-unknown"
COLS = "cols"
VECTOR = 16  # bytes, the most that a thread takes at once
BOUNDS = ("out-of-bounds-read", "out-of-bounds-write")
Assigned = Mapping[str, str]
"""By tensor whose stride it is addressed with: another tensor's, or COLS; its own where it is not in it."""


def stride_cause(operator: Operator, ran: Sequence[tuple[Call, CallOutcome]]) -> Message | None:
    """Which stride is used in whose place; None where something else is wrong, too, or nothing is."""
    strided = [p for p in operator.parameters if p.row_stride]
    one_matrix = [p.name for p in strided] == ["x", "y"] and len(operator.inputs()) == 1
    if len(strided) < 2:
        return None
    right: list[Call] = []
    wrong: list[tuple[Call, CallOutcome]] = []
    for call, outcome in ran:
        if not math.prod(call.case.sizes.values()):
            continue
        if call.case.sizes[strided[0].shape[0]] < 2:  # of one row there is no stride
            if not is_right(operator, call, outcome):
                return None
            continue
        if is_right(operator, call, outcome):
            right.append(call)
        else:
            wrong.append((call, outcome))
    kinds = {c.dtype for c, _ in wrong}  # a launcher of one type alone may hand on another order
    right = [c for c in right if c.dtype in kinds]
    close = [c for c in right if not any(c.case.gaps.values())]
    if not close or not wrong or not all(any(c.case.gaps.values()) for c, _ in wrong):
        return None
    apart = [c for c in right if any(c.case.gaps.values())]
    if all(_ends_within_a_vector(operator, c) for c, _ in wrong) and any(
        not _ends_within_a_vector(operator, c) for c in apart
    ):
        return Message("replay.stride-last-vector", {"inputs": len(wrong), "right": len(close)})
    if strided[0].name != "x":
        return Message("replay.stride-any", {"inputs": len(wrong), "right": len(close)})
    if all(_row_0_is_wrong(operator, c, o) for c, o in wrong):  # it begins where it should under any stride
        return Message("replay.stride-for-cols", {"inputs": len(wrong), "right": len(close)})
    values = {"inputs": len(wrong), "right": len(close)}
    if not one_matrix:
        found = _of_several(operator, right, wrong)
        return Message(found.key, {**found.values, **values}) if found else Message(UNKNOWN, values)
    which = _of_the_gaps(right, wrong) or _of_the_output(operator, wrong)
    return Message(f"replay.stride-{which}", values)


def _ends_within_a_vector(operator: Operator, call: Call) -> bool:
    """Whether each row of the inputs begins on 16 bytes, and some end within them."""
    each = VECTOR // DTYPES[call.dtype].itemsize
    inputs = [p for p in operator.inputs() if p.row_stride]
    on_vectors = not any(buffers.row_stride(call.case, p) % each for p in inputs)
    return on_vectors and any(buffers.shape(call.case, p)[-1] % each for p in inputs)


def is_right(operator: Operator, call: Call, outcome: CallOutcome) -> bool:
    """Whether the kernel came to its end and wrote what it must, and nothing else."""
    report = outcome.report
    if report is None or report.status:
        return False
    if any(f.severity == "error" and f.code not in UNDEFINED for f in report.findings):
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
    fitting, told = None, set()
    for call, outcome in wrong:
        cols = call.inputs["x"].shape[1]
        strides = {p.name: buffers.row_stride(call.case, p) for p in operator.parameters if p.row_stride}
        taken = {"cols": cols, "x": strides["x"], "y": strides["y"]}
        here = set()
        for read, write in (("cols", "cols"), ("x", "x"), ("y", "y"), ("y", "x"), ("x", "cols"), ("cols", "y")):
            fits = _written(operator, call, outcome, taken[read], taken[write])
            here |= {(read, write)} if fits is not False else set()
            told |= {(read, write)} if fits else set()
        fitting = here if fitting is None else fitting & here
    names = {("cols", "cols"): "both-cols", ("x", "x"): "y-of-x", ("y", "y"): "x-of-y", ("y", "x"): "swapped"}
    found = [names[pair] for pair in sorted((fitting or set()) & told) if pair in names]
    return found[0] if len(found) == 1 else "unknown"


def _written(operator: Operator, call: Call, outcome: CallOutcome, read: int, write: int) -> bool | None:
    """Whether the memory of y holds the softmax of rows that lie `read` apart, in rows that lie `write` apart. A row of
    which a part lies outside its tensor tells nothing; None where no other than the first lies inside."""
    if "y" not in outcome.after:
        return False
    buffer = {a.name: a for a in call.args if isinstance(a, Buffer)}
    kind = DTYPES[call.dtype]
    rows, cols = call.inputs["x"].shape
    with np.errstate(all="ignore"):
        source, out = (
            memory[buffer[name].offset :][: buffer[name].extent].view(kind).astype(np.float64)
            for name, memory in (("x", buffer["x"].memory), ("y", outcome.after["y"]))
        )
        inside = 0
        for row in range(rows - 1, -1, -1):  # rows that overlap: the last that is written stays
            x, y = source[row * read :][:cols], out[row * write :][:cols]
            if len(x) < cols or len(y) < cols:
                continue
            inside = max(inside, row)
            want = operator.oracle({"x": x[None]})["y"][0]
            at = np.arange(cols)
            seen = ((row == rows - 1) | (at < write)) & _in_a_row(call, "y", row * write + at)
            if not np.allclose(y[seen], want[seen], rtol=1e-2, atol=1e-6, equal_nan=True):
                return False
    return True if inside else None


def _in_a_row(call: Call, name: str, at: np.ndarray) -> np.ndarray:
    """Which places of a tensor are a row's and not a gap's, where a store may have been kept from being made."""
    cols = call.case.sizes[COLS]
    return np.asarray(at % (cols + call.case.gaps.get(name, 0)) < cols)


def _of_several(operator: Operator, right: Sequence[Call], wrong: Sequence[tuple[Call, CallOutcome]]) -> Message | None:
    """The one assignment of strides that explains all, of the fewest tensors; None where none does, or more."""
    names = [p.name for p in operator.parameters if p.row_stride]
    found = [
        (len(assigned), told)
        for assigned, told in _assignments(names)
        if all(_taken(operator, call, assigned) == _own(operator, call) for call in right)
        and _all_explained([_explains(operator, call, outcome, assigned) for call, outcome in wrong])
    ]
    fewest = min((tensors for tensors, _ in found), default=0)
    simple = [told for tensors, told in found if tensors == fewest]
    return simple[0] if len(simple) == 1 else None


def _all_explained(each: Sequence[bool | None]) -> bool:
    return all(one is not False for one in each) and any(each)


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


def _explains(operator: Operator, call: Call, outcome: CallOutcome, assigned: Assigned) -> bool | None:
    """Whether the output's memory holds what comes of the rows that these strides lead to. A row of which a part lies
    outside its tensor tells nothing; None where no other than the first lies inside."""
    (output,) = operator.outputs()
    taken = _taken(operator, call, assigned)
    if output.name not in outcome.after or taken == _own(operator, call):
        return False
    buffer = {a.name: a for a in call.args if isinstance(a, Buffer)}
    kind, (rows, cols) = DTYPES[call.dtype], call.expected[output.name].shape
    read, beyond = {}, set()
    inside, kept = np.ones(rows, dtype=bool), np.ones((rows, cols), dtype=bool)
    for name, stride in taken.items():
        memory = outcome.after[name] if name == output.name else buffer[name].memory
        flat = memory[buffer[name].offset :][: buffer[name].extent].view(kind)
        at = np.arange(rows)[:, None] * stride + np.arange(cols)
        inside &= at[:, -1] < flat.size
        beyond |= {name} if at[-1, -1] >= flat.size else set()
        read[name] = flat[np.minimum(at, flat.size - 1)]
        kept = _in_a_row(call, name, at) if name == output.name else kept
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
    fits = bool((near | ~seen | ~kept)[inside].all())
    return fits if inside[1:].any() or not fits else None


def _reported(outcome: CallOutcome) -> set[str]:
    """The tensors outside of which the kernel was seen to read or write."""
    findings = outcome.report.findings if outcome.report else ()
    values = [f.message.values for f in findings if f.code in BOUNDS]
    return {str(v.get("variable") or v.get("name")) for v in values}


def written_cause(operator: Operator, ran: Sequence[tuple[Call, CallOutcome]]) -> Message | None:
    """Of a matrix product, by what C's rows lie apart where they are written, and read, in the place of ldc: the one
    number of a call that explains all that came out wrong, and that is ldc in all that came out right."""
    left, told = set(_OF_C), Counter[str]()
    if "k" not in {p.name for p in operator.parameters}:
        return None
    for call, outcome in ran:
        if not math.prod(call.case.sizes.values()):
            continue
        right, own = is_right(operator, call, outcome), buffers.row_stride(call.case, _parameter(operator, "c"))
        for name in [*left]:
            stride = _OF_C[name](operator, call)
            same = stride == own or call.case.sizes["m"] == 1
            fits = right if same else not right and _holds_product(call, outcome, stride)
            left -= {name} if fits is False else set()
            told[name] += bool(fits) and not same
    found = [name for name in left if told[name] >= FEW]
    return Message(f"replay.gemm-ldc-{found[0]}", {"inputs": told[found[0]]}) if len(found) == 1 else None


FEW = 3  # inputs that show by what rows lie apart
_OF_C: Mapping[str, Callable[[Operator, Call], int]] = {
    "lda": lambda operator, call: buffers.row_stride(call.case, _parameter(operator, "a")),
    "ldb": lambda operator, call: buffers.row_stride(call.case, _parameter(operator, "b")),
    **{size: partial(lambda size, _, call: int(call.case.sizes[size]), size) for size in ("n", "m", "k")},
}


def _parameter(operator: Operator, name: str) -> Parameter:
    return next(p for p in operator.parameters if p.name == name)


def _holds_product(call: Call, outcome: CallOutcome, stride: int) -> bool | None:
    """Whether C's memory holds the rows of the product that many elements apart, wherever these lie in a row of C; None
    where no other than the first does, or where rows overlap."""
    (m, n), beta = call.expected["c"].shape, float(call.inputs["beta"])
    if "c" not in outcome.after or stride < n:
        return None
    (buffer,) = (a for a in call.args if isinstance(a, Buffer) and a.name == "c")
    kind, inside = DTYPES[call.dtype], slice(buffer.offset, buffer.offset + buffer.extent)
    before, after = (memory[inside].view(kind) for memory in (buffer.memory, outcome.after["c"]))
    at = np.arange(m)[:, None] * stride + np.arange(n)
    kept = (at < after.size) & (at % (n + call.case.gaps.get("c", 0)) < n)
    at = np.minimum(at, after.size - 1)
    b = call.inputs["b"].T if call.inputs["transpose_b"] else call.inputs["b"]
    with np.errstate(all="ignore"):
        want = float(call.inputs["alpha"]) * (call.inputs["a"] @ b)
        want = want + beta * before[at].astype(np.float64) if beta else want
        size = np.abs(want[np.isfinite(want)]).max(initial=0.0)
        near = np.isclose(after[at].astype(np.float64), want, rtol=1e-2, atol=1e-3 * size, equal_nan=True)
    return False if not near[kept].all() else True if kept[1:].any() else None
