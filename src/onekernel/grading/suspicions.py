"""What a compiler only warned of, told where results are wrong: its line comes before the symptom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from onekernel.backends.base import Finding
from onekernel.grading.submission import SYMPTOMS
from onekernel.grading.verdicts import FAILED, MAX_FAILURES, PASSED, Failure, Verdict
from onekernel.messages import Message

# Warnings of what cannot be meant: they come before whatever else was found. Others come behind a symptom.
SURE = ("assignment", "uninitialised", "no-call", "own-array", "empty-body", "unused-result", "cuts", "float-counter",
        "bytes", "other-type", "own-output", "quotient")  # fmt: skip


def with_warnings(verdicts: Sequence[Verdict], warnings: Sequence[Finding]) -> list[Verdict]:
    """The verdicts, the first of those that failed with the compiler's warnings."""
    out, told = [], not warnings
    for verdict in _beyond_inputs(verdicts, warnings):
        if verdict.status == FAILED and verdict.failures and not told:
            told = True
            verdict = _warned(verdict, warnings)
        out.append(verdict)
    return out


def _beyond_inputs(verdicts: Sequence[Verdict], warnings: Sequence[Finding]) -> Sequence[Verdict]:
    """The verdicts, those that ask for large tensors failed by a loop that counts in float: it goes wrong beyond 2^24
    elements of a row or a vector, more than the simulator walks through."""
    counter = next((w for w in warnings if w.code == "warning-float-counter"), None)
    if counter is None:
        return verdicts
    why = Failure(counter.message, counter.chapter or "", file=counter.file, line=counter.line, code="warning")
    return [
        replace(v, status=FAILED, earned=0, failures=(why,))
        if v.status == PASSED and "large" in v.check.options.get("groups", ())
        else v
        for v in verdicts
    ]


def _warned(verdict: Verdict, warnings: Sequence[Finding]) -> Verdict:
    first = verdict.failures[0]
    sure = next((w for w in warnings if w.code.removeprefix("warning-") in SURE), None)
    if sure is not None and first.code not in ("told-at-first", "no-kernel"):
        told = first.code in SYMPTOMS  # a finding may be but what follows: the slip is fixed first
        symptom = first.message.values.get("symptom", first.message) if told else ""
        message = Message("compile.warning", {"why": sure.message, "symptom": symptom})
        cause = replace(first, message=message, file=sure.file, line=sure.line, code="warning")
        return replace(verdict, failures=(replace(cause, chapter=sure.chapter or cause.chapter),))
    if first.code in SYMPTOMS:
        more = [Failure(w.message, w.chapter or "", file=w.file, line=w.line, code="warning") for w in warnings]
        return replace(verdict, failures=(*verdict.failures, *more)[:MAX_FAILURES])
    return verdict
