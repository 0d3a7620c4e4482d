"""The course's own answer as the oracle: it makes the same calls on the same bytes, in a process of its own.

So an exercise is written without a second specification. What is right is what the answer stored, and how frugal a
kernel may be is what the answer itself was counted to do.
"""

from __future__ import annotations

from collections.abc import Sequence

from onekernel.grading import buffers
from onekernel.grading.buffers import Call
from onekernel.grading.submission import Submission
from onekernel.messages import Message
from onekernel.sandbox.supervisor import RunOutcome


def fill(submission: Submission, calls: Sequence[Call], outcome: RunOutcome) -> Message | None:
    """Puts what the answer made of each call into it: its outputs where the operator is declared, and its counts.

    Returns why that cannot be, for an answer that does not run here, or is wrong: nobody's points depend on it.
    """
    if outcome.unavailable:
        return outcome.unavailable
    if not outcome.built:
        why = outcome.ended or outcome.build[0].message
        return Message(
            "grading.answer-fails", {"file": submission.course.solution(submission.exercise).name, "why": why}
        )
    for call, done in zip(calls, outcome.calls, strict=True):
        errors = [f.message for f in done.report.findings if f.severity == "error"] if done.report else []
        if done.report is None or errors:
            why = errors[0] if errors else done.ended or Message("grading.gave-up", {"times": 1})
            return Message(
                "grading.answer-fails", {"file": submission.course.solution(submission.exercise).name, "why": why}
            )
        call.counts = done.report.kernels
        if submission.operator.declared:
            call.expected = {
                p.name: buffers.content(call, p, done.after[p.name]) for p in submission.operator.outputs()
            }
    return None
