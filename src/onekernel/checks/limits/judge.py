"""Judges what a kernel was counted to do by what the answer did on the same bytes."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

from onekernel.checks import worst_line
from onekernel.checks.counting import call_at, uncertain
from onekernel.checks.tallies import TALLIES, Kernels, Tally
from onekernel.course import Check
from onekernel.grading import buffers
from onekernel.grading.buffers import Call
from onekernel.grading.judging import judge_call
from onekernel.grading.submission import Ran, Submission
from onekernel.grading.verdicts import FAILED, MAX_FAILURES, NOT_ASSESSED, PASSED, Failure, Verdict
from onekernel.messages import Message

ROUNDING = 1e-9  # a limit of 1.1 times 30 is 33, and not 33.000000000000004


def plan(submission: Submission, check: Check) -> list[Call]:
    """A call at the check's sizes, and at its other ones where it has some; where no other check asks whether the
    kernel is right, on all inputs too."""
    dtype = submission.exercise.dtypes[0]
    alone = not any(c.kind.shows_right for c in submission.every_check)
    cases = [c for c in submission.operator.cases if c.plain] if alone else []
    others = [
        buffers.make(submission.operator, submission.exercise.slug, case, dtype, submission.seed) for case in cases
    ]
    return [*(call_at(submission, sizes, dtype) for sizes in _sizes(check)), *others]


def _sizes(check: Check) -> list[Mapping[str, int]]:
    """What is counted: an autotuner takes another configuration at each."""
    return [check.options["sizes"], *check.options.get("also", ())]


def judge(submission: Submission, check: Check, ran: Ran, before: list[Verdict]) -> Verdict:
    """All points or none; each count that is over its limit is told, with the line that it comes from mostly.

    Where NVIDIA's compiler may make so much less of it that it is not, that costs no points.
    """
    failures = [failure for one in ran for failure in judge_call(submission, check, *one)]
    reports = [outcome.report for _, outcome in ran if outcome.report]
    if failures or len(reports) < len(ran):
        return Verdict(check, FAILED, failures=tuple(failures[:MAX_FAILURES]))
    told: dict[str, Message] = {}
    over: dict[str, Failure] = {}
    doubtful: list[Message] = []
    counted = list(zip(ran, reports, strict=True))[: len(_sizes(check))]
    for ((call, _), report), (name, factor) in product(counted, check.options["limits"].items()):
        tally, kernels = TALLIES[name], report.kernels
        exact = all(k.extra.get("exact_requests") for k in kernels)
        mine, answer = tally.value(kernels), tally.value(call.counts)
        programs = name == "blocks" and submission.backend == "triton"
        what = Message(f"practice.tally-{'programs' if programs else name}")
        if mine <= answer * factor + ROUNDING:
            told.setdefault(name, Message("practice.within", {"what": what, "mine": mine, "answer": answer}))
            continue
        if tally.space and not exact:
            doubtful.append(Message("grading.counts-not-exact"))
            continue
        if doubt := uncertain(kernels, tally.space):
            doubtful.append(doubt)
            continue
        sizes = ", ".join(f"{n} = {size}" for n, size in call.case.sizes.items())
        values = {"what": what, "mine": mine, "answer": answer, "most": answer * factor, "sizes": sizes}
        over.setdefault(name, _failure(submission, check, Message("practice.over", values), tally, kernels))
    kept = tuple(message for name, message in told.items() if name not in over)
    if doubtful and not over:
        return Verdict(check, NOT_ASSESSED, note=doubtful[0], details=kept)
    if over:
        return Verdict(check, FAILED, 0, tuple(over.values()), details=kept)
    return Verdict(check, PASSED, check.points, details=kept)


def _failure(submission: Submission, check: Check, what: Message, tally: Tally, kernels: Kernels) -> Failure:
    """What was counted, and the line that it comes from mostly, with the command that draws it."""
    found = tally.worst(worst_line.lines_of(kernels, submission.path)) if tally.worst else None
    if found is None:
        return Failure(what, check.chapter, file=str(submission.path), code=f"over-{tally.name}")
    both = Message("grading.both", {"first": what, "second": found.message})
    see = f"onekernel trace {submission.exercise.slug}" + (f" --line {found.line}" if found.drawn else "")
    return Failure(both, check.chapter, file=str(submission.path), line=found.line, code=f"over-{tally.name}", see=see)
