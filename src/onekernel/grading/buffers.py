"""A case becomes buffers of bytes, and buffers of bytes become a judgement. The trusted side's half of every call.

Every byte of an allocation that is not an input value is poison: a signalling NaN whose payload is drawn anew for
each buffer. Arithmetic never produces a signalling NaN (IEEE 754-2019, 6.2), so an output element that still holds it
was not written, a guard or a row gap that lost it was written, and a read outside of a tensor makes a result NaN.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from onekernel.backends.base import Arg, Buffer, Scalar
from onekernel.counts import KernelCounts
from onekernel.messages import Message
from onekernel.ops.base import ELEMENTS, SCALARS, SUFFIXES, Arrays, Case, Mismatch, Operator, Parameter
from onekernel.ways import RETURNED

GUARD_BYTES = 4096
WARP = 32  # a block of any size that is used has a multiple of it
_POISON = {  # element type: (unsigned type, exponent all ones and quiet bit clear, payload bits)
    "float32": (np.uint32, 0x7F800000, 0x3FFFFF),
    "float16": (np.uint16, 0x7C00, 0x1FF),
    "bfloat16": (np.uint16, 0x7F80, 0x3F),
    "int32": (np.uint32, 0x7F800000, 0x3FFFFF),  # a number above 2^31 - 2^23, which no exercise computes
}


@dataclass
class Call:
    """One call of a launcher: the arguments as bytes, what the trusted side remembers of them, the right answer."""

    case: Case
    dtype: str
    function: str
    args: list[Arg]
    before: dict[str, np.ndarray]
    poison: dict[str, int]
    inputs: Arrays  # float64, as rounded to the element type
    expected: Arrays  # float64; of a declared operator empty until the answer was asked
    counts: Sequence[KernelCounts] = ()  # what the course's own answer did in this call, where it was asked


@dataclass(frozen=True)
class Fault:
    """One thing wrong with the bytes that came back."""

    kind: str  # "guard", "unwritten", "input", "values", "nan", "row-sum"
    message: Message
    at: np.ndarray = field(default_factory=lambda: np.empty((0, 0), np.int64))  # of unwritten elements, their indices


def make(operator: Operator, slug: str, case: Case, dtype: str, seed: int, draw: int = 0) -> Call:
    """Draws the inputs of `case` from `seed` and lays out its buffers. The same arguments give the same bytes."""
    rng = np.random.default_rng([seed, zlib.crc32(f"{case.name}/{dtype}".encode()), draw])
    with np.errstate(over="ignore"):
        types = {p.name: ELEMENTS[p.dtype or dtype] for p in operator.parameters}
        narrow = {k: v.astype(types[k]) for k, v in case.fill(rng, case.sizes).items()}
    inputs = {k: v.astype(np.float64) for k, v in narrow.items()}
    scalars = {k: Scalar(k, v if isinstance(v, int) else float(np.float32(v))) for k, v in case.scalars.items()}
    inputs |= {k: np.array(s.value, np.float64) for k, s in scalars.items()}
    call = Call(case, dtype, slug + SUFFIXES[dtype], [], {}, {}, inputs, operator.oracle(inputs))
    strides = {p.row_stride: row_stride(case, p) for p in operator.parameters if p.row_stride}
    for p in operator.parameters:
        if p.role == "size":
            call.args.append(strides[p.name] if p.name in strides else case.sizes[p.name])
            continue
        if p.role in SCALARS:
            if case.way != RETURNED or scalars[p.name].value != p.default:
                call.args.append(scalars[p.name])
            continue
        buffer, call.poison[p.name] = _buffer(case, p, dtype, rng)
        if operator.declared:
            buffer.shape, buffer.dtype = shape(case, p), p.dtype
        elif len({q.shape for q in operator.parameters if q.shape}) > 1:  # not all of one shape: the sizes do not say
            buffer.shape, buffer.row_stride = shape(case, p), row_stride(case, p)
        if p.name in narrow:
            buffer.filled = True
            _elements(buffer, case, p, dtype)[...] = narrow[p.name].view(_POISON[p.dtype or dtype][0])
        call.before[p.name] = buffer.memory.copy()
        call.args.append(buffer)
    return call


def content(call: Call, p: Parameter, memory: np.ndarray) -> np.ndarray:
    """The output tensor in the memory that came back, in float64, without what lies between its rows."""
    buffer = next(a for a in call.args if isinstance(a, Buffer) and a.name == p.name)
    moved = Buffer(p.name, memory, buffer.offset, buffer.extent, True, buffer.itemsize)
    bits = np.array(_elements(moved, call.case, p, call.dtype))
    with np.errstate(all="ignore"):  # garbage may hold signalling NaN
        return np.asarray(bits.view(ELEMENTS[p.dtype or call.dtype]).astype(np.float64))


def judge(operator: Operator, call: Call, after: dict[str, np.ndarray]) -> Fault | None:
    """The first thing wrong with the buffers `after` the call, most telling first; None where all is right."""
    for p in operator.parameters:
        if p.role == "in" and not np.array_equal(call.before[p.name], after[p.name]):
            return Fault("input", Message("grading.input-changed", {"name": p.name}))
    for p in operator.outputs():
        fault = _judge_output(operator, call, p, after[p.name])
        if fault:
            return fault
    return None


def _judge_output(operator: Operator, call: Call, p: Parameter, memory: np.ndarray) -> Fault | None:
    buffer = next(a for a in call.args if isinstance(a, Buffer) and a.name == p.name)
    moved = Buffer(p.name, memory.copy(), buffer.offset, buffer.extent, True, buffer.itemsize)
    bits = _elements(moved, call.case, p, call.dtype)
    written = np.array(bits)
    held = Buffer(p.name, call.before[p.name], buffer.offset, buffer.extent, True, buffer.itemsize)
    bits[...] = _elements(held, call.case, p, call.dtype)  # with what it held put back, all must be as it was
    strays = np.flatnonzero(moved.memory != call.before[p.name])
    if strays.size:
        element = int((int(strays[0]) - buffer.offset) // buffer.itemsize)
        return Fault("guard", Message("grading.guard-written", {"name": p.name, "element": element}))
    unwritten = np.argwhere(written == call.poison[p.name])
    if len(unwritten):
        return Fault("unwritten", _unwritten(p.name, unwritten, written.shape), unwritten)
    with np.errstate(all="ignore"):  # garbage may hold signalling NaN, infinities, numbers beyond any ratio
        got = written.view(ELEMENTS[p.dtype or call.dtype]).astype(np.float64)
        found = operator.compare(got, call.expected[p.name], call.dtype, call.inputs)
    return None if found is None else Fault(found.kind, _describe(p.name, found))


def _unwritten(name: str, at: np.ndarray, shape: tuple[int, ...]) -> Message:
    """How many elements were never written, and which, where they have something in common: all, the last ones of the
    tensor or of each row, whole rows at the end."""
    count, total = len(at), int(np.prod(shape))
    told = Message("grading.unwritten", {"name": name, "count": count, "total": total, "index": _index(at[0])})
    first = int(at[:, -1].min())
    values: dict[str, object] = {"name": name, "first": first, "cols": shape[-1], "count": count}
    if count == total:
        which = "all"
    elif len(shape) == 1 and count == total - first:
        some = "last" if count == 1 else "rest" if count == total % 4 else "from"
        which = some if first % WARP else "tail"
    elif len(shape) == 1:
        which = "holes" if at.any() or count > 1 else "first"
    elif len(shape) == 2 and count == shape[0] * (shape[1] - first):
        which = "columns"
    elif len(shape) == 2 and count == (shape[0] - int(at[0, 0])) * shape[1]:
        which, values["first"] = "rows", int(at[0, 0])
    elif len(shape) == 2 and count == shape[1] * len(np.unique(at[:, 0])):
        which, values["first"] = "some-rows", int(at[0, 0])
    elif len(shape) == 2 and count == shape[0] * len(np.unique(at[:, 1])):
        which = "some-columns"
    else:
        return told
    return Message("grading.both", {"first": told, "second": Message(f"grading.unwritten-{which}", values)})


def _describe(name: str, m: Mismatch) -> Message:
    values = {
        "name": name,
        "count": m.count,
        "total": m.total,
        "index": _index(m.index),
        "got": float(m.got),
        "want": float(m.want),
        "error": float(m.error),
        "limit": float(m.limit),
    }
    kind = m.kind
    if kind == "nan":
        values |= {"made": m.count - m.lost, "lost": m.lost}
        none, all_ = not m.lost, m.lost == m.count
        kind = ("nan-all" if 1 < m.count == m.total else "nan") if none else "nan-lost" if all_ else "nan-both"
    told = Message(f"grading.{kind}", values)
    return told if m.note is None else Message("grading.both", {"first": told, "second": m.note})


def _index(index: Sequence[int]) -> str:
    return ", ".join(str(int(i)) for i in index)


def shape(case: Case, p: Parameter) -> tuple[int, ...]:
    """The dimensions of a tensor of a case."""
    return p.dims(case.sizes, case.scalars)


def row_stride(case: Case, p: Parameter) -> int:
    """The elements from the start of a row of a tensor to that of the next."""
    return shape(case, p)[-1] + case.gaps.get(p.name, 0)


def _buffer(case: Case, p: Parameter, dtype: str, rng: np.random.Generator) -> tuple[Buffer, int]:
    """An allocation full of poison, and the poison."""
    unsigned, exponent, payload = _POISON[p.dtype or dtype]
    itemsize = np.dtype(unsigned).itemsize
    dims = shape(case, p)
    elements = 0 if 0 in dims else int(np.prod(dims[:-1]) - 1) * row_stride(case, p) + dims[-1]
    offset = GUARD_BYTES + (case.shift + case.apart.get(p.name, 0)) * itemsize
    poison = exponent | int(rng.integers(1, payload + 1))
    words = (offset + elements * itemsize + GUARD_BYTES) // itemsize
    memory = np.full(words, poison, unsigned).view(np.uint8)
    return Buffer(p.name, memory, offset, elements * itemsize, p.written, itemsize), poison


def _elements(buffer: Buffer, case: Case, p: Parameter, dtype: str) -> np.ndarray:
    """The tensor's elements in the buffer, as a view of unsigned integers of the tensor's shape."""
    dims = shape(case, p)
    unsigned = np.dtype(_POISON[p.dtype or dtype][0])
    if 0 in dims:
        return np.empty(dims, unsigned)
    flat = buffer.memory[buffer.offset : buffer.offset + buffer.extent].view(unsigned)
    strides = (row_stride(case, p) * unsigned.itemsize, unsigned.itemsize)[-len(dims) :]
    return np.lib.stride_tricks.as_strided(flat, dims, strides, writeable=True)
