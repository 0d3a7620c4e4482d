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
graded(Path(sys.argv[1]), "vector_add", "simulator", frozenset({"special"}))
"""
# Programs alone may be started: the first of them starts the second in a session of its own, and ends.
LEAVES_A_CHILD = """
#include <cuda_runtime.h>
#include <stdint.h>
#include <unistd.h>

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {{
    if (vfork() == 0) {{
        execl("{python}", "python", "-c", "import subprocess; subprocess.Popen(['/bin/sh', '-c', "
              "'echo $$ > {mark}; exec sleep 1000'], start_new_session=True)", (char*)0);
        _exit(1);
    }}
    for (;;) sleep(1);
}}
"""


def test_a_grandchild_ends_with_a_grader_that_was_killed(tmp_path: Path) -> None:
    name = f"onekernel-guarded-{os.getpid()}"
    path = tmp_path / "vector_add.cu"
    path.write_text(LEAVES_A_CHILD.format(python=sys.executable, mark=f"out/{name}"))
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
