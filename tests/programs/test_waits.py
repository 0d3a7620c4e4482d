"""Where a program waits: its time limit is told with the line, whoever uses up the time; work that makes progress is no
loop without an end; and a host that asks too early is answered as on a GPU."""

from __future__ import annotations

from pathlib import Path

import pytest

from onekernel.programs import Executable, build
from support.marks import marked

PATH = Path(__file__).with_name("waits.cu")
CLOCKS = PATH.with_name("clocks.cu")
SAID = {
    1: ("here a launch runs to its end before the host goes on", "hasta el final antes de que el host continúe"),
    2: ("here a launch runs to its end before the host goes on", "hasta el final antes de que el host continúe"),
    3: ("a loop there does not end", "un bucle de ahí no termina"),
    4: ("run together and take turns here", "se ejecutan a la vez y aquí se turnan"),
    5: ("of this block ended or came to the barrier", "de este bloque terminaron o llegaron a la barrera"),
}


@pytest.fixture(scope="module")
def waits() -> Executable:
    return build([PATH])


@pytest.mark.slow
@pytest.mark.parametrize("number", SAID)
@pytest.mark.sample(every=3)
def test_the_time_limit_is_told_with_its_line(number: int, waits: Executable) -> None:
    done = waits.run([str(number)], limit=1, quiet=True)
    told = {(f.code, f.line) for f in done.findings if f.code in ("time-limit", "no-report")}
    (text,) = (f.message for f in done.findings if f.code == "time-limit")
    assert told == marked(PATH, number) or (number == 5 and len(told) == 1)  # any line of the loop
    for language, said in zip(("en", "es"), SAID[number], strict=True):
        assert said in text.text(language)


@pytest.mark.slow
def test_a_host_that_asks_too_early_is_told_so(waits: Executable, capfd: pytest.CaptureFixture[str]) -> None:
    done = waits.run(["6"], limit=20)
    assert {(f.code, f.line) for f in done.findings if f.severity != "note"} == marked(PATH, 6)
    assert capfd.readouterr().out.splitlines() == ["cudaErrorNotReady -1", "cudaErrorNotReady 1 cudaSuccess 0"]


@pytest.mark.slow
def test_a_clock_is_told_for_what_it_measures(capfd: pytest.CaptureFixture[str]) -> None:
    clocks = build([CLOCKS])
    for number in range(1, 10):
        done = clocks.run([str(number)], limit=20)
        assert {(f.code, f.line) for f in done.findings} == marked(CLOCKS, number), number
        assert {f.severity for f in done.findings} <= {"note"}
    assert capfd.readouterr().out == "1\n" * 9
