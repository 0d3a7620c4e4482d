"""A call of a kernel that is counted: how it is made, and what came of it once nothing keeps it from being believed.

Counts come from the simulator on every machine, so that a laptop and a GPU machine give the same points. But
NVIDIA's compiler may make less of a kernel than was counted as it is written: there a count costs no points.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from onekernel import counts
from onekernel.backends.base import Buffer
from onekernel.checks.measures import Counted, shape, total
from onekernel.counts import KernelCounts
from onekernel.course import Check
from onekernel.grading import buffers
from onekernel.grading.buffers import Call
from onekernel.grading.calling import simulated
from onekernel.grading.judging import judge_call
from onekernel.grading.submission import Ran, Submission
from onekernel.grading.verdicts import Failure
from onekernel.messages import Message
from onekernel.numerals import Quantity
from onekernel.ops import Case
from onekernel.sandbox import supervisor
from onekernel.sandbox.protocol import Request

OF_REQUESTS = ("merges", "repeats", "apart", "early", "narrows")
OF_BYTES = ("repeats", "early", "narrows")  # those that are asked for: accesses that are merged ask for as many


def call_at(submission: Submission, sizes: Mapping[str, int], dtype: str) -> Call:
    """A call to be counted, on plain values: addresses do not depend on them."""
    like = next(c for c in submission.operator.cases if all(c.sizes.values()))
    about = Message("grading.counted", {"sizes": shape(sizes)})
    case = Case("counted", "counted", sizes, like.fill, about, scalars=like.scalars)
    return buffers.make(submission.operator, submission.exercise.slug, case, dtype, submission.seed)


def counted(submission: Submission, check: Check, ran: Ran) -> tuple[Counted, list[Failure]]:
    """What the counted call did, and what keeps it from being believed."""
    ((call, outcome),) = ran
    failures = judge_call(submission, check, call, outcome)
    kernels = outcome.report.kernels if outcome.report else ()
    if not failures and not kernels:
        failures = [Failure(Message("grading.no-kernel", {"function": call.function}), check.chapter, code="no-kernel")]
    inputs = {p.name for p in submission.operator.inputs()}
    if not failures and (hidden := [b for k in kernels for b in k.buffers if b.updated and b.name in inputs]):
        values = {"name": hidden[0].name, "bytes": Quantity(sum(b.updated for b in hidden), "B")}
        failures = [Failure(Message("grading.input-by-atomics", values), check.chapter, code="input-by-atomics")]
    ideal = submission.operator.ledger(call.case.sizes, _itemsize(call))
    loaded, least = total(kernels, counts.BYTES_LOADED), ideal.bytes_read
    if not failures and not loaded >= least:  # less than a right kernel can: it did not do the work, or nobody counted
        values = {"loaded": Quantity(loaded, "B"), "least": Quantity(least, "B")}
        failures = [Failure(Message("grading.loaded-too-little", values), check.chapter, code="loaded-too-little")]
    return Counted(kernels, ideal, call.case.sizes), failures


def by_code(submission: Submission, ran: Ran) -> Ran | None:
    """The same calls in the simulator, counted by NVIDIA's machine code; None where there is none."""
    calls = [call for call, _ in ran]
    request = Request(
        submission.path.resolve(), "simulator", [(c.function, c.args) for c in calls],
        [submission.operator.prototype(submission.exercise.slug, d) for d in submission.exercise.dtypes],
        simulated(submission, counted=True, by_code=True), hidden=submission.hidden,
    )  # fmt: skip
    outcome = supervisor.run(request)
    kernels = [k for call in outcome.calls if call.report for k in call.report.kernels]
    if not outcome.built or not any(k.extra.get("by_code") for k in kernels):
        return None
    return list(zip(calls, outcome.calls, strict=True))


def _itemsize(call: Call) -> int:
    return next(a.itemsize for a in call.args if isinstance(a, Buffer))


def uncertain(
    kernels: Sequence[KernelCounts], space: str | None, kinds: Collection[str] = OF_REQUESTS
) -> Message | None:
    """The first access to that space ("global" or "shared" memory) of which the compiler may make less, in one of those
    ways; None: there is none, or the count is of neither."""
    for kernel in kernels:
        for _file, line, where, what in kernel.extra.get("doubts", ()):
            if where == space and (told := [kind for kind in what if kind in kinds]):
                return Message(f"grading.compiler-{told[0]}", {"line": line})
    return None
