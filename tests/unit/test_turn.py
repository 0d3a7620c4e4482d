"""One process at a time has a GPU to itself; waiting for that is nobody's time."""

from __future__ import annotations

import os
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest

from onekernel.sandbox import process, supervisor, turn

NAP = """
import pathlib, time
pathlib.Path("out/turn").touch()
while not pathlib.Path("given").exists(): time.sleep(0.02)
"""


@pytest.fixture
def jobs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(supervisor.warm, "server", lambda *_: None)
    for name in ("a", "b"):
        (tmp_path / name / "out").mkdir(parents=True)
        (tmp_path / name / "out" / "built.json").touch()
    return [tmp_path / "a", tmp_path / "b"]


def test_who_asks_gets_the_turn_when_the_one_before_has_ended(jobs: list[Path]) -> None:
    first, second = jobs
    with turn.kept(second) as his:
        with turn.kept(first) as mine:
            assert not mine.waits() and not mine.given  # nobody has asked
            asking = threading.Thread(target=turn.wait, args=[first])
            asking.start()
            while not (first / "out" / turn.ASKED).exists():
                time.sleep(0.01)
            assert not mine.waits() and mine.given
            asking.join(10)
            (second / "out" / turn.ASKED).touch()
            assert his.waits() and not (second / turn.GIVEN).exists()
        assert not his.waits() and (second / turn.GIVEN).exists()


@pytest.mark.parametrize(("after", "timed_out"), [("pass", False), ("time.sleep(60)", True)])
def test_time_in_the_queue_is_not_the_processes_own_and_what_follows_is(
    jobs: list[Path], monkeypatch: pytest.MonkeyPatch, after: str, timed_out: bool
) -> None:
    """It waits for three times as long as a call may stand still, and is stopped if it stands still afterwards."""
    first, second = jobs
    monkeypatch.setattr(supervisor, "_environment", lambda folder: dict(os.environ))
    run = process.run
    argv = [sys.executable, "-c", NAP + after]
    monkeypatch.setattr(process, "run", lambda _, **how: run(argv, **how))
    with turn.kept(first) as mine:
        (first / "out" / turn.ASKED).touch()
        assert not mine.waits()
        ended: list[process.Ended] = []
        waiting = threading.Thread(
            target=lambda: ended.append(supervisor._start(second, "cuda", call_seconds=0.5, whole=True))
        )
        waiting.start()
        time.sleep(1.5)
        assert not ended
    waiting.join(20)
    assert ended[0].timed_out is timed_out


def test_where_no_lock_can_be_had_nobody_waits(jobs: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/proc")
    with turn.kept(jobs[0]) as mine:
        (jobs[0] / "out" / turn.ASKED).touch()
        assert not mine.waits() and mine.given
        turn.wait(jobs[0])
