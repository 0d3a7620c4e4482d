"""What the machine lacks is the machine's fault: the exercise is not graded yet, and nobody loses points."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from onekernel import learners
from onekernel.backends.base import Finding
from onekernel.checks import python_task
from onekernel.errors import TRY_AGAIN
from onekernel.grading.grader import grade
from onekernel.grading.submission import Submission
from onekernel.grading.verdicts import FAILED
from onekernel.messages import Message
from onekernel.sandbox import machine, supervisor
from onekernel.sandbox.machine import MachineFault
from onekernel.sandbox.supervisor import RunOutcome
from support.course import COURSE
from support.courses import make_course, with_plugin

pytest_plugins = ["pytester"]

KILLED = Message("grading.killed", {"signal": "SIGKILL"})
NO_MEMORY = Message("grading.left", {"code": 1, "output": "MemoryError: a: 9216 bytes do not fit the simulated device"})
MAIN = "import sys; from onekernel.cli import main; sys.exit(main())"
EXIT_ZERO = Message("grading.left", {"code": 0, "output": "-"})


@pytest.mark.parametrize("limit", [
    "v 1000000",
    *(pytest.param(limit, marks=pytest.mark.slow) for limit in ("v 3000000", "f 100", "d 1000000", "n 20", "t 20")),
])  # fmt: skip
def test_a_shell_with_tight_limits_is_told_so_and_grades_nobody(limit: str, tmp_path: Path) -> None:
    root = make_course(tmp_path)
    ana = learners.start(root, "ana", {"quiz.py": (root / "solutions" / "quiz.py").read_text()})[0]
    command = f'ulimit -{limit}; exec "$0" -c "{MAIN}" check quiz --learner ana'
    done = subprocess.run(["/bin/sh", "-c", command, sys.executable], cwd=root, capture_output=True, text=True)
    assert done.returncode == TRY_AGAIN, done.stderr
    assert f"ulimit -{limit[0]}" in done.stderr and "Traceback" not in done.stderr
    assert ana.scores() == {}


def test_a_full_disk_is_told_with_its_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    usage = shutil.disk_usage(tmp_path)
    here = usage._replace(free=1000)
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: here if folder == tmp_path else usage)
    with pytest.raises(MachineFault, match=str(tmp_path)):
        machine.require([tmp_path])


def test_memory_that_is_gone_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert machine.memory_free() > 0
    monkeypatch.setattr(machine, "memory_free", lambda: 12_000_000)
    with pytest.raises(MachineFault, match="12 MB"):
        machine.require()


def submission(tmp_path: Path) -> Submission:
    exercise = COURSE.exercises["vector_add"]
    path = tmp_path / exercise.file
    path.write_text(COURSE.solution(exercise).read_text() + "\n// mine\n")
    return Submission(COURSE, exercise, path, "simulator", 1)


@pytest.mark.parametrize(
    "ending",
    [RunOutcome([], ended=KILLED), RunOutcome([], ended=NO_MEMORY), RunOutcome([], build=(Finding("disk", KILLED),))],
    ids=["killed", "no memory", "disk"],
)
def test_an_ending_that_the_solution_shares_is_the_machines(
    ending: RunOutcome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = submission(tmp_path)
    monkeypatch.setattr(supervisor, "run", lambda request: ending)
    with pytest.raises(MachineFault):
        grade(mine)
    right = RunOutcome([supervisor.CallOutcome() for _ in range(99)])
    monkeypatch.setattr(supervisor, "run", lambda request: ending if request.source == mine.path else right)
    result = grade(mine)
    assert result.status == FAILED and result.earned == 0 and result.assessed == mine.exercise.points


def test_what_the_machine_lacked_for_a_moment_is_not_the_submissions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the time that our own file runs, the memory is back: then so is it for theirs."""
    mine, run = submission(tmp_path), supervisor.run
    lacking = [RunOutcome([], ended=NO_MEMORY)]
    monkeypatch.setattr(supervisor, "run", lambda request: lacking.pop() if lacking else run(request))
    result = grade(mine)
    assert not lacking and result.earned == result.assessed == mine.exercise.points


@pytest.mark.parametrize("ours", [supervisor.TaskRun(), supervisor.TaskRun(ended=NO_MEMORY)], ids=["once", "shared"])
def test_a_python_exercise_is_not_judged_by_what_the_machine_lacks(
    ours: supervisor.TaskRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    exercise = COURSE.exercises["storage_probe"]
    mine = Submission(COURSE, exercise, tmp_path / exercise.file, "python", 1)
    ran: list[Path] = []

    def run_task(request: supervisor.Request, **how: object) -> supervisor.TaskRun:
        ran.append(request.source)
        if request.source == COURSE.solution(exercise):
            return ours
        return supervisor.TaskRun(ended=NO_MEMORY if len(ran) == 1 else None)

    monkeypatch.setattr(supervisor, "run_task", run_task)
    if ours.ended:
        with pytest.raises(MachineFault):
            python_task.run(mine, {"requests": []}, 1.0)
    else:
        assert python_task.run(mine, {"requests": []}, 1.0).ended is None
        assert ran == [mine.path, COURSE.solution(exercise), mine.path]


def test_memory_that_a_compiler_lacks_for_one_file_alone_is_that_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = submission(tmp_path)
    lacks = Finding("compile-memory", Message("simulator.compile-memory"))
    right = RunOutcome([supervisor.CallOutcome() for _ in range(99)])
    monkeypatch.setattr(
        supervisor, "run", lambda request: RunOutcome([], build=(lacks,)) if request.source == mine.path else right
    )
    (first, *_) = (f for v in grade(mine).verdicts for f in v.failures)
    assert first.message.key == "grading.compile-memory"


def test_an_ending_that_is_a_submissions_own_is_not_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = submission(tmp_path)
    asked: list[Path] = []

    def ended(request: supervisor.Request) -> RunOutcome:
        asked.append(request.source)
        return RunOutcome([], ended=EXIT_ZERO)

    monkeypatch.setattr(supervisor, "run", ended)
    assert grade(mine).status == FAILED
    assert set(asked) == {mine.path}


def test_an_error_of_the_graders_own_system_calls_is_no_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_room(request: supervisor.Request) -> RunOutcome:
        raise OSError(28, "No space left on device", "/tmp/x")

    monkeypatch.setattr(supervisor, "run", no_room)
    with pytest.raises(MachineFault, match="/tmp/x"):
        grade(submission(tmp_path))


FAULTY = """
from onekernel.sandbox import machine
from onekernel.messages import Message
asked = []
def require(folders=()):
    asked.append(1)
    if len(asked) > 1:
        raise machine.MachineFault(Message("grading.machine-memory", {"free": 3}))
machine.require = require
"""


@pytest.mark.slow
def test_a_class_stops_at_the_fault_and_exports_nothing(pytester: pytest.Pytester) -> None:
    root = make_course(pytester.path)
    (root / "pyproject.toml").write_text('[tool.pytest.ini_options]\ntestpaths = ["labs"]\naddopts = "-ra"\n')
    (root / "faulty.py").write_text(FAULTY)
    pytester.syspathinsert(root)
    words = [*with_plugin(), "-p", "faulty", "--submission=solutions", "--gradescope", "out.json"]
    result = pytester.runpytest_subprocess(*words)
    assert result.ret == TRY_AGAIN
    result.stdout.fnmatch_lines(["*3 MB of memory left*"])
    assert "Traceback" not in result.stdout.str() and "FAILED" not in result.stdout.str()
    assert not (root / "out.json").exists()
