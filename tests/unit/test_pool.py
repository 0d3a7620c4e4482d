"""Several files graded at once: what `onekernel check` of more than one exercise does without a GPU."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import replace
from multiprocessing import active_children
from pathlib import Path

import pytest

from onekernel.backends.base import Unavailable
from onekernel.cli import pool
from onekernel.grading.grader import grade
from onekernel.grading.submission import Submission
from onekernel.messages import Message
from support.course import COURSE, ROOT

CHECK = """
import os, sys
if __name__ == "__main__":
    os.sched_getaffinity = lambda pid: {0, 1}
    from onekernel.cli import main
    sys.exit(main())
"""


@pytest.fixture
def two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 1})


def answer(slug: str, path: Path | None = None) -> Submission:
    exercise = COURSE.exercises[slug]
    return Submission(COURSE, exercise, path or COURSE.solution(exercise), "simulator", 7)


@pytest.mark.slow
def test_results_are_those_of_one_after_the_other(two_cores: None, tmp_path: Path) -> None:
    wrong = tmp_path / "guard.cu"
    text = COURSE.solution(COURSE.exercises["guard"]).read_text(encoding="utf-8")
    wrong.write_text(text.replace("i >= n", "i > n"), encoding="utf-8")
    every = [answer("reverse"), answer("guard", wrong), answer("guard", tmp_path / "none.cu"), answer("round_up")]
    results = list(pool.graded(every))
    assert [replace(r, seconds=0.0) for r in results] == [replace(grade(s), seconds=0.0) for s in every]
    assert [r.solved for r in results] == [True, False, False, True]


@pytest.mark.slow
def test_who_wants_no_more_leaves_no_process(two_cores: None) -> None:
    following = pool.graded([answer("reverse"), answer("guard"), answer("round_up")])
    assert next(following).solved
    assert active_children()
    following.close()
    assert not active_children()


@pytest.mark.slow
def test_whoever_has_all_results_or_is_interrupted_sees_no_traceback() -> None:
    check = [sys.executable, "-c", CHECK, "check", "round_up", "guard", "reverse", "--solutions"]
    done = subprocess.run(check, capture_output=True, text=True, cwd=ROOT)
    assert (done.returncode, done.stderr) == (0, "")
    with subprocess.Popen(check, stdout=-1, stderr=-1, text=True, cwd=ROOT, start_new_session=True) as interrupted:
        assert interrupted.stdout and "✓" in "".join(interrupted.stdout.readline() for _ in range(4))
        os.killpg(interrupted.pid, signal.SIGINT)  # as a terminal does: to all of them
        assert "Traceback" not in interrupted.communicate()[1]


@pytest.mark.slow
def test_a_process_that_does_not_end_is_not_waited_for(two_cores: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may have been told to end while it held the lock that the others wait for."""
    monkeypatch.setattr(pool, "PATIENCE", 0.5)
    following = pool.graded([answer("reverse"), answer("guard"), answer("round_up")])
    assert next(following).solved
    for process in active_children():
        os.kill(process.pid or 0, signal.SIGSTOP)
    following.close()
    assert not active_children()


@pytest.mark.slow
def test_what_is_refused_meanwhile_leaves_no_result_and_no_process(two_cores: None) -> None:
    """A device is tested while the files are built, and nobody sees a verdict of one that fails."""
    began: list[int] = []

    def refuse() -> None:
        began.append(len(active_children()))
        raise Unavailable(Message("simulator.no-compiler", {"name": "g++"}))

    with pytest.raises(Unavailable):
        next(pool.graded([answer("reverse"), answer("guard")], refuse))
    assert began == [2]
    assert not active_children()


def test_one_that_runs_is_graded_here(two_cores: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What is still to be written, or lacks, takes no process of its own."""
    monkeypatch.setattr(pool, "grade", lambda s: s.exercise.slug)
    starter = answer("reverse", COURSE.starter(COURSE.exercises["reverse"]))
    assert list(pool.graded([starter, answer("guard"), answer("guard", tmp_path / "none.cu")])) == [
        "reverse", "guard", "guard",
    ]  # fmt: skip


@pytest.mark.slow
def test_nothing_behind_the_first_that_fails_is_graded(two_cores: None, tmp_path: Path) -> None:
    wrong = tmp_path / "guard.cu"
    text = COURSE.solution(COURSE.exercises["guard"]).read_text(encoding="utf-8")
    wrong.write_text(text.replace("i >= n", "i > n"), encoding="utf-8")
    every = [answer("reverse"), answer("guard", wrong), answer("round_up")]
    assert [(r.exercise.slug, r.fails) for r in pool.graded(every, first=True)] == [
        ("reverse", False), ("guard", True),
    ]  # fmt: skip
    assert not active_children()
