"""A GPU that fails is the machine's fault: lost, with errors in its memory, or held down by its hardware."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from onekernel.backends.base import CallReport
from onekernel.grading import grader
from onekernel.grading.submission import Submission
from onekernel.sandbox import gpu_state, supervisor
from onekernel.sandbox.gpu_state import Card, cards, require
from onekernel.sandbox.machine import MachineFault
from onekernel.sandbox.supervisor import CallOutcome, RunOutcome
from support.course import COURSE


class Nvml:
    """A driver with `found` cards: (status of the handle, errors, reasons) each."""

    def __init__(self, *found: tuple[int, int, int]) -> None:
        self.found = found

    def nvmlDeviceGetCount_v2(self, count: Any) -> int:
        count._obj.value = len(self.found)
        return 0

    def nvmlDeviceGetHandleByIndex_v2(self, index: int, handle: Any) -> int:
        handle._obj.value = index + 1
        return self.found[index][0]

    def nvmlDeviceGetTotalEccErrors(self, handle: Any, kind: int, since: int, count: Any) -> int:
        count._obj.value = self.found[handle.value - 1][1]
        return 0 if (kind, since) == (1, 0) else 2

    def nvmlDeviceGetCurrentClocksThrottleReasons(self, handle: Any, reasons: Any) -> int:
        reasons._obj.value = self.found[handle.value - 1][2]
        return 0


def test_what_the_driver_says_is_read() -> None:
    assert cards(None) == ()
    assert cards(Nvml((0, 2, 0x04), (15, 0, 0), (0, 0, 0x40))) == (Card(2), Card(lost=True), Card(0, slowed=True))


@pytest.mark.parametrize(
    ("before", "after", "timed", "message"),
    [
        ((0, 1, 0), (0, 2, 0), False, "memory"),
        ((0, 0, 0), (15, 0, 0), False, "lost"),
        ((0, 0, 0), (16, 0, 0), False, "lost"),
        ((0, 0, 0), (0, 0, 0x08), True, "clock"),
    ],
)
def test_a_card_that_fails_between_two_looks_is_told(
    before: tuple[int, int, int], after: tuple[int, int, int], timed: bool, message: str
) -> None:
    with pytest.raises(MachineFault, match=message):
        require(cards(Nvml(before)), cards(Nvml(after)), timed=timed)


def test_a_card_that_was_like_that_before_costs_nothing() -> None:
    old = cards(Nvml((0, 7, 0x04)))
    require(old, old, timed=True)
    require(old, cards(Nvml((0, 7, 0x40))), timed=False)
    with pytest.raises(MachineFault, match="lost"):
        require((*old, *old), old, timed=False)


@pytest.mark.parametrize("status", [46, 100, 214, 802])
def test_an_error_of_the_card_that_the_solution_shares_is_the_machines(
    status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    exercise = COURSE.exercises["vector_add"]
    path = tmp_path / exercise.file
    path.write_text(COURSE.solution(exercise).read_text() + "\n// mine\n")
    mine = Submission(COURSE, exercise, path, "simulator", 1)

    def ended(calls: int, status: int) -> RunOutcome:
        return RunOutcome([CallOutcome(CallReport(status, "-")) for _ in range(calls)])

    monkeypatch.setattr(supervisor, "run", lambda request: ended(len(request.calls), status))
    with pytest.raises(MachineFault):
        grader.grade(mine)
    his = {path: status}
    monkeypatch.setattr(supervisor, "run", lambda r: ended(len(r.calls), his.get(r.source, 0)))
    assert grader.grade(mine).earned == 0


def test_points_that_a_failing_card_cost_are_not_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    exercise = COURSE.exercises["vector_add"]
    path = tmp_path / exercise.file
    path.write_text(COURSE.solution(exercise).read_text() + "\n// mine\n")
    looks = iter([(Card(0),), (Card(1),)])
    monkeypatch.setattr(gpu_state, "cards", lambda nvml: next(looks))
    monkeypatch.setattr(supervisor, "run", lambda request: RunOutcome([CallOutcome() for _ in request.calls]))
    monkeypatch.setattr(grader, "on_both", lambda s, grade: [])
    with pytest.raises(MachineFault, match="memory"):
        grader.grade(Submission(COURSE, exercise, path, "cuda", 1))
