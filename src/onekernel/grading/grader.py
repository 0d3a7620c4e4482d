"""Grades one file: draws fresh inputs, has them run by the untrusted side, and decides alone."""

from __future__ import annotations

import math
import secrets
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from onekernel.backends.base import Finding
from onekernel.course import Check
from onekernel.errors import UserError
from onekernel.grading.before_gpu import on_both, right_first
from onekernel.grading.buffers import Call
from onekernel.grading.calling import fill_from_answer, run
from onekernel.grading.endings import stopped_first
from onekernel.grading.judging import judge_call
from onekernel.grading.leftovers import with_leaks, with_leftovers
from onekernel.grading.refusals import build_failed, for_all, not_built, refusals, unjudged
from onekernel.grading.replay.tell import with_causes
from onekernel.grading.submission import Ran, Submission
from onekernel.grading.suspicions import with_warnings
from onekernel.grading.untold import collected
from onekernel.grading.untried import with_untried
from onekernel.grading.verdicts import FAILED, NOT_ASSESSED, PASSED, UNTOUCHED, Result, Verdict
from onekernel.messages import Message
from onekernel.sandbox import confinement, gpu_state, machine, own_time, progress
from onekernel.sandbox.machine import MachineFault
from onekernel.sandbox.supervisor import CallOutcome, RunOutcome
from onekernel.ways import AS_WRITTEN, LEFT, SPARSE

TRIED = 4  # wrong inputs on which a fixed file is run again


def fresh_seed() -> int:
    """A seed from the operating system's entropy, short enough to type again."""
    return secrets.randbelow(1 << 32)


def grade(submission: Submission) -> Result:
    """Grades a file. Every outcome is a Result; what the machine lacks (MachineFault) and Ctrl-C leave otherwise."""
    started = time.monotonic()
    machine.require([submission.course.root])
    before = _cards(submission)
    untold: list[str] = []
    try:
        with (
            own_time.allowed(submission.exercise.seconds, partial(_is_theirs, submission)),
            collected() as untold,
        ):
            verdicts = refusals(submission) or _everywhere(submission)
    except (OSError, MemoryError) as error:
        verdicts = _open(submission, error)
    except UserError:  # a machine's fault among them
        raise
    except Exception as error:  # whatever of the file leads to it: the points are lost by name, and the class goes on
        verdicts = [unjudged(c, error) for c in submission.exercise.checks]
    if any(v.status == FAILED for v in verdicts):
        machine.require([submission.course.root])  # what filled up meanwhile may have cost points
    slow = any(v.check.kind.needs_gpu and v.earned < v.check.points for v in verdicts)
    gpu_state.require(before, _cards(submission), timed=slow)
    if submission.backend != "cuda":
        verdicts = [_not_here(v) if v.check.kind.needs_gpu and v.status != UNTOUCHED else v for v in verdicts]
    seconds = time.monotonic() - started
    return Result(submission.exercise, tuple(verdicts), submission.backend, submission.seed, seconds, submission.ran_on,
                  confinement.open_walls(), tuple(untold))  # fmt: skip


def grade_until_failed(submission: Submission) -> Result:
    """As `grade`, without the checks behind the first that fails. Each has the file run by itself; where none fails,
    all are graded together: what a file keeps from one to another, or runs out of, shows there: that is the score. The
    seconds that a file has are for the checks one by one, and once more for all together."""
    results: list[Result] = []
    with own_time.allowed(submission.exercise.seconds, partial(_is_theirs, submission)):
        for check in submission.exercise.checks:
            alone = replace(submission.exercise, checks=(check,))
            results.append(grade(replace(submission, exercise=alone, whole=submission.exercise)))
            if results[-1].fails:
                break
    if not results[-1].fails:
        results.append(grade(submission))
        return replace(results[-1], seconds=sum(r.seconds for r in results))
    return replace(
        results[-1],
        exercise=submission.exercise,
        verdicts=tuple(v for r in results for v in r.verdicts),
        seconds=sum(r.seconds for r in results),
        ran_on=submission.ran_on,
        open_walls=tuple(dict.fromkeys(wall for r in results for wall in r.open_walls)),
    )


def _is_theirs(submission: Submission, source: Path) -> bool:
    """Whether what is run from `source` is the submission's, and none of the course's own answers."""
    course, at = submission.course, source.resolve()
    return at != course.solution(submission.exercise).resolve() and not at.is_relative_to(course.root / "solutions")


def _open(submission: Submission, error: OSError | MemoryError) -> list[Verdict]:
    """Where the grader itself came to its end, but does not with the course's own answer: it is about this file, whose
    points stay open. Raises MachineFault where that fares no better."""
    machine.require([submission.course.root])
    ours = replace(submission, path=submission.course.solution(submission.exercise))
    fault = machine.of_error(error)
    if ours.path.resolve() == submission.path.resolve():
        raise fault from error
    try:
        refusals(ours) or _everywhere(ours)
    except (OSError, MemoryError):
        raise fault from error
    return for_all(submission, NOT_ASSESSED, Message("grading.not-graded", {"error": type(error).__name__}))


def _everywhere(submission: Submission) -> list[Verdict]:
    """The verdicts on every device that has a say."""
    return (
        on_both(submission, _grade_checks)
        if submission.backend != "python" and submission.ran_on == "cuda"
        else _grade_checks(submission)
    )


def _cards(submission: Submission) -> tuple[gpu_state.Card, ...]:
    """The GPUs as the driver has them now, where one grades."""
    return gpu_state.cards(gpu_state.library()) if submission.backend == "cuda" else ()


