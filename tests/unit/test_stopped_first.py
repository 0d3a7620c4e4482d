"""What is said first of a kernel that was stopped: that it does not end, unless it only was slow and is wrong, too."""

from __future__ import annotations

import pytest

from onekernel.course import Check, Text
from onekernel.grading.endings import NOT_RUN, only_slow, stopped_first
from onekernel.grading.verdicts import FAILED, Failure, Verdict
from onekernel.messages import Message, area

WRONG = Failure(Message("grading.values"), "", code="values")
AFTER = Failure(Message(NOT_RUN[0]), "", code="ended")
ENDLESS_FORMS = ("kernel", "waits", "meets", "mapped", "program", "host", "outside", "outside-launch")
SLOW_FORMS = ("slow", "threads", "late", "between", "launches", "together", "arrives")
PART = "faster"  # of their sentences


def stopped(form: str) -> Failure:
    """As the simulator tells of a launch that it stopped."""
    about = Message("grading.on-simulator")
    return Failure(Message(f"simulator.time-limit-{form}"), "", about=about, line=3, code="time-limit")


def said(*failures: tuple[Failure, ...]) -> list[list[str]]:
    check = Check("one", "correct", 1, Text("", ""), "", {})
    told = stopped_first([Verdict(check, FAILED, 0.0, fs) for fs in failures])
    return [[f.code for f in verdict.failures] for verdict in told]


def test_the_simulator_has_these_forms_and_no_others() -> None:
    forms = {key.removeprefix("time-limit-") for key in area("simulator") if key.startswith("time-limit-")}
    assert forms == {*ENDLESS_FORMS, *SLOW_FORMS, PART}


@pytest.mark.parametrize("form", ENDLESS_FORMS)
def test_what_never_ends_is_said_before_what_is_wrong(form: str) -> None:
    assert not only_slow(stopped(form))
    assert said((WRONG, stopped(form), AFTER), (AFTER,)) == [["time-limit", "values"], ["ended"]]


@pytest.mark.parametrize("form", SLOW_FORMS)
def test_what_made_progress_is_said_behind_what_is_wrong(form: str) -> None:
    """Wrong numbers on short inputs do not come from a launch that was stopped on a long one."""
    assert only_slow(stopped(form))
    assert said((WRONG, stopped(form), AFTER), (AFTER,)) == [["values", "time-limit"], ["ended"]]
    assert said((stopped(form), AFTER), (AFTER,)) == [["time-limit"], ["ended"]]
