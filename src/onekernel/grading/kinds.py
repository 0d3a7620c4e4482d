"""What each kind of check asks to be run (PLANS) and how it is decided (JUDGES)."""

from __future__ import annotations

from collections.abc import Callable

from onekernel.course import Check
from onekernel.grading import answers, calls, memory, python_checks, speed, tuning_log
from onekernel.grading.calls import Call
from onekernel.grading.submission import Ran, Submission, judge_call
from onekernel.grading.verdicts import FAILED, PASSED, Failure, Verdict
from onekernel.messages import Message

MAX_FAILURES = 3  # a check shows that many of its failures: the first ones explain, the rest repeat

Plan = Callable[[Submission, Check], list[Call]]
Judge = Callable[[Submission, Check, Ran, list[Verdict]], Verdict]


def plan_correct(s: Submission, check: Check) -> list[Call]:
    """Every case of the check's groups in every element type; the first one twice, with other values at the same
    size, so that an answer kept by pointer or by shape is caught."""
    operator = s.operator
    planned: list[Call] = []
    for dtype in check.options.get("dtypes", s.exercise.dtypes):
        cases = [case for name in check.options["groups"] for case in operator.group(name)]
        if s.device == "simulator":
            cases = [c for c in cases if c.group != "huge"]
        planned += [calls.make(operator, s.exercise.slug, case, dtype, s.seed) for case in cases]
        planned += [calls.make(operator, s.exercise.slug, cases[0], dtype, s.seed, draw=1)]
    return planned


def judge_correct(s: Submission, check: Check, ran: Ran, before: list[Verdict]) -> Verdict:
    """All points or none: a kernel that is right on most inputs is wrong."""
    failures: list[Failure] = []
    failed = 0
    seen: set[tuple[str, int | None]] = set()
    for call, outcome in ran:
        found = judge_call(s, check, call, outcome)
        failed += bool(found)
        for failure in found:  # one of a kind and line: the same race on ten inputs is one race
            if (failure.code, failure.line) not in seen:
                seen.add((failure.code, failure.line))
                failures.append(failure)
    note = Message("grading.inputs", {"right": len(ran) - failed, "total": len(ran)})
    if failures:
        return Verdict(check, FAILED, failures=tuple(failures[:MAX_FAILURES]), note=note)
    return Verdict(check, PASSED, check.points, note=note)


def after_correct(judge: Judge) -> Judge:
    """A judge that first asks for a right kernel: how fast or frugal a wrong one is means nothing."""

    def wrapped(s: Submission, check: Check, ran: Ran, before: list[Verdict]) -> Verdict:
        if any(v.check.kind == "correct" and v.status != PASSED for v in before):
            why = Failure(Message("grading.right-first"), check.chapter, code="right-first")
            return Verdict(check, FAILED, failures=(why,))
        return judge(s, check, ran, before)

    return wrapped


PLANS: dict[str, Plan] = {
    "correct": plan_correct,
    "memory": memory.plan,
    "prediction": memory.plan,
}
JUDGES: dict[str, Judge] = {
    "correct": judge_correct,
    "memory": after_correct(memory.judge_memory),
    "prediction": after_correct(memory.judge_prediction),
    "speed": after_correct(speed.judge),
    "answers": answers.judge,
    "port": python_checks.judge_port,
    "probe": python_checks.judge_probe,
    "log": tuning_log.judge,
}

__all__ = ["JUDGES", "PLANS"]
