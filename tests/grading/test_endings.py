"""However the grading process ends, the process that runs a submission ends with it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from onekernel.course import find_root
from support.courses import with_plugin
from support.patience import HUNG_SECONDS

ROOT = find_root(Path(__file__).parent)
GRADE = """
import pathlib, sys
from support import corpus
corpus.graded(pathlib.Path(sys.argv[1]), "vector_add", "simulator", frozenset({"exact-blocks"}))
"""


def start(command: list[str], scratch: Path) -> tuple[subprocess.Popen[str], int]:
    """A process that grades a submission which sleeps for ever, and the process that runs the submission."""
    paths = [str(ROOT / "src"), str(ROOT / "tests"), *filter(None, [os.environ.get("PYTHONPATH")])]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "TMPDIR": str(scratch)}
    process = subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    deadline = time.monotonic() + HUNG_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        for call in scratch.glob("onekernel-*/out/started"):
            for child in children(process.pid):
                if Path(f"/proc/{child}/cwd").resolve() == call.parents[1].resolve():
                    return process, child
        time.sleep(0.05)
    process.kill()
    pytest.fail(f"nothing was run: {process.communicate()[0]}")


def children(pid: int) -> list[int]:
    return [int(p) for t in Path(f"/proc/{pid}/task").glob("*/children") for p in t.read_text().split()]


def alive(pid: int) -> bool:
    """Whether it runs; one that ended and that nobody has asked for yet does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def gone(pid: int) -> bool:
    deadline = time.monotonic() + HUNG_SECONDS
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not alive(pid)


@pytest.mark.slow
def test_a_worker_does_not_outlive_a_grader_that_was_killed(tmp_path: Path) -> None:
    submission = ROOT / "tests" / "hostile" / "sleeps.cu"
    process, worker = start([sys.executable, "-c", GRADE, str(submission)], tmp_path)
    process.kill()
    process.wait()
    assert gone(worker)


@pytest.mark.slow
def test_a_pytest_that_is_asked_to_end_leaves_nothing(tmp_path: Path) -> None:
    handed_in, scratch = tmp_path / "eva", tmp_path / "scratch"
    handed_in.mkdir()
    scratch.mkdir()
    shutil.copy(ROOT / "tests" / "hostile" / "sleeps.cu", handed_in / "vector_add.cu")
    code = "import signal, sys; signal.signal(15, signal.SIG_DFL); import pytest; sys.exit(pytest.main(sys.argv[1:]))"
    words = [*with_plugin(), f"--submission={handed_in}", "-k", "vector_add", "--device=simulator"]
    process, worker = start([sys.executable, "-c", code, *words], scratch)
    process.send_signal(signal.SIGTERM)
    output, _ = process.communicate(timeout=HUNG_SECONDS)
    assert process.returncode == pytest.ExitCode.INTERRUPTED, output
    assert gone(worker)
    assert not list(scratch.glob("onekernel-*"))
