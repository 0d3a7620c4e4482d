"""Speed points, on a GPU: the untrusted process times the launches, the trusted side bounds what it may claim.

What is and is not protected is told in `onekernel.bench.credit`, which holds the rule of the points.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence

import numpy as np

from onekernel.backends.base import Buffer
from onekernel.bench import credit
from onekernel.bench.credit import DTYPES, LAUNCHES, SHAPES, Credit, Timed
from onekernel.bench.sample import Sample
from onekernel.course import Check
from onekernel.grading.submission import Ran, Submission
from onekernel.grading.verdicts import FAILED, NOT_ASSESSED, PARTIAL, PASSED, Failure, Verdict
from onekernel.messages import Message
from onekernel.ops.base import DTYPES as NUMPY
from onekernel.ops.base import SUFFIXES
from onekernel.sandbox import supervisor
from onekernel.sandbox.protocol import Request
from onekernel.sandbox.supervisor import CallOutcome

SAMPLED_ROWS = 64

Times = dict[tuple[str, int, int], Timed]


def judge(s: Submission, check: Check, ran: Ran, before: list[Verdict]) -> Verdict:
    """The share of the speed points that `credit.score` gives; not assessed without a GPU."""
    if s.backend != "cuda":
        return Verdict(check, NOT_ASSESSED, note=Message("grading.needs-gpu"))
    earned = measure(s)
    points = round(check.points * earned.fraction, 1)
    if earned.fraction == 1:
        return Verdict(check, PASSED, points, note=earned.notes[-1])
    failures = tuple(Failure(n, check.chapter, code="speed") for n in earned.notes)
    return Verdict(check, PARTIAL if points else FAILED, points, failures)


def measure(s: Submission) -> Credit:
    """Times the submission at every shape of the credit, beside the copy and F.softmax. Needs a GPU."""
    from onekernel.bench import device

    references = credit.references(device.current())
    times: Times = {}
    for dtype in DTYPES:
        for shape, outcome, right in _launched(s, dtype, SHAPES):
            timed = _timed(outcome, references[dtype, *shape], right)
            if timed:
                times[dtype, *shape] = timed
    return credit.score(times)


def time_at(s: Submission, dtype: str, rows: int, cols: int) -> Message:
    """The submission's time at one shape beside the copy's and F.softmax's, in words. Needs a GPU."""
    from onekernel.bench import device

    reference = credit.reference(device.current(), dtype, rows, cols)
    ((_, outcome, right),) = _launched(s, dtype, [(rows, cols)]) or [((rows, cols), CallOutcome(), False)]
    return credit.tell(_timed(outcome, reference, right), dtype, rows, cols)


def _timed(outcome: CallOutcome, reference: tuple[Sample, Sample, float], right: bool) -> Timed | None:
    """A time beside its references; None where the process gave none."""
    if not outcome.times or min(outcome.times) <= 0:
        return None
    return Timed(Sample.of(outcome.times), *reference, right)


def _launched(
    s: Submission, dtype: str, shapes: Sequence[tuple[int, int]]
) -> list[tuple[tuple[int, int], CallOutcome, bool]]:
    """Each shape with what came of its timed launches, and whether the one that was kept is right."""
    rng = np.random.default_rng(secrets.randbits(64))
    inputs = [rng.standard_normal(shape, np.float32).astype(NUMPY[dtype]) for shape in shapes]
    function = s.exercise.slug + SUFFIXES[dtype]
    calls = [(function, _arguments(x)) for x in inputs]
    launches = LAUNCHES[0] + secrets.randbelow(LAUNCHES[1] - LAUNCHES[0] + 1)
    timed = {"launches": launches, "kept": [secrets.randbelow(launches) for _ in calls]}
    prototypes = [s.operator.prototype(s.exercise.slug, d) for d in s.exercise.dtypes]
    outcome = supervisor.run(Request(s.path.resolve(), "cuda", calls, prototypes, timed=timed))
    if not outcome.built:
        return []
    return [
        (shape, done, _right(s, x, done, dtype)) for shape, x, done in zip(shapes, inputs, outcome.calls, strict=True)
    ]


def _arguments(x: np.ndarray) -> list[Buffer | int]:
    rows, cols = x.shape
    size = x.nbytes
    given = Buffer("x", x.view(np.uint8).ravel(), 0, size, False, x.itemsize)
    answer = Buffer("y", np.full(size, 0xFF, np.uint8), 0, size, True, x.itemsize)  # all ones: a NaN in every type
    return [given, answer, rows, cols, cols, cols]


def _right(s: Submission, x: np.ndarray, outcome: CallOutcome, dtype: str) -> bool:
    """Whether rows that are drawn now, when the answer can no longer change, are what the oracle says."""
    if "y" not in outcome.after or not np.array_equal(outcome.after["x"], x.view(np.uint8).ravel()):
        return False
    drawn = np.random.default_rng(secrets.randbits(64)).choice(len(x), min(len(x), SAMPLED_ROWS), replace=False)
    got = outcome.after["y"].view(x.dtype).reshape(x.shape)[drawn].astype(np.float64)
    given = {"x": x[drawn].astype(np.float64)}
    return s.operator.compare(got, s.operator.oracle(given)["y"], dtype, given) is None
