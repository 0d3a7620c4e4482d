"""Tensors of more elements than 32 bits count: what a launcher is given, and what can be told of its answer.

An input repeats a pattern whose length is no power of two, so that an index cut to 32 bits finds another value. On the
simulator some blocks of a launch run, the first and the last among them. What those wrote must be right; they must have
written as much as such a share of all blocks owes; and no stretch of the answer may be left out by all of them. Of a
block that is too long to be waited for, its threads that have ended tell its share, and it must have gone on to what
nobody had touched. Where blocks leave each other words, some tensor at least must be gone through.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from math import prod

import numpy as np

from onekernel.backends.base import Arg, Scalar, Sparse
from onekernel.counts import KernelCounts
from onekernel.grading.buffers import Call, row_stride, shape
from onekernel.messages import Message
from onekernel.ops import Case, Operator, Parameter
from onekernel.ops.base import DTYPES, SCALARS, SUFFIXES, Arrays
from onekernel.sandbox.supervisor import CallOutcome

PERIOD_BYTES = 4096 * 61  # pages times a prime: drawing numbers is what the grader does longest
BINS, STRETCHES = 64, 16
ENOUGH = 0.5  # of what the sampled blocks owe by their number: blocks may have unlike shares
SUM = 0.01  # relative, of four billion positive terms: a serial sum of each thread errs by less
CAPS = {65_535, 65_536}  # blocks in one direction of a grid: what is taken for the most that there may be
MOST_ELEMENTS = 1 << 24  # of each tensor in float64 that the grader holds beside an answer
LEAST_RAN = 16  # blocks that came to their end, before a stretch may be missed
LEAST_PIECES = 2 * STRETCHES  # that they wrote: of a grid for single elements, vectors leave most blocks nothing to do


def make(operator: Operator, slug: str, case: Case, dtype: str, seed: int) -> Call:
    """A call whose tensors are sparse."""
    rng = np.random.default_rng([seed, zlib.crc32(f"{case.name}/{dtype}".encode())])
    call = Call(case, dtype, slug + SUFFIXES[dtype], [], {}, {}, {}, {})
    draw = int(rng.integers(1 << 63))
    for p in operator.parameters:
        call.args.append(_argument(operator, case, p, dtype, rng, draw))
    return call


def _argument(operator: Operator, case: Case, p: Parameter, dtype: str, rng: np.random.Generator, draw: int) -> Arg:
    strides = {q.row_stride: row_stride(case, q) for q in operator.parameters if q.row_stride}
    if p.role == "size":
        return strides[p.name] if p.name in strides else case.sizes[p.name]
    if p.role in SCALARS:
        return Scalar(p.name, case.scalars[p.name])
    item = DTYPES[dtype].itemsize
    dims = shape(case, p)
    elements = (prod(dims[:-1]) - 1) * row_stride(case, p) + dims[-1]
    pattern = np.zeros(0, np.uint8)
    if p.role == "in":
        values = rng.standard_normal(PERIOD_BYTES // item)
        if _sums(operator, case):
            values = 0.5 + rng.random(PERIOD_BYTES // item)  # what is left out shows in the sum
        pattern = values.astype(DTYPES[dtype]).view(np.uint8)
    return Sparse(p.name, elements * item, p.written, item, dims[-1], row_stride(case, p), pattern, draw)


def judge_whole(operator: Operator, call: Call, outcome: CallOutcome) -> tuple[str, Message] | None:
    """As `judge`, of a call whose blocks have all run, on a GPU. A device that had no room has nothing to look at."""
    judged = _sum if _sums(operator, call.case) else _values
    written = ((p, outcome.touched[p.name]) for p in operator.outputs())
    return next((found for p, got in written if len(got.runs) and (found := judged(operator, call, p, got))), None)


def judge(operator: Operator, call: Call, outcome: CallOutcome) -> tuple[str, Message] | None:
    """A code and a sentence for what is wrong with the answer; None where nothing is."""
    kernels = outcome.report.kernels if outcome.report else ()
    if not kernels:
        return "no-kernel", Message("grading.no-kernel", {"function": call.function})
    partly = any(k.extra.get("ran") != prod(k.grid) for k in kernels)
    sums = _sums(operator, call.case)
    # Of blocks that leave each other words, what came of some of them says nothing.
    talks = not sums and any(k.extra.get("blind") or (partly and k.extra.get("talks")) for k in kernels)
    found = None if (partly and sums) or talks else judge_whole(operator, call, outcome)
    if found:
        return found[0], _of_rows_in_turn(operator, call, found[1], kernels)
    if any(k.extra.get("goes_round") for k in kernels):
        return "wraps", Message("grading.sparse-goes-round")
    if any(k.extra.get("stands") for k in kernels):
        return "wraps", Message("grading.sparse-stands")
    return _goes_through(operator, call, kernels) if talks else _coverage(operator, call, outcome, kernels, sums)


def judge_begun(operator: Operator, call: Call, outcome: CallOutcome) -> tuple[str, Message] | None:
    """As `judge`, of a call that was stopped: so few blocks may do all the work that their turns cannot be waited for.
    What they wrote until then is right."""
    kernels = outcome.report.kernels if outcome.report else ()
    if any(k.extra.get("stands") for k in kernels):
        return "wraps", Message("grading.sparse-stands")
    sums, talks = _sums(operator, call.case), any(k.extra.get("talks") or k.extra.get("blind") for k in kernels)
    found = None if sums or talks else judge_whole(operator, call, outcome)
    if found or len(kernels) != 1:  # what later launches were to touch nobody knows
        return found
    return _goes_through(operator, call, kernels) if talks else _coverage(operator, call, outcome, kernels, sums)


def _values(operator: Operator, call: Call, p: Parameter, got: Sparse) -> tuple[str, Message] | None:
    """Every row of which something was written, or every element of a vector, beside the oracle's."""
    dtype, stride = DTYPES[call.dtype], row_stride(call.case, p)
    dims = shape(call.case, p)
    starts, lengths = (got.runs[:, i].astype(np.int64) // got.itemsize for i in (0, 1))
    within = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    at = np.repeat(starts, lengths) + within
    row, col = (at // stride, at % stride) if len(dims) > 1 else (at, np.zeros_like(at))
    if len(dims) > 1 and (col >= dims[1]).any():
        return "guard", Message("grading.guard-written", {"name": p.name, "element": int(at[col >= dims[1]][0])})
    rows = _looked_at(operator, call, np.unique(row))
    kept = np.isin(row, rows)
    row, col = row[kept], col[kept]
    of = np.searchsorted(rows, row)
    inputs = _inputs(operator, call, p, rows)
    want = operator.oracle(inputs)[p.name]
    have = want.astype(dtype).astype(np.float64)  # what no sampled block wrote is taken as right: other blocks write it
    have[(of, col) if len(dims) > 1 else of] = got.data.view(dtype)[kept].astype(np.float64)
    found = operator.compare(have, want, call.dtype, inputs)
    if found is None:
        return None
    where = (int(rows[found.index[0]]), *found.index[1:])
    facts = {"name": p.name, "index": ", ".join(map(str, where)), "got": found.got, "want": found.want}
    strides = [row_stride(call.case, q) for q in operator.parameters if q.shape and q.shape[0] == p.shape[0]]
    near = where[0] < 1 << 31 if len(dims) == 1 else (where[0] + 1) * max(strides) < 1 << 31
    if not near and len(dims) > 1:
        far = [q for q in operator.parameters if q.row_stride and _span(call, q) >= 1 << 31]
        facts |= {"tensors": ", ".join(q.name for q in far), "stride": far[0].row_stride}
        return "values", Message("grading.sparse-values-row", facts)
    return "values", Message(f"grading.sparse-values{'-near' if near else ''}", facts)


def _of_rows_in_turn(operator: Operator, call: Call, told: Message, kernels: Sequence[KernelCounts]) -> Message:
    """The message; of a wrong value near a tensor's beginning, that its block has computed another row before it, where
    there are fewer blocks than rows; or, where no tensor has so many elements, nothing about 32 bits."""
    if told.key != "grading.sparse-values-near":
        return told
    p = next(q for q in operator.outputs() if q.name == told.values["name"])
    row, rows = int(str(told.values["index"]).partition(",")[0]), shape(call.case, p)[0]
    blocks = max(prod(k.grid) for k in kernels)
    if blocks <= row and not any(call.case.gaps.values()):
        return Message("grading.sparse-values-in-turn", {**told.values, "blocks": blocks, "rows": rows})
    if all(_span(call, q) < 1 << 31 for q in operator.parameters if q.row_stride):
        return Message("grading.sparse-values-many", {**told.values, "rows": rows})
    return told


def _looked_at(operator: Operator, call: Call, rows: np.ndarray) -> np.ndarray:
    """Of the rows that were written, as many as the grader has room for, the first and the last among them: a
    submission writes as much as it likes."""
    widest = max(shape(call.case, q)[-1] if len(q.shape) > 1 else 1 for q in operator.parameters if q.shape)
    most = max(2, MOST_ELEMENTS // widest)
    return rows if len(rows) <= most else rows[np.linspace(0, len(rows) - 1, most).astype(np.int64)]


def _span(call: Call, p: Parameter) -> int:
    """From a matrix's first element to its last."""
    rows, cols = shape(call.case, p)
    return (rows - 1) * row_stride(call.case, p) + cols


def _inputs(operator: Operator, call: Call, p: Parameter, rows: np.ndarray) -> Arrays:
    """What those rows of an output are computed from: the same rows of an input that has them, all of another one."""
    given: Arrays = {a.name: np.array(a.value, np.float64) for a in call.args if isinstance(a, Scalar)}
    for q in operator.inputs():
        dims = shape(call.case, q)
        mine = rows if q.shape[0] == p.shape[0] and len(q.shape) == len(p.shape) else np.arange(dims[0])
        index = mine if len(dims) == 1 else mine[:, None] * row_stride(call.case, q) + np.arange(dims[1])
        given[q.name] = _elements(call, q, index)
    return given


def _elements(call: Call, p: Parameter, index: np.ndarray) -> np.ndarray:
    """An input's values at those elements, in float64."""
    (pattern,) = (a.pattern for a in call.args if isinstance(a, Sparse) and a.name == p.name)
    values = pattern.view(DTYPES[call.dtype])
    return np.asarray(values[index % values.size].astype(np.float64))


def _sums(operator: Operator, case: Case) -> bool:
    """Whether the answer is one number."""
    return all(shape(case, p) == (1,) for p in operator.outputs())


def _sum(operator: Operator, call: Call, p: Parameter, got: Sparse) -> tuple[str, Message] | None:
    """A sum over all elements, beside that of the patterns: as many whole ones as fit, and the beginning of another."""
    n = prod(shape(call.case, operator.inputs()[0]))
    period = PERIOD_BYTES // got.itemsize
    inputs = ({q.name: _elements(call, q, np.arange(m)) for q in operator.inputs()} for m in (period, n % period))
    whole, rest = (float(operator.oracle(some)[p.name][0]) for some in inputs)
    want, value = whole * (n // period) + rest, float(got.data.view(DTYPES[call.dtype])[0])
    if abs(value - want) <= SUM * abs(want):
        return None
    return "values", Message("grading.sparse-sum", {"name": p.name, "total": n, "got": value, "want": want})


def _coverage(
    operator: Operator, call: Call, outcome: CallOutcome, kernels: Sequence[KernelCounts], sums: bool
) -> tuple[str, Message] | None:
    watched = operator.inputs() if sums else operator.outputs()
    for p in watched:
        tensor, total = outcome.touched[p.name], prod(shape(call.case, p))
        done, whole = 0, True
        for kernel in kernels:
            blocks, ran = prod(kernel.grid), int(kernel.extra.get("ran", 0))
            done += ran if any(b.name == p.name for b in kernel.buffers) else 0
            whole &= ran == blocks
        estimated = _estimated(p.name, total, tensor.itemsize, kernels, sums)
        facts, verb = {"name": p.name, "total": total}, f"grading.sparse-{'read' if sums else 'write'}"
        capped = next((k for k in kernels if CAPS & {*k.grid} and any(b.name == p.name for b in k.buffers)), None)
        if estimated is not None and estimated < (1.0 if whole else ENOUGH) * total:
            share = {**facts, "what": Message(verb), "share": 100 * estimated / total}
            told = _capped(capped, share) if capped else Message("grading.sparse-too-little", share)
            return "covers-too-little", told
        if not sums and (end := _end(call, p, tensor, kernels)) is not None:
            if capped:
                share = {**facts, "what": Message(verb), "share": 100 * end / (tensor.span // tensor.itemsize)}
                return "leaves-out", _capped(capped, share)
            values = {**facts, "first": end, "last": total - 1}
            return "leaves-out", Message("grading.sparse-end-missing", values)
        exhausted = any(k.extra.get("exhausted") for k in kernels)
        enough = done >= LEAST_RAN and (sums or len(tensor.runs) >= LEAST_PIECES)
        if not exhausted and enough and (missed := _missed(call, p, tensor)) is not None:
            values = {**facts, "what": Message(f"{verb}s"), "first": missed[0], "last": missed[1]}
            return "leaves-out", Message("grading.sparse-leaves-out", values)
    return None


def _estimated(
    name: str, total: int, itemsize: int, kernels: Sequence[KernelCounts], loaded: bool
) -> float | None:
    """The elements of a tensor that all blocks of the launches touch, if they are as those that have run; None where
    none of a launch's has told its share. Where some have come to their end, one that was abandoned without a word, and
    had had more to do than those, is taken to have an even share."""
    estimated = 0.0
    for kernel in kernels:
        blocks = prod(kernel.grid)
        ran, told, heavier = (int(kernel.extra.get(key, 0)) for key in ("ran", "told", "heavier"))
        traffic = [b for b in kernel.buffers if b.name == name]
        if not ran + told:
            if traffic or kernel.extra.get("exhausted"):
                return None
            continue
        touched = sum(b.loaded if loaded else b.stored for b in traffic) / itemsize
        untold = heavier if ran else 0
        touched += untold * total / blocks
        estimated += touched / (ran + told + untold) * blocks
    return estimated if kernels else None


def _goes_through(operator: Operator, call: Call, kernels: Sequence[KernelCounts]) -> tuple[str, Message] | None:
    """What is wrong where no tensor is gone through, by blocks that leave each other words."""
    least: tuple[float, Parameter, bool] | None = None
    for p in (q for q in operator.parameters if q.shape):
        total = prod(shape(call.case, p))
        for loaded in (False, True):
            estimated = _estimated(p.name, total, DTYPES[call.dtype].itemsize, kernels, loaded)
            if estimated is None or estimated >= ENOUGH * total:
                return None
            if least is None or estimated / total > least[0]:
                least = estimated / total, p, loaded
    if least is None:
        return None
    share, p, loaded = least
    verb = Message(f"grading.sparse-{'read' if loaded else 'write'}")
    facts = {"name": p.name, "total": prod(shape(call.case, p)), "what": verb, "share": 100 * share}
    return "covers-too-little", Message("grading.sparse-too-little", facts)


def _capped(kernel: KernelCounts, facts: Mapping[str, object]) -> Message:
    """What is said of a launch that has as many blocks as a grid may have in y and z, or programs."""
    programs = kernel.source == "interpreter"
    axis = next(i for i, blocks in enumerate(kernel.grid) if blocks in CAPS)
    values = {**facts, "blocks": prod(kernel.grid), "axis": axis if programs else "xyz"[axis]}
    return Message(f"grading.sparse-capped{'-programs' if programs else ''}", values)


def _end(call: Call, p: Parameter, tensor: Sparse, kernels: Sequence[KernelCounts]) -> int | None:
    """The first element behind the last block's, where each block writes as many, in their order, and some are left."""
    writers = [k for k in kernels if any(b.name == p.name and b.stored for b in k.buffers)]
    if len(writers) != 1 or not _dense(call, p) or not len(tensor.runs):
        return None
    blocks, ran = prod(writers[0].grid), int(writers[0].extra.get("ran", 0))
    starts, lengths = (tensor.runs[:, i].astype(np.int64) for i in (0, 1))
    share, rest = divmod(int(lengths.sum()), max(ran, 1))
    end = blocks * share
    if rest or not 0 < end < tensor.span or (starts % share).any() or (lengths % share).any():
        return None
    return end // tensor.itemsize if int((starts + lengths).max()) == end else None


def _dense(call: Call, p: Parameter) -> bool:
    """Whether its rows leave no gaps between them."""
    return len(shape(call.case, p)) == 1 or row_stride(call.case, p) <= shape(call.case, p)[-1]


def _missed(call: Call, p: Parameter, tensor: Sparse) -> tuple[int, int] | None:
    """The first and the last element of the first stretch that nobody touched, where rows leave no gaps between."""
    if not _dense(call, p):
        return None
    each = BINS // STRETCHES
    width = (tensor.span // BINS + 1) * each
    untouched = [b for b in range(STRETCHES) if not tensor.bins >> b * each & (1 << each) - 1]
    missed = [b for b in untouched if b * width < tensor.span]
    if not missed:
        return None
    last = next(b for b in missed if b + 1 not in missed)
    return missed[0] * width // tensor.itemsize, min((last + 1) * width, tensor.span) // tensor.itemsize - 1