def _grade_checks(submission: Submission) -> list[Verdict]:
    plans: list[tuple[Check, list[Call]]] = [
        (c, c.kind.plan(submission, c)) for c in submission.exercise.checks if c.kind.plans
    ]
    ran: dict[str, Ran] = {}
    warnings: tuple[Finding, ...] = ()
    for defines in dict.fromkeys(call.case.defines for _, plan in plans for call in plan):
        mine = [(c, call) for c, plan in plans for call in plan if call.case.defines == defines]
        mine.sort(key=lambda pair: _half_run(pair[1]))
        counted = any(c.kind.counted for c, _ in mine)
        unanswered, own = _answered(submission, mine, defines, counted=counted)
        if unanswered:
            return for_all(submission, NOT_ASSESSED, unanswered)
        with progress.about([c.id for c, _ in mine], submission.ran_on):
            outcome = own or run(submission, [call for _, call in mine], defines, counted=counted, ways=_ways(mine))
        if outcome.unavailable:
            return for_all(submission, NOT_ASSESSED, outcome.unavailable)
        if not outcome.built and not defines:
            return build_failed(submission, outcome)
        warnings = warnings or outcome.warnings
        answers = outcome.calls if outcome.built else [not_built(outcome)] * len(mine)
        for (check, call), answer in zip(mine, answers, strict=True):
            ran.setdefault(check.id, []).append((call, answer))
    verdicts: list[Verdict] = []
    for check in submission.exercise.checks:
        verdicts.append(_judged(submission, check, ran.get(check.id, []), verdicts))
    verdicts = with_leftovers(
        submission, list(ran.values()), with_causes(submission, ran, verdicts), partial(_alone, submission)
    )
    verdicts = with_leaks(submission, list(ran.values()), verdicts, partial(_left, submission))
    verdicts = with_untried(submission, ran.values(), verdicts)
    return with_warnings(stopped_first(verdicts), warnings, submission.text(), partial(_cured, submission, ran))


def _judged(submission: Submission, check: Check, ran: Ran, before: list[Verdict]) -> Verdict:
    """A check's verdict. One that needs a right kernel fails where another check has shown that it is not."""
    if check.kind.needs_right and any(v.check.kind.shows_right and v.status != PASSED for v in before):
        return right_first(check)
    try:
        with progress.about([check.id], submission.ran_on):
            verdict: Verdict = check.kind.judge(submission, check, ran, before)
    except (OSError, MemoryError, MachineFault):  # nobody's points
        raise
    except Exception as error:
        return unjudged(check, error)
    return verdict


def _not_here(verdict: Verdict) -> Verdict:
    """That a check needs a GPU, where there is none: its points are open, and not lost."""
    return Verdict(verdict.check, NOT_ASSESSED, note=Message("grading.needs-gpu"))


def _answered(
    submission: Submission, every: Sequence[tuple[Check, Call]], defines: Sequence[str], *, counted: bool
) -> tuple[Message | None, RunOutcome | None]:
    """Has the course's own answer make the calls of which it is the oracle, or the measure; what keeps it from that.
    With it what it did, where it is the very file that is graded and has made all calls: it need not make them again.
    """
    asked = [(check, call) for check, call in every if check.kind.compares or submission.operator.declared]
    if not asked:
        return None, None
    calls, path = [call for _, call in asked], submission.course.solution(submission.exercise)
    with progress.about([c.id for c, _ in asked], submission.ran_on, answer=True):
        outcome = run(submission, calls, defines, counted=counted, path=path, ways=_ways(asked))
    mine = len(asked) == len(every) and path.resolve() == submission.path.resolve()
    return fill_from_answer(submission, calls, outcome), outcome if mine else None


def _ways(asked: Sequence[tuple[Check, Call]]) -> list[str]:
    """How the calls are made: machine code is counted for the checks that ask for its counts alone."""
    return [call.case.way or ("" if check.kind.by_code else AS_WRITTEN) for check, call in asked]


def _half_run(call: Call) -> int:
    """0, or for a call of which some blocks run its size: those come last, because they leave counters half way."""
    return math.prod(call.case.sizes.values()) if call.case.way == SPARSE else 0


def _alone(submission: Submission, call: Call) -> CallOutcome:
    """The call, made first in a process of its own."""
    outcome = run(submission, [call], (), counted=False)
    return outcome.calls[0] if outcome.built else CallOutcome(ended=outcome.ended)


def _left(submission: Submission, calls: Sequence[Call]) -> Sequence[CallOutcome]:
    """The calls once more in a process of their own, each telling what memory is left behind."""
    return run(submission, calls, (), counted=False, ways=[LEFT] * len(calls)).calls


def _cured(submission: Submission, ran: Mapping[str, Ran], text: str) -> int:
    """How many of the inputs that came out wrong, the first few, come out right if the file has this text; 0 where one
    does not."""
    asked = {c.id: c for c in submission.exercise.checks if c.kind.shows_right}
    calls = [(check, call, outcome) for name, check in asked.items() for call, outcome in ran.get(name, ())]
    calls = [(c, call, outcome) for c, call, outcome in calls if not (call.case.way or call.case.defines)]
    wrong = [(check, call) for check, call, outcome in calls if judge_call(submission, check, call, outcome)][:TRIED]
    if not wrong:
        return 0
    with tempfile.TemporaryDirectory(prefix="onekernel-") as folder:
        path = Path(folder) / submission.path.name
        path.write_text(text, encoding="utf-8")
        outcome = run(submission, [call for _, call in wrong], (), counted=False, path=path)
    if not outcome.built or any(
        judge_call(submission, c, call, o) for (c, call), o in zip(wrong, outcome.calls, strict=True)
    ):
        return 0
    return len(wrong)
