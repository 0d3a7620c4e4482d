"""A worker that stays warm: `python -m onekernel.sandbox.fork_server GRADER MODULES` holds what workers import and
copies itself for each job.

No line of a submission runs in it, it has one thread, and of a job it is told the folder and the environment alone. The
copy becomes the grader's own child and is, from there on, `worker` as if it had been started for that job: it confines
itself before it builds. What it may change, its memory and its environment, ends with it.

    a line on standard input     {"folder": FOLDER, "env": {...}}: a job
    a line on standard output    the process that does it; empty where there is none
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import json
import os
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

from onekernel.backends.forks import end_with
from onekernel.sandbox import guardian, worker

_PR_SET_DUMPABLE = 4


def main() -> None:
    grader, modules = int(sys.argv[1]), sys.argv[2:]
    end_with(grader)
    _dumpable(False)  # a submission runs as the same user: it must not write this memory
    for name in modules:
        import_module(name)
    gc.collect()
    gc.freeze()  # what is shared with the copies is not looked at again, and so not copied
    folder = serve()
    guardian.stay(grader)
    worker.work(folder)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # Python would take a torch apart that is a copy: a quarter of a second of each job


def serve() -> Path:
    """Returns in a process of its own for each job, with the job's folder; in the server never."""
    while asked := _line():
        if len(os.listdir("/proc/self/task")) != 1:
            os._exit(1)  # a copy has one thread: what another one holds would stay locked there
        told, tell = os.pipe()
        wait, go = os.pipe()
        between = os.fork()
        if between == 0:
            if _left_behind(tell):
                for fd in (told, tell, go):
                    os.close(fd)
                if not os.read(wait, 1):  # by now the process between is gone, and the grader our parent
                    os._exit(1)
                os.close(wait)
                return _become(json.loads(asked))
            os._exit(0)
        os.close(tell)
        os.close(wait)
        os.waitpid(between, 0)  # first: orphans have their new parent before this returns
        os.write(1, os.read(told, 32) + b"\n")
        os.close(told)
        with contextlib.suppress(BrokenPipeError):
            os.write(go, b"1")
        os.close(go)
    os._exit(0)


def _left_behind(tell: int) -> bool:
    """Splits the process between in two. True in the new one, whose number the old one tells; the old one then ends, so
    that the new one falls to the grader, which takes its family's orphans ("subreaper", prctl(2))."""
    try:
        job = os.fork()
    except OSError:
        return False  # nothing is told: the grader starts a worker as if there were no server
    if job:
        os.write(tell, str(job).encode())
    return job == 0


def _line() -> bytes:
    """The next line on standard input; nothing where the grader has closed it."""
    line = b""
    while not line.endswith(b"\n"):
        if not (more := os.read(0, 1 << 16)):
            return b""
        line += more
    return line


def _become(job: dict[str, Any]) -> Path:
    """Leaves nothing of the server in this process but what it has imported."""
    os.setsid()
    _dumpable(True)
    folder = Path(job["folder"])
    os.chdir(folder)
    null, output = os.open(os.devnull, os.O_RDONLY), os.open(folder / "output", os.O_WRONLY)
    for fd, standard in ((null, 0), (output, 1), (output, 2)):
        os.dup2(fd, standard)
    os.close(null)
    os.close(output)
    os.environ.clear()
    os.environ.update(job["env"])
    tempfile.tempdir = None  # somebody may have asked for it before TMPDIR was this job's
    return folder


def _dumpable(may: bool) -> None:
    ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, int(may), 0, 0, 0)


if __name__ == "__main__":
    main()
