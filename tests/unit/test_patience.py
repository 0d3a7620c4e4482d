"""A process that stands still is stopped, unless others had the processors meanwhile."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from onekernel.sandbox import process

NAP = [sys.executable, "-c", "import time; time.sleep(1.5)"]


@pytest.mark.parametrize(("queued", "timed_out"), [(lambda pid: 0.0, True), (lambda pid: time.monotonic(), False)])
def test_the_time_in_which_others_had_the_processors_is_not_its_own(tmp_path: Path, monkeypatch, queued, timed_out):
    monkeypatch.setattr(process, "_queued", queued)
    ended = process.run(NAP, folder=tmp_path, env=dict(os.environ), timeout=60.0, patience=lambda: (1, 0.3))
    assert ended.timed_out is timed_out


def test_what_the_kernel_says_of_waiting_is_seconds():
    assert 0.0 <= process._queued(os.getpid()) < 1e6
    assert process._queued(2**22 + 1) == 0.0


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
