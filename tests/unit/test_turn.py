"""What is timed has a GPU to itself, what is compared shares it; waiting for that is nobody's time."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from onekernel.sandbox import process, supervisor, turn
from onekernel.sandbox.protocol import Request
from onekernel.ways import INTERPRETED, SPARSE
from support.patience import HUNG_SECONDS

NAP = """
import pathlib, time
pathlib.Path("out/turn").touch()
while not pathlib.Path("turn-given").exists(): time.sleep(0.02)
"""

TOGETHER = """
import pathlib, time
pathlib.Path("compiles").touch()
while len(list(pathlib.Path("..").glob("*/compiles"))) < 2: time.sleep(0.02)
def log(word):
    with pathlib.Path("../log").open("a") as file: file.write(word + "\\n")
"""
COUNTS = """
import os, time
if os.fork() == 0:
    while True: print(end=".", flush=True); time.sleep(0.01)
os.wait()
"""
NOBODY = 0  # a process that is not there
CUDA = Request(Path("x.cu"), "cuda")
TIMED = Request(Path("x.cu"), "cuda", timed={"launches": 3, "kept": [0]})


@pytest.fixture
def jobs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(supervisor.warm, "server", lambda *_: None)
    for name in ("a", "b"):
        (tmp_path / name / "out").mkdir(parents=True)
        (tmp_path / name / "out" / "built.json").touch()
    return [tmp_path / "a", tmp_path / "b"]


def given(job: Path, asked: str = turn.SHARED) -> bool:
    return (job / f"{asked}{turn.GIVEN}").exists()


def test_who_asks_gets_the_turn_when_the_one_before_has_ended(jobs: list[Path]) -> None:
    first, second = jobs
    with turn.kept(second, alone=True) as his:
        with turn.kept(first, alone=True) as mine:
            assert not mine.waits(NOBODY) and not given(first)  # nobody has asked
            asking = threading.Thread(target=turn.wait, args=[first, turn.ALONE])
            asking.start()
            while not (first / "out" / turn.ALONE).exists():
                time.sleep(0.01)
            assert not mine.waits(NOBODY) and given(first, turn.ALONE)
            asking.join(10)
            (second / "out" / turn.ALONE).touch()
            assert his.waits(NOBODY) and not given(second, turn.ALONE)
        assert not his.waits(NOBODY) and given(second, turn.ALONE)


def test_who_need_not_be_alone_any_more_lets_others_in_before_it_ends(jobs: list[Path]) -> None:
    first, second = jobs
    with turn.kept(first, alone=True) as mine, turn.kept(second, alone=False) as his:
        (first / "out" / turn.SHARED).touch()
        (second / "out" / turn.SHARED).touch()
        assert not mine.waits(NOBODY) and not his.waits(NOBODY)  # both share it
        (first / "out" / turn.ALONE).touch()
        assert mine.waits(NOBODY) and his.waits(NOBODY)
        assert not mine.waits(NOBODY) and given(first, turn.ALONE)
        assert his.waits(NOBODY)
        turn.leave(first)
        assert not mine.waits(NOBODY) and not his.waits(NOBODY)


def test_who_may_not_be_alone_shares_whatever_it_asks_for(jobs: list[Path]) -> None:
    first, second = jobs
    with turn.kept(first, alone=False) as mine, turn.kept(second, alone=False) as his:
        (first / "out" / turn.ALONE).touch()
        (second / "out" / turn.SHARED).touch()
        assert not mine.waits(NOBODY) and not given(first, turn.ALONE)
        assert not his.waits(NOBODY) and given(second)


def test_who_shares_the_card_is_stopped_with_its_children_for_one_that_is_to_be_alone(jobs: list[Path]) -> None:
    first, second = jobs
    with (first / "log").open("wb") as log, subprocess.Popen([sys.executable, "-c", COUNTS], stdout=log) as process:
        try:
            with turn.kept(first, alone=False) as mine, turn.kept(second, alone=True) as timed:
                (first / "out" / turn.SHARED).touch()
                (second / "out" / turn.ALONE).touch()
                assert not mine.waits(process.pid)
                _grows(first / "log")
                assert timed.waits(NOBODY) and mine.waits(process.pid) and not timed.waits(NOBODY)
                time.sleep(0.2)
                stopped = (first / "log").stat().st_size
                time.sleep(0.3)
                assert (first / "log").stat().st_size == stopped and mine.waits(process.pid)
                assert Path(f"/proc/{process.pid}/stat").read_text().split()[2] == "S"  # it only waits, and may be told
                turn.leave(second)
                assert not timed.waits(NOBODY) and not mine.waits(process.pid)
                _grows(first / "log")
        finally:
            turn._signal(process.pid, signal.SIGKILL)


def test_who_goes_on_while_it_is_to_stand_is_stopped_again(jobs: list[Path]) -> None:
    """One of a family that was being started while the others were stopped lets them go on."""
    first, second = jobs
    with (first / "log").open("wb") as log, subprocess.Popen([sys.executable, "-c", COUNTS], stdout=log) as process:
        try:
            with turn.kept(first, alone=False) as mine, turn.kept(second, alone=True) as timed:
                (first / "out" / turn.SHARED).touch()
                (second / "out" / turn.ALONE).touch()
                assert not mine.waits(process.pid)
                _grows(first / "log")
                assert timed.waits(NOBODY) and mine.waits(process.pid) and not timed.waits(NOBODY)
                turn._signal(process.pid, signal.SIGCONT)
                _grows(first / "log")
                assert mine.waits(process.pid)
                time.sleep(0.2)
                stopped = (first / "log").stat().st_size
                time.sleep(0.3)
                assert (first / "log").stat().st_size == stopped
        finally:
            turn._signal(process.pid, signal.SIGKILL)


def test_who_asks_to_be_alone_is_stopped_until_it_is(jobs: list[Path]) -> None:
    """Its file has been loaded by then, and can ask before our own code does: it has nothing on the card meanwhile."""
    first, second = jobs
    with (first / "log").open("wb") as log, subprocess.Popen([sys.executable, "-c", COUNTS], stdout=log) as process:
        try:
            with turn.kept(first, alone=True) as mine, turn.kept(second, alone=True) as other:
                for job in jobs:
                    (job / "out" / turn.SHARED).touch()
                assert not mine.waits(process.pid) and not other.waits(NOBODY)
                _grows(first / "log")
                (second / "out" / turn.ALONE).touch()
                assert other.waits(NOBODY) and other.waits(NOBODY)
                (first / "out" / turn.ALONE).touch()
                assert mine.waits(process.pid) and not other.waits(NOBODY)
                time.sleep(0.2)
                stopped = (first / "log").stat().st_size
                time.sleep(0.3)
                assert (first / "log").stat().st_size == stopped and mine.waits(process.pid)
                turn.leave(second)
                assert not other.waits(NOBODY) and mine.waits(process.pid)
                assert other.waits(NOBODY) and not mine.waits(process.pid) and given(first, turn.ALONE)
                _grows(first / "log")
        finally:
            turn._signal(process.pid, signal.SIGKILL)


def test_who_fills_the_memory_of_the_card_is_one_at_a_time(jobs: list[Path]) -> None:
    first, second = jobs
    with turn.kept(first, alone=False, fills=True) as mine, turn.kept(second, alone=False, fills=True) as his:
        for job, of_job in ((first, mine), (second, his)):
            (job / "out" / turn.SHARED).touch()
            assert not of_job.waits(NOBODY)
            (job / "out" / turn.FILLS).touch()
        before = mine.changes
        assert not mine.waits(NOBODY) and given(first, turn.FILLS) and mine.changes > before
        assert his.waits(NOBODY) and not given(second, turn.FILLS)
        turn.leave(first, turn.FILLED)
        assert not mine.waits(NOBODY) and not his.waits(NOBODY) and given(second, turn.FILLS)
        assert not mine.waits(NOBODY)  # it asks no more


def test_who_fills_the_memory_keeps_it_when_its_process_ends_no_longer(jobs: list[Path]) -> None:
    first, second = jobs
    with turn.kept(second, alone=False, fills=True) as his:
        for job in jobs:
            for asked in (turn.SHARED, turn.FILLS):
                (job / "out" / asked).touch()
        with turn.kept(first, alone=False, fills=True) as mine:
            assert not mine.waits(NOBODY) and not mine.waits(NOBODY) and given(first, turn.FILLS)
            assert not his.waits(NOBODY) and his.waits(NOBODY)
        assert not his.waits(NOBODY) and given(second, turn.FILLS)


def test_who_fills_the_memory_is_not_stopped_before_it_has_given_it_back(jobs: list[Path]) -> None:
    """Whoever is to be alone finds room, and who waits to fill it may be stopped."""
    first, second = jobs
    with turn.kept(first, alone=False, fills=True) as mine, turn.kept(second, alone=True) as timed:
        for asked in (turn.SHARED, turn.FILLS):
            (first / "out" / asked).touch()
        assert not mine.waits(NOBODY) and not mine.waits(NOBODY) and given(first, turn.FILLS)
        for asked in (turn.SHARED, turn.ALONE):
            (second / "out" / asked).touch()
        assert timed.waits(NOBODY) and not mine.waits(NOBODY) and timed.waits(NOBODY)
        turn.leave(first, turn.FILLED)
        assert not mine.waits(NOBODY) and mine.waits(NOBODY)
        assert not timed.waits(NOBODY) and given(second, turn.ALONE)


def test_only_who_may_fill_the_memory_is_given_it(jobs: list[Path]) -> None:
    job, _ = jobs
    with turn.kept(job, alone=False) as mine:
        for asked in (turn.SHARED, turn.FILLS):
            (job / "out" / asked).touch()
        assert not mine.waits(NOBODY) and not mine.waits(NOBODY) and not given(job, turn.FILLS)
    assert turn.fills(Request(Path("x.cu"), "cuda", ways=["", SPARSE])) and not turn.fills(CUDA)


def _grows(log: Path) -> None:
    size, until = log.stat().st_size, time.monotonic() + HUNG_SECONDS
    while log.stat().st_size == size:
        assert time.monotonic() < until
        time.sleep(0.02)


@pytest.mark.parametrize(("after", "timed_out"), [("pass", False), ("time.sleep(60)", True)])
def test_time_in_the_queue_is_not_the_processes_own_and_what_follows_is(
    jobs: list[Path], monkeypatch: pytest.MonkeyPatch, after: str, timed_out: bool
) -> None:
    """It waits for three times as long as a call may stand still, and is stopped if it stands still afterwards."""
    first, second = jobs
    _runs(monkeypatch, NAP + after)
    monkeypatch.setattr(supervisor, "TOTAL_SECONDS", 1.0 if after == "pass" else 60.0)  # of which waiting is no part
    with turn.kept(first, alone=True) as mine:
        (first / "out" / turn.ALONE).touch()
        assert not mine.waits(NOBODY)
        ended: list[process.Ended] = []
        waiting = threading.Thread(
            target=lambda: ended.append(supervisor._start(second, CUDA, call_seconds=0.5))
        )
        waiting.start()
        time.sleep(1.5)
        assert not ended
    waiting.join(20)
    assert ended[0].timed_out is timed_out


def test_files_are_built_side_by_side_and_timed_on_a_gpu_one_at_a_time(
    jobs: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each compiles until the other does too; then the one has the card until its process ends, and so has the other.
    What the trusted side times has it alone as well."""
    nap = NAP + NAP.replace("turn", "turn-alone")
    _runs(monkeypatch, TOGETHER + nap + "log('begins'); time.sleep(0.3); log('ends')")
    at_work = [threading.Thread(target=supervisor._start, args=[job, TIMED]) for job in jobs]
    for one in at_work:
        one.start()
    while not (tmp_path / "log").exists():
        time.sleep(0.01)
    with turn.held(), (tmp_path / "log").open("a") as file:
        file.write("begins\nends\n")
    for one in at_work:
        one.join(60)
    assert (tmp_path / "log").read_text().split() == ["begins", "ends"] * 3


