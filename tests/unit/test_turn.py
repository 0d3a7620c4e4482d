"""What is timed has a GPU to itself, what is compared shares it; waiting for that is nobody's time."""

from __future__ import annotations

import contextlib
import os
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
from onekernel.ways import INTERPRETED

NAP = """
import pathlib, time
pathlib.Path("out/turn").touch()
while not pathlib.Path("given").exists(): time.sleep(0.02)
"""

TOGETHER = """
import pathlib, time
pathlib.Path("compiles").touch()
while len(list(pathlib.Path("..").glob("*/compiles"))) < 2: time.sleep(0.02)
def log(word):
    with pathlib.Path("../log").open("a") as file: file.write(word + "\\n")
"""
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
    _runs(monkeypatch, NAP + after)
    monkeypatch.setattr(supervisor, "TOTAL_SECONDS", 1.0 if after == "pass" else 60.0)  # of which waiting is no part
    with turn.kept(first) as mine:
        (first / "out" / turn.ASKED).touch()
        assert not mine.waits()
        ended: list[process.Ended] = []
        waiting = threading.Thread(
            target=lambda: ended.append(supervisor._start(second, CUDA, call_seconds=0.5))
        )
        waiting.start()
        time.sleep(1.5)
        assert not ended
    waiting.join(20)
    assert ended[0].timed_out is timed_out


def test_who_compares_shares_the_card_and_who_is_to_be_alone_comes_next(jobs: list[Path]) -> None:
    first, second = jobs
    third = first.parent / "c"
    (third / "out").mkdir(parents=True)
    for job in (first, second, third):
        (job / "out" / turn.ASKED).touch()
    with contextlib.ExitStack() as stack:
        last = stack.enter_context(turn.kept(third, alone=False))
        with turn.kept(second) as timed:
            with turn.kept(first, alone=False) as mine:
                assert not mine.waits() and mine.given
                with turn.kept(third, alone=False) as beside:
                    assert not beside.waits()
                (third / turn.GIVEN).unlink()
                assert timed.waits()
                assert last.waits()  # it could share the card, and would be before who waits for it to be empty
            assert not timed.waits() and last.waits()
        assert not last.waits()


def test_files_are_built_side_by_side_and_timed_on_a_gpu_one_at_a_time(
    jobs: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each compiles until the other does too; then the one has the card until its process ends, and so has the other.
    What the trusted side times has it alone as well."""
    _runs(monkeypatch, TOGETHER + NAP + "log('begins'); time.sleep(0.3); log('ends')")
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
    (jobs[0] / "out" / turn.ASKED).touch()
    with contextlib.ExitStack() as stack:
        monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
        stack.enter_context(turn.held())
        for seen, waits in (("0", True), ("0,1", True), ("1", False)):
            monkeypatch.setenv("CUDA_VISIBLE_DEVICES", seen)
            with turn.kept(jobs[0]) as mine:
                assert mine.waits() == waits


def test_a_lock_that_somebody_tidied_away_is_still_one_for_all(jobs: list[Path], tmp_path: Path) -> None:
    """Who opened the file before it lost its name, and who makes it anew, do not both have the turn."""
    first, second = jobs
    for job in jobs:
        (job / "out" / turn.ASKED).touch()
    with turn.kept(first) as mine:
        for file in tmp_path.glob("onekernel-turn-*.lock"):
            file.unlink()
        with turn.kept(second) as his:
            assert not his.waits() and his.given
            assert mine.waits() and not mine.given
        assert not mine.waits() and mine.given


def test_the_turn_of_a_grader_that_was_killed_is_free(jobs: list[Path], tmp_path: Path) -> None:
    script = """
import sys, tempfile, time
tempfile.tempdir = sys.argv[1]
from onekernel.sandbox import turn
with turn.held():
    print("held", flush=True)
    time.sleep(600)
"""
    killed = subprocess.Popen([sys.executable, "-c", script, str(tmp_path)], stdout=subprocess.PIPE)
    assert killed.stdout is not None and killed.stdout.readline() == b"held\n"
    (jobs[0] / "out" / turn.ASKED).touch()
    with turn.kept(jobs[0]) as mine:
        assert mine.waits()
        killed.kill()
        killed.wait()
        assert not mine.waits() and mine.given
    killed.stdout.close()


def test_where_no_lock_can_be_had_nobody_waits(jobs: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/proc")
    with turn.kept(jobs[0]) as mine:
        (jobs[0] / "out" / turn.ASKED).touch()
        assert not mine.waits() and mine.given
        turn.wait(jobs[0])
