"""A launch that takes too long in the interpreter is stopped, and told why: a loop, many programs, or many launches."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import pytest

from onekernel.grading.endings import only_slow
from onekernel.grading.verdicts import Failure
from onekernel.messages import Message
from onekernel.sandbox.supervisor import CALL_SECONDS
from onekernel.triton import watch
from onekernel.triton.faults import Stop

GRID = (4, 5, 6)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    now = [100.0]
    monkeypatch.setattr(watch, "time", SimpleNamespace(monotonic=lambda: now[0]))

    def passes(seconds: float) -> None:
        now[0] += seconds

    return passes


def stopped(patience: watch.Patience, program: tuple[int, int, int], launches: int = 0) -> Message:
    with pytest.raises(Stop) as caught:
        patience.ask(program, GRID, launches)
    assert caught.value.finding.code == "time-limit"
    return caught.value.finding.message


def test_it_is_told_before_the_process_is_ended() -> None:
    assert watch.SECONDS < 2 * CALL_SECONDS


def test_a_call_within_its_time_goes_on(clock: Callable[[float], None]) -> None:
    patience = watch.Patience()
    clock(watch.SECONDS - 0.1)
    patience.ask((0, 0, 0), GRID, 0)


def test_one_program_that_took_most_of_the_time_has_a_loop(clock: Callable[[float], None]) -> None:
    patience = watch.Patience()
    patience.ask((0, 0, 0), GRID, 0)
    clock(1)
    patience.ask((0, 0, 1), GRID, 0)
    clock(watch.SECONDS)
    said = stopped(patience, (0, 0, 1))
    assert said.key == "triton.time-limit" and said.values["program"] == "0, 0, 1"
    assert not only_slow(Failure(said, "", code="time-limit"))


def test_programs_that_come_and_go_are_too_many(clock: Callable[[float], None]) -> None:
    patience = watch.Patience()
    for program in ((0, 0, 0), (0, 2, 0), (1, 0, 0)):
        clock(watch.SECONDS / 4)
        patience.ask(program, GRID, 0)
    clock(watch.SECONDS / 4)
    said = stopped(patience, (2, 0, 0))
    assert said.key == "triton.time-limit-slow"
    assert (said.values["done"], said.values["programs"]) == (60, 120)
    assert said.values["needed"] == round(2 * watch.SECONDS)
    assert only_slow(Failure(said, "", code="time-limit"))


def test_launches_that_come_and_go_are_too_many(clock: Callable[[float], None]) -> None:
    patience = watch.Patience()
    for launches in range(10):
        patience.launch()
        clock(watch.SECONDS / 10)
        if launches < 9:
            patience.ask((0, 0, 0), GRID, launches)
    clock(1)
    said = stopped(patience, (0, 0, 1), 9)
    assert said.key == "triton.time-limit-late" and said.values["number"] == 10
    assert only_slow(Failure(said, "", code="time-limit"))
