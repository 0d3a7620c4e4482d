"""What the tool writes into a tuning log: a kernel's counts, and its speed where there is a GPU."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from onekernel import counts
from onekernel.checks import memory
from onekernel.checks.counting import call_at
from onekernel.checks.log import REQUESTS
from onekernel.checks.measures import MEASURES, Counted
from onekernel.checks.measures import shape as told
from onekernel.checks.options import MOST_COUNTED
from onekernel.checks.speed import judge as speed
from onekernel.course import Check, Text
from onekernel.errors import UserError
from onekernel.grading.judging import judge_call
from onekernel.grading.submission import Submission
from onekernel.messages import Message, say
from onekernel.numerals import Quantity
from onekernel.ops.base import DTYPES, Operator
from onekernel.sandbox import supervisor
from onekernel.sandbox.protocol import Request

COUNT_SECONDS = 60.0
MOST_TIMED_BYTES = 1 << 30  # of one tensor, which goes to the process and back through files


def lines(
    submission: Submission, log: Check, shape: tuple[int, ...] | None = None, dtype: str = "float32"
) -> list[str]:
    """One line a figure, in the language in force: the counts that `log` asks for, on a GPU the time, too.

    `shape` is what the operator's sizes are to be, in their order; those of `log` without it. One that is too large to
    be counted is timed alone where there is a GPU. Raises UserError for a kernel that does not build or is wrong, and
    for a shape or an element type that this machine cannot measure.
    """
    if dtype not in submission.exercise.dtypes:
        raise UserError(Message("grading.log-dtype", {"dtype": dtype, "kernel": submission.exercise.slug,
                                                      "known": ", ".join(submission.exercise.dtypes)}))  # fmt: skip
    usual: Mapping[str, int] = log.options["sizes"]
    sizes = dict(zip(usual, shape, strict=True)) if shape else dict(usual)
    found = []
    if math.prod(sizes.values()) <= MOST_COUNTED:
        found = _counts(submission, log, sizes, dtype)
    elif submission.device != "cuda":
        raise UserError(_too_large(sizes, usual))
    else:
        found = [_too_large(sizes, usual).text()]
    if submission.device == "cuda" and shape is None:
        found += [note.text() for note in speed.measure(submission).notes]
    elif submission.device == "cuda":
        if _largest(submission.operator, sizes) * DTYPES[dtype].itemsize > MOST_TIMED_BYTES:
            values = {"shape": told(sizes), "most": Quantity(MOST_TIMED_BYTES, "B")}
            raise UserError(Message("grading.log-too-large-to-time", values))
        found.append(speed.time_at(submission, dtype, tuple(sizes.values())).text())
    return found


def _largest(operator: Operator, sizes: Mapping[str, int]) -> int:
    """The elements of the largest tensor."""
    return max(math.prod(sizes[d] for d in p.shape if d in sizes) for p in operator.parameters if p.shape)


def _too_large(sizes: Mapping[str, int], usual: Mapping[str, int]) -> Message:
    values = {"shape": told(sizes), "most": MOST_COUNTED}
    if "rows" not in sizes:
        return Message("grading.log-product-too-large", {**values, "usual": ",".join(map(str, usual.values()))})
    cols = sizes["cols"]
    fewer = MOST_COUNTED // cols
    if not fewer:
        return Message("grading.log-row-too-large", values)
    return Message("grading.log-too-large", {**values, "fewer": f"{min(fewer, usual['rows'])},{cols}"})


def _counts(submission: Submission, log: Check, sizes: Mapping[str, int], dtype: str) -> list[str]:
    """The figures of one call in the simulator. Of what shared memory served only where it served anything."""
    check = Check("log", memory.KIND, 1, Text("", ""), "01-13-coalescing#coalescing", {"sizes": sizes})
    call = call_at(submission, sizes, dtype)
    prototypes = [submission.operator.prototype(submission.exercise.slug, d) for d in submission.exercise.dtypes]
    options = {"mode": "count", "time_limit": COUNT_SECONDS}
    outcome = supervisor.run(
        Request(submission.path.resolve(), "simulator", [(call.function, call.args)], prototypes, options)
    )
    if outcome.unavailable or outcome.ended:
        raise UserError(outcome.unavailable or outcome.ended or Message("grading.no-kernel"))
    if outcome.build:
        raise UserError(_why(submission, str(outcome.build[0])))
    failures = judge_call(replace(submission, device="simulator"), check, call, outcome.calls[0])
    report = outcome.calls[0].report
    if failures or report is None:
        raise UserError(_why(submission, str(failures[0].message)))
    counted = Counted(report.kernels, submission.operator.ledger(sizes, DTYPES[dtype].itemsize), sizes)
    at = str(counted.shape) + ("" if dtype == "float32" else f" {dtype}")
    shown = (name for name in log.options["figures"] if counted.shared_wavefronts() or not name.startswith("shared_"))
    return [_requests(counted) if name == REQUESTS else MEASURES[name].told(counted, at).text() for name in shown]


def _requests(counted: Counted) -> str:
    """What a row costs in load instructions."""
    loads = counted.total(counts.LOAD_REQUESTS)
    sectors = counted.total(counts.LOAD_SECTORS) / loads if loads else 0.0
    return say("grading.measured-requests", value=loads / counted.sizes["rows"], sectors=sectors)


def _why(submission: Submission, text: str) -> Message:
    return Message("grading.log-not-measured", {"why": text, "kernel": submission.exercise.slug})
