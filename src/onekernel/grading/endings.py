"""A hang, a crash or an early exit is the first thing said; what was not run because of it comes after."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from onekernel.grading.submission import ENDLESS, SYMPTOMS
from onekernel.grading.verdicts import FAILED, Failure, Verdict
from onekernel.messages import Message

NOT_RUN = ("grading.not-run", "grading.gave-up")


def stopped_first(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """The verdicts, the first of those that failed beginning with what stopped the run, if something did."""
    cause = next((f for v in verdicts for f in v.failures if _stops(f)), None)
    if cause is None or not any(_not_run(f) for v in verdicts for f in v.failures):
        return list(verdicts)
    wrong_too = only_slow(cause) and any(f.code in SYMPTOMS for v in verdicts for f in v.failures)
    out = []
    told = wrong_too  # then it stands behind what is wrong, where it is
    for verdict in verdicts:
        others = tuple(f for f in verdict.failures if not _not_run(f) and (wrong_too or f is not cause))
        if verdict.status != FAILED or len(others) == len(verdict.failures):
            out.append(verdict)
        elif not told:
            told = True
            out.append(replace(verdict, failures=(cause, *others)))
        else:
            out.append(replace(verdict, failures=others or (_after(cause, verdict),)))
    return out


_GOING_ON = ("-slow", "-threads", "-late", "-between", "-launches", "-together", "-arrives")  # forms of its sentence


def only_slow(failure: Failure) -> bool:
    """Whether it tells of a launch that was stopped while it made progress: wrong results elsewhere do not follow."""
    return failure.code == ENDLESS and failure.message.key.endswith(_GOING_ON)


def _stops(failure: Failure) -> bool:
    return failure.code == ENDLESS or (failure.code == "ended" and not _not_run(failure))


def _not_run(failure: Failure) -> bool:
    return failure.message.key in NOT_RUN


def _after(cause: Failure, verdict: Verdict) -> Failure:
    """Why nothing of this check was run."""
    if cause.about is None:
        return verdict.failures[0]
    key = "grading.stopped-before" if cause.line is None else "grading.stopped-before-line"
    message = Message(key, {"input": cause.about, "line": cause.line or 0})
    return Failure(message, verdict.check.chapter, code="ended")
