"""A process that stands still is stopped, unless others had the processors meanwhile."""

from __future__ import annotations

import itertools
import math
import os
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from onekernel.sandbox import own_time, process
from onekernel.sandbox.own_time import Allowance

NAP = [sys.executable, "-c", "import time; time.sleep(1.5)"]


@pytest.mark.parametrize(("own", "timed_out"), [(time.monotonic, True), (lambda: 0.0, False)])
def test_the_time_in_which_others_had_the_processors_is_not_its_own(tmp_path: Path, monkeypatch, own, timed_out):
    monkeypatch.setattr(process, "OwnTime", lambda pid: SimpleNamespace(seconds=own))
    ended = process.run(NAP, folder=tmp_path, env=dict(os.environ), timeout=60.0, patience=lambda pid: (1, 0.3))
    assert ended.timed_out is timed_out


def test_no_sign_of_life_extends_what_all_processes_of_a_file_have(tmp_path: Path) -> None:
    """Nor does a new process: what an earlier one used is gone. What waits for others' turn uses nothing."""
    signs = itertools.count()
    env = dict(os.environ)

    def run(allowance: Allowance | None, seconds: float = 60.0) -> process.Ended:
        patience = lambda pid: (next(signs), seconds)  # noqa: E731
        return process.run(NAP, folder=tmp_path, env=env, timeout=60.0, patience=patience, allowance=allowance)

    mine = Allowance(2.0, lambda source: True)
    first, second = run(mine), run(mine)
    assert (first.timed_out, second.timed_out, second.over, second.limit) == (False, True, True, 2.0)
    waits = Allowance(1.0, lambda source: True)
    assert not run(waits, seconds=math.inf).timed_out and waits.spent < 1.0


class Machine:
    """What the kernel says of a process that watches over another, which has one below it."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self.now = folder, 100.0
        monkeypatch.setattr(own_time, "_PROC", folder)
        monkeypatch.setattr(own_time, "processors", lambda: 2)
        monkeypatch.setattr(own_time.time, "monotonic", lambda: self.now)
        for pid, below in ((1, "2 "), (2, "3 "), (3, "")):
            self.says(pid, 0.0, 0.0, below)

    def says(self, pid: int, ran: float, queued: float, below: str | None = None) -> None:
        task = self.folder / str(pid) / "task" / str(pid)
        task.mkdir(parents=True, exist_ok=True)
        (task / "schedstat").write_text(f"{ran * 1e9:.0f} {queued * 1e9:.0f} 7\n")
        if below is not None:
            (task / "children").write_text(below)


@pytest.mark.parametrize(("worked", "watched", "own"), [
    ((0.5, 9.5), (0.0, 0.0), 0.5),  # others had the processors: of ten seconds, half of one is its own
    ((10.0, 0.0), (0.0, 0.0), 10.0),
    ((0.0, 0.0), (0.0, 0.0), 10.0),  # it sleeps
    ((10.0, 0.0), (10.0, 9.9), 10.0),  # they keep each other from the processors
    ((0.0, 99.0), (0.0, 0.0), 0.0),
])  # fmt: skip
def test_who_works_below_the_process_that_is_watched_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, worked: tuple[float, float], watched: tuple[float, float],
    own: float,
) -> None:
    machine = Machine(tmp_path, monkeypatch)
    its = own_time.OwnTime(1)
    assert its.seconds() == 0.0
    machine.now += 10.0
    machine.says(3, *worked)
    machine.says(2, *watched)
    assert its.seconds() == pytest.approx(own)
    machine.now += 1.0
    for path in (tmp_path / "3" / "task" / "3", tmp_path / "2" / "task" / "2"):  # they end
        (path / "schedstat").unlink()
    assert its.seconds() == pytest.approx(own + 1.0)


def test_the_kernel_says_it_of_this_process() -> None:
    its = own_time.OwnTime(os.getpid())
    time.sleep(0.05)
    assert 0.0 <= its.seconds() < 60.0
    assert own_time._threads(os.getpid())[0] and own_time._threads(2**22 + 1) == ({}, 0.0)


def test_what_ended_between_two_looks_is_told_by_who_waited_for_it(tmp_path: Path, monkeypatch) -> None:
    """One that waits for its turn behind processes that end before they are looked at: no time would be its own."""
    machine = Machine(tmp_path, monkeypatch)
    its = own_time.OwnTime(1)
    ticks = os.sysconf("SC_CLK_TCK")
    for turn in (0, 1, 2):
        assert its.seconds() == pytest.approx(10.0 * turn)
        machine.now += 10.0
        machine.says(3, 0.0, 10.0 * (turn + 1))
        ended = f"{15 * (turn + 1) * ticks} {5 * (turn + 1) * ticks}"  # two processors all the time
        (tmp_path / "2" / "stat").write_text(f"2 (a) b 1) S 1 2 2 0 -1 64 9 9 0 0 7 7 {ended} 20 0 1 0\n")


def test_a_child_is_not_counted_again_when_it_has_been_waited_for(tmp_path: Path, monkeypatch) -> None:
    machine = Machine(tmp_path, monkeypatch)
    its = own_time.OwnTime(1)
    its.seconds()
    machine.now += 10.0
    machine.says(2, 0.0, 10.0)
    machine.says(3, 4.0, 0.0)
    assert its.seconds() == pytest.approx(2.0)
    (tmp_path / "3" / "task" / "3" / "schedstat").unlink()
    (tmp_path / "2" / "stat").write_text(f"2 (name) S 1 2 2 0 -1 64 9 9 0 0 7 7 {4 * os.sysconf('SC_CLK_TCK')} 0 20\n")
    machine.now += 10.0
    machine.says(2, 0.0, 20.0)
    assert its.seconds() == pytest.approx(2.0)


def test_a_share_of_the_clock_is_always_spent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever hides its work from whoever looks has its bound some times over, and not for ever."""
    monkeypatch.setattr(process, "OwnTime", lambda pid: SimpleNamespace(seconds=lambda: 0.0))
    mine = Allowance(1.0 * own_time.SHARE, lambda source: True)
    ended = process.run(NAP, folder=tmp_path, env=dict(os.environ), timeout=60.0, allowance=mine)
    assert ended.timed_out and ended.over


class Held:
    """A process that the system holds: neither SIGKILL nor waiting brings it to its end."""

    def __init__(self) -> None:
        self.pid, self.returncode, self.killed = 2**22 + 1, None, False

    def kill(self) -> None:
        self.killed = True

    def wait(self, timeout: float | None = None) -> int:
        assert timeout is not None, "would wait for ever"
        raise subprocess.TimeoutExpired("held", timeout)


def test_a_process_that_the_driver_does_not_let_go_is_not_waited_for(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(process, "GONE_SECONDS", 0.1)
    monkeypatch.setattr(process, "POLL_SECONDS", 0.01)
    held = Held()
    ended = process.run([], folder=tmp_path, env={}, timeout=0.2, fork=lambda *_: held)
    assert held.killed and ended.timed_out and not ended.survivors and ended.returncode == -9
