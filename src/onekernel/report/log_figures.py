"""What the tool writes into a tuning log: a kernel's counts, and its speed where there is a GPU."""

from __future__ import annotations

from dataclasses import replace

from onekernel import counts
from onekernel.checks import memory
from onekernel.checks.counted import call_at
from onekernel.checks.measures import MEASURES, Counted
from onekernel.checks.options import MOST_COUNTED
from onekernel.checks.speed import judge as speed
from onekernel.course import Check, Text
from onekernel.errors import UserError
from onekernel.grading.submission import Submission, judge_call
from onekernel.messages import Message, say
from onekernel.numerals import Quantity
from onekernel.ops.base import DTYPES
from onekernel.sandbox import supervisor
from onekernel.sandbox.protocol import Request

ROWS, COLS = 16, 1024  # where the learner names no shape
COUNT_SECONDS = 60.0
_RATIOS = ("bytes_requested", "bytes_moved", "bank_conflicts", "passes")
MOST_TIMED_BYTES = 1 << 30  # of one tensor, which goes to the process and back through files


def lines(s: Submission, shape: tuple[int, int] | None = None, dtype: str = "float32") -> list[str]:
    """One line a figure, in the language in force: the counts at `shape` (rows, columns), on a GPU the time, too.

    A shape that is too large to be counted is timed alone where there is a GPU. Raises UserError for a kernel that
    does not build or is wrong, and for a shape that this machine cannot measure.
    """
    rows, cols = shape or (ROWS, COLS)
    found = []
    if rows * cols <= MOST_COUNTED:
        found = _counts(s, {"rows": rows, "cols": cols}, dtype)
    elif s.device != "cuda":
        raise UserError(_too_large(rows, cols))
    else:
        found = [_too_large(rows, cols).text()]
    if s.device == "cuda" and shape is None:
        found += [note.text() for note in speed.measure(s).notes]
    elif s.device == "cuda":
        if rows * cols * DTYPES[dtype].itemsize > MOST_TIMED_BYTES:
            values = {"rows": rows, "cols": cols, "most": Quantity(MOST_TIMED_BYTES, "B")}
            raise UserError(Message("grading.log-too-large-to-time", values))
        found.append(speed.time_at(s, dtype, rows, cols).text())
    return found


def _too_large(rows: int, cols: int) -> Message:
    values = {"rows": rows, "cols": cols, "most": MOST_COUNTED}
    fewer = MOST_COUNTED // cols
    if not fewer:
        return Message("grading.log-row-too-large", values)
    return Message("grading.log-too-large", {**values, "fewer": min(fewer, ROWS)})


def _counts(s: Submission, sizes: dict[str, int], dtype: str) -> list[str]:
    """The memory measures of one call in the simulator, and what a row costs in requests and barriers."""
    check = Check("log", memory.KIND, 1, Text("", ""), "01-13-coalescing#coalescing", {"sizes": sizes})
    call = call_at(s, sizes, dtype)
    prototypes = [s.operator.prototype(s.exercise.slug, d) for d in s.exercise.dtypes]
    options = {"mode": "count", "time_limit": COUNT_SECONDS}
    outcome = supervisor.run(Request(s.path.resolve(), "simulator", [(call.function, call.args)], prototypes, options))
    if outcome.unavailable or outcome.ended:
        raise UserError(outcome.unavailable or outcome.ended or Message("grading.no-kernel"))
    if outcome.build:
        raise UserError(_why(str(outcome.build[0])))
    failures = judge_call(replace(s, device="simulator"), check, call, outcome.calls[0])
    report = outcome.calls[0].report
    if failures or report is None:
        raise UserError(_why(str(failures[0].message)))
    counted = Counted(report.kernels, s.operator.ledger(sizes, DTYPES[dtype].itemsize), sizes)
    at = counted.shape + ("" if dtype == "float32" else f" {dtype}")
    found = [MEASURES[name].told(counted, at).text() for name in _RATIOS]
    loads = counted.total(counts.LOAD_REQUESTS)
    sectors = counted.total(counts.LOAD_SECTORS) / loads if loads else 0.0
    found.append(say("grading.measured-requests", value=loads / sizes["rows"], sectors=sectors))
    found.append(MEASURES["barriers"].told(counted).text())
    if counted.shared_wavefronts():
        found.append(MEASURES["shared_traffic"].told(counted, at).text())
    return found


def _why(text: str) -> Message:
    return Message("grading.log-not-measured", {"why": text})
