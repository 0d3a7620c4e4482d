"""Nothing of a submission outlives the grader, not even one that is killed without a warning."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.course import ROOT
from support.patience import HUNG_SECONDS

pytestmark = pytest.mark.slow

GRADES = """
import sys
from pathlib import Path
from support.corpus import graded
graded(Path(sys.argv[1]), "softmax_triton", "simulator", frozenset({"special"}))
"""
LEAVES_A_CHILD = """
import os, time
import torch, triton
try:
    left = os.fork()
except PermissionError:  # in the process that interprets; the one beside it, which compiles ahead, may
    left = 1
if left == 0:
    os.setsid()
    if os.fork() == 0:
        with open("{mark}", "w") as told:
            told.write(str(os.getpid()))
        while True:
            time.sleep(1)
    os._exit(0)
while True:
    time.sleep(1)
"""


def test_a_grandchild_ends_with_a_grader_that_was_killed(tmp_path: Path) -> None:
    name = f"onekernel-guarded-{os.getpid()}"
    path = tmp_path / "softmax_triton.py"
    path.write_text(LEAVES_A_CHILD.format(mark=f"out/{name}"))
    env = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests")]),
        "TMPDIR": str(tmp_path),
    }
    grader = subprocess.Popen([sys.executable, "-c", GRADES, str(path)], cwd=ROOT, env=env)
    pid = waited(lambda: [*tmp_path.glob(f"onekernel-*/**/{name}"), *[None] * (grader.poll() is not None)])[0]
    assert pid, "the submission never started its child"
    child = waited(lambda: int(pid.read_text() or 0))
    family = {child, *map(int, Path(f"/proc/{grader.pid}/task/{grader.pid}/children").read_text().split())}
    assert len(family) == 3 and all(state(pid) != "Z" for pid in family), "the child, the guardian, the warm worker"
    grader.send_signal(signal.SIGKILL)
    grader.wait()
    assert waited(lambda: all(state(pid) == "Z" for pid in family))


def state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return "Z"


def waited(ready):
    """What `ready` returns once it is something; nothing where that never comes."""
    end = time.monotonic() + HUNG_SECONDS
    while time.monotonic() < end:
        if found := ready():
            return found
        time.sleep(0.1)
    return None
