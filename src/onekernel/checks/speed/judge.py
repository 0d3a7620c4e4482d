"""Speed points, on a GPU: the untrusted process times the launches, the trusted side bounds what it may claim.

What is and is not protected is told in `onekernel.bench.credit`, which holds the rule of the points.
"""

from __future__ import annotations

import contextlib
import math
import secrets
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np

from onekernel.backends.base import Arg, Buffer, Scalar
from onekernel.backends.processors import processors
from onekernel.bench import credit
from onekernel.bench.credit import BESIDE, LAUNCHES, Credit, Timed
from onekernel.bench.device import Device
from onekernel.bench.sample import Sample
from onekernel.course import Check
from onekernel.grading.submission import Ran, Submission
from onekernel.grading.verdicts import FAILED, NOT_ASSESSED, PARTIAL, PASSED, Failure, Verdict
from onekernel.messages import Message
from onekernel.ops.base import DTYPES as NUMPY
from onekernel.ops.base import SCALARS, SUFFIXES, Operator
from onekernel.sandbox import supervisor, turn
from onekernel.sandbox.protocol import Request
from onekernel.sandbox.supervisor import CallOutcome

SAMPLED_ROWS = 64
DRAWN_AT_ONCE = 1 << 20  # values

Times = dict[credit.Key, Timed]


def judge(submission: Submission, check: Check, ran: Ran, before: list[Verdict]) -> Verdict:
    """The share of the speed points that `credit.score` gives; not assessed without a GPU."""
    if submission.backend != "cuda":
        return Verdict(check, NOT_ASSESSED, note=Message("grading.needs-gpu"))
    earned = measure(submission)
    points = round(check.points * earned.fraction, 1)
    if earned.fraction == 1:
        return Verdict(check, PASSED, points, note=earned.notes[-1])
    failures = tuple(Failure(n, check.chapter, code="speed") for n in earned.notes)
    return Verdict(check, PARTIAL if points else FAILED, points, failures)


def measure(submission: Submission) -> Credit:
    """Times the submission at every shape of the credit, beside its limit and PyTorch's. Needs a GPU."""
    dtypes = credit.types_of(submission.exercise.dtypes)
    with _card() as card:
        references = credit.references(card, submission.operator.name, dtypes)
    times: Times = {}
    ended: list[Message] = []  # each once: why there are no times
    for dtype in dtypes:
        for shape, outcome, right in _launched(submission, dtype, BESIDE[submission.operator.name].shapes):
            if outcome.ended and outcome.ended not in ended:
                ended.append(outcome.ended)
            timed = _timed(outcome, references[dtype, *shape], right)
            if timed:
                times[dtype, *shape] = timed
    earned = credit.score(times, submission.operator.name, dtypes)
    return replace(earned, notes=(*ended, *earned.notes))


def time_at(submission: Submission, dtype: str, shape: tuple[int, ...]) -> Message:
    """The submission's time at one shape beside its limit's and PyTorch's, in words. Needs a GPU."""
    with _card() as card:
        reference = credit.reference(card, dtype, shape, None, submission.operator.name)
    ((_, outcome, right),) = _launched(submission, dtype, [shape])
    if outcome.ended:
        return outcome.ended
    return credit.tell(_timed(outcome, reference, right), dtype, shape, submission.operator.name)


@contextlib.contextmanager
def _card() -> Iterator[Device]:
    """The GPU, to itself; what is left there is given back to it before others have their turn."""
    import torch

    from onekernel.bench import device

    card = device.current()
    if torch.cuda.is_available():
        torch.cuda.synchronize()  # before its turn: a context takes as long as all that is timed here
    with turn.held():
        yield card
        torch.cuda.empty_cache()


def _timed(outcome: CallOutcome, reference: tuple[Sample, Sample, float], right: bool) -> Timed | None:
    """A time beside its references; None where the process gave none."""
    if not outcome.times or min(outcome.times) <= 0:
        return None
    return Timed(Sample.of(outcome.times), *reference, right)


def _launched(
    submission: Submission, dtype: str, shapes: Sequence[tuple[int, ...]]
) -> list[tuple[tuple[int, ...], CallOutcome, bool]]:
    """Each shape with what came of its timed launches, and whether the one that was kept is right."""
    inputs = [_drawn(submission.operator, shape, dtype) for shape in shapes]
    function = submission.exercise.slug + SUFFIXES[dtype]
    operator = submission.operator
    calls = [(function, _arguments(operator, x, shape, dtype)) for x, shape in zip(inputs, shapes, strict=True)]
    launches = LAUNCHES[0] + secrets.randbelow(LAUNCHES[1] - LAUNCHES[0] + 1)
    timed = {"launches": launches, "kept": [secrets.randbelow(launches) for _ in calls]}
    prototypes = [operator.prototype(submission.exercise.slug, d) for d in submission.exercise.dtypes]
    source, hidden = submission.path.resolve(), submission.hidden
    outcome = supervisor.run(Request(source, "cuda", calls, prototypes, timed=timed, hidden=hidden))
    if not outcome.built:
        return [(shape, CallOutcome(ended=outcome.ended or outcome.unavailable), False) for shape in shapes]
    each = zip(shapes, inputs, outcome.calls, strict=True)
    return [(shape, done, _right(submission, x, shape, done, dtype)) for shape, x, done in each]


