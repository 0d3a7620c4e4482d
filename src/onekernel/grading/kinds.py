"""What each kind of check asks to be run (PLANS) and how it is decided (JUDGES)."""

from __future__ import annotations

import math
from collections.abc import Callable

from onekernel.course import Check
from onekernel.grading import answers, buffers, memory, python_checks, speed, tuning_log
from onekernel.grading.buffers import Call
from onekernel.grading.submission import SYMPTOMS, Ran, Submission, judge_call
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
        planned += [buffers.make(operator, s.exercise.slug, case, dtype, s.seed) for case in cases]
        planned += [buffers.make(operator, s.exercise.slug, cases[0], dtype, s.seed, draw=1)]
    return planned


def judge_correct(s: Submission, check: Check, ran: Ran, before: list[Verdict]) -> Verdict:
    """All points or none: a kernel that is right on most inputs is wrong."""
    failures: list[Failure] = []
    failed = symptoms = 0
    seen: set[tuple[str, int | None]] = set()
    for call, outcome in sorted(ran, key=lambda pair: math.prod(pair[0].case.sizes.values()) <= 1):  # more tells more
        found = judge_call(s, check, call, outcome)
        failed += bool(found)
        symptoms += bool(found) and all(f.code in SYMPTOMS for f in found)
        for failure in found:  # one of a kind and line: the same race on ten inputs is one race
            if (failure.code, failure.line) not in seen:
                seen.add((failure.code, failure.line))
                failures.append(failure)
    cause = next((f for f in (*failures, *(f for v in before for f in v.failures)) if f.line is not None), None)
    if cause is not None:
        failures = _mend_first(failures, cause, symptoms)
    note = Message("grading.inputs", {"right": len(ran) - failed, "total": len(ran)})
    if failures:
        return Verdict(check, FAILED, failures=tuple(failures[:MAX_FAILURES]), note=note)
    return Verdict(check, PASSED, check.points, note=note)


def _mend_first(failures: list[Failure], cause: Failure, inputs: int) -> list[Failure]:
    """The failures that name a line; that values are wrong on other inputs follows from `cause`, and is said once."""
    failures = [f for f in failures if f.code not in SYMPTOMS][: MAX_FAILURES - 1]
    if inputs:
        kind = "race" if cause.code.startswith("race") else "barrier" if "barrier" in cause.code else "other"
        what = Message(f"grading.cause-{'bounds' if 'out-of-bounds' in cause.code else kind}")
        values = {"count": inputs, "what": what, "line": cause.line}
        failures.append(Failure(Message("grading.follow-on", values), "", code="follow-on"))
    return failures


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
