"""What the tool writes into a tuning log: a kernel's counts, and its speed where there is a GPU."""

from __future__ import annotations

from dataclasses import replace

from onekernel import counts
from onekernel.course import Check, Text
from onekernel.grading import memory, runner, speed
from onekernel.grading.job import Request
from onekernel.grading.submission import Submission, judge_call
from onekernel.messages import Message, say

SIZES = {"rows": 16, "cols": 1024}


class NotMeasured(Exception):
    """The kernel cannot be measured: `message` says why."""

    def __init__(self, message: Message) -> None:
        super().__init__(message.text())
        self.message = message


def lines(s: Submission) -> list[str]:
    """One line a figure, in the language in force. Raises NotMeasured for a kernel that does not build or is wrong."""
    check = Check("log", "memory", 1, Text("", ""), "01-cuda-programming-model#coalescing", {"sizes": SIZES})
    (call,) = memory.plan(s, check)
    prototypes = [s.operator.prototype(s.exercise.slug, d) for d in s.exercise.dtypes]
    request = Request(s.path.resolve(), "simulator", [(call.function, call.args)], prototypes, {"mode": "count"})
    outcome = runner.run(request)
    if outcome.unavailable or outcome.ended:
        raise NotMeasured(outcome.unavailable or outcome.ended or Message("grading.no-kernel"))
    if outcome.build:
        raise NotMeasured(_why(str(outcome.build[0])))
    failures = judge_call(replace(s, device="simulator"), check, call, outcome.calls[0])
    report = outcome.calls[0].report
    if failures or report is None:
        raise NotMeasured(_why(str(failures[0].message)))
    ideal = s.operator.ledger(SIZES, call.args[0].itemsize)  # type: ignore[union-attr]
    found = [memory.measured(name, report.kernels, ideal, SIZES).text() for name in memory.MEASURES]
    loads = memory.total(report.kernels, counts.LOAD_REQUESTS)
    sectors = memory.total(report.kernels, counts.LOAD_SECTORS) / loads if loads else 0.0
    found.append(say("grading.measured-requests", value=f"{loads / SIZES['rows']:.3g}", sectors=f"{sectors:.3g}"))
    barriers = memory.total(report.kernels, counts.BARRIERS) / SIZES["rows"]
    found.append(say("grading.measured-barriers", value=f"{barriers:.3g}"))
    if s.device == "cuda":
        found += [note.text() for note in speed.measure(s).notes]
    return found


def _why(text: str) -> Message:
    return Message("grading.log-not-measured", {"why": text})