def _sizes(operator: Operator, shape: tuple[int, ...]) -> dict[str, int]:
    """The operator's sizes for a dense matrix, for a vector of as many elements, or for a product (m, n, k)."""
    return {"n": math.prod(shape)} if operator.sizes == ("n",) else dict(zip(operator.sizes, shape, strict=True))


def _drawn(operator: Operator, shape: tuple[int, ...], dtype: str) -> dict[str, np.ndarray]:
    """A random array for each input."""
    sizes = _sizes(operator, shape)
    shapes = {p.name: p.dims(sizes, _scalars(operator)) for p in operator.inputs()}
    return {name: _normal(dims, dtype) for name, dims in shapes.items()}


def _normal(dims: Sequence[int], dtype: str) -> np.ndarray:
    """Normally distributed values, by as many threads as there are processors: at the shapes that are timed, one needs
    longer for them than the launches take."""
    values = np.empty(math.prod(dims), NUMPY[dtype])
    parts = np.array_split(values, max(1, values.size // DRAWN_AT_ONCE))
    seeds = np.random.SeedSequence(secrets.randbits(128)).spawn(len(parts))

    def draw(part: np.ndarray, seed: np.random.SeedSequence) -> None:
        part[:] = np.random.default_rng(seed).standard_normal(part.size, np.float32)

    with ThreadPoolExecutor(processors()) as pool:
        list(pool.map(draw, parts, seeds))
    return values.reshape(dims)


def _arguments(
    operator: Operator, inputs: Mapping[str, np.ndarray], shape: tuple[int, ...], dtype: str
) -> list[Arg]:
    """The launcher's arguments, dense; the scalars of the operator's first case."""
    sizes, itemsize = _sizes(operator, shape), NUMPY[dtype].itemsize
    strides = {p.row_stride: sizes[p.shape[-1]] for p in operator.parameters if p.row_stride}
    args: list[Arg] = []
    for p in operator.parameters:
        if p.role == "in":
            given = inputs[p.name]
            args.append(Buffer(p.name, given.view(np.uint8).ravel(), 0, given.nbytes, False, given.itemsize))
        elif p.written:  # all ones: a NaN in every type
            size = math.prod(p.dims(sizes, _scalars(operator))) * itemsize
            args.append(Buffer(p.name, np.full(size, 0xFF, np.uint8), 0, size, True, itemsize))
        else:
            args.append(Scalar(p.name, _scalars(operator)[p.name]) if p.role in SCALARS else (sizes | strides)[p.name])
    return args


def _scalars(operator: Operator) -> Mapping[str, int | float]:
    return {k: v if isinstance(v, int) else float(np.float32(v)) for k, v in operator.cases[0].scalars.items()}


def _right(
    submission: Submission, inputs: Mapping[str, np.ndarray], shape: tuple[int, ...], outcome: CallOutcome, dtype: str
) -> bool:
    """Whether rows that are drawn now, when the answer can no longer change, are what the oracle says."""
    (out,) = submission.operator.outputs()
    if out.name not in outcome.after:
        return False
    rows = shape[0]
    drawn = np.random.default_rng(secrets.randbits(64)).choice(rows, min(rows, SAMPLED_ROWS), replace=False)
    vector = submission.operator.sizes == ("n",)

    def picked(values: np.ndarray) -> np.ndarray:
        """The rows that were drawn; of a vector: rows of it, one behind the other."""
        some = values.reshape(rows, -1)[drawn].astype(np.float64)
        return some.ravel() if vector else some

    got = picked(outcome.after[out.name].view(NUMPY[dtype]))
    first = submission.operator.inputs()[0].shape[0]  # what has a row for each row of the result
    with_rows = {p.name for p in submission.operator.inputs() if p.shape[0] == first and (len(p.shape) > 1 or vector)}
    given = {k: picked(x) if k in with_rows else x.astype(np.float64) for k, x in inputs.items()}
    given |= {k: np.array(v, np.float64) for k, v in _scalars(submission.operator).items()}
    return submission.operator.compare(got, submission.operator.oracle(given)[out.name], dtype, given) is None