def _runs(monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Has the supervisor run a script in the worker's place, as if a GPU were to run what it builds."""
    run, argv = process.run, [sys.executable, "-c", script]
    monkeypatch.setattr(turn, "gpu_nodes", lambda: [Path("/dev/null")])
    monkeypatch.setattr(process, "_children", set)  # here two run in one process, and each is no stray of the other's
    monkeypatch.setattr(supervisor, "_environment", lambda folder: dict(os.environ))
    monkeypatch.setattr(process, "run", lambda _, **how: run(argv, **how))


@pytest.mark.parametrize(("backend", "options", "takes_turns"), [
    ("cuda", {}, True), ("triton", {}, True), ("simulator", {}, False), (INTERPRETED, {}, False),
    ("python", {"requests": [{"device": "cpu"}, 3]}, False), ("python", {"requests": [{"device": "cuda"}]}, True),
    ("python", {"requests": [{"cuda": True}]}, True),
    ("python", {"requests": [{"gpu": True, "n": 9}]}, True), ("python", {"requests": [{"cuda": False}]}, False),
    ("python", {"requests": [], "kernel_backend": "cuda"}, True),
    ("python", {"requests": [], "kernel_backend": "simulator"}, False),
])  # fmt: skip
def test_what_a_gpu_runs_takes_turns_and_what_it_does_not_does_not(
    backend: str, options: dict[str, Any], takes_turns: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = Request(Path("x"), backend, options=options)
    assert not turn.needed(request) or turn.gpu_nodes()
    monkeypatch.setattr(turn, "gpu_nodes", lambda: [Path("/dev/null")])
    assert turn.needed(request) == takes_turns


def test_what_is_timed_is_to_be_alone() -> None:
    assert turn.alone(TIMED) and not turn.alone(CUDA)
    assert turn.alone(Request(Path("x.py"), "python", options={"requests": [{"cuda": True}, {"gpu": True, "n": 9}]}))
    assert not turn.alone(Request(Path("x.py"), "python", options={"requests": [{"device": "cuda"}]}))


def test_who_sees_all_gpus_and_who_sees_the_first_share_its_turn(
    jobs: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    (jobs[0] / "out" / turn.SHARED).touch()
    with contextlib.ExitStack() as stack:
        monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
        stack.enter_context(turn.held())
        for seen, waits in (("0", True), ("0,1", True), ("1", False)):
            monkeypatch.setenv("CUDA_VISIBLE_DEVICES", seen)
            with turn.kept(jobs[0], alone=False) as mine:
                assert mine.waits(NOBODY) == waits


def test_where_files_cannot_be_locked_everybody_has_the_card_at_once(
    jobs: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refused)
    for job in jobs:
        (job / "out" / turn.ALONE).touch()
        with turn.kept(job, alone=True) as mine:
            assert not mine.waits(NOBODY) and all(given(job, w) for w in (turn.SHARED, turn.ALONE, turn.FILLS))
