"""Ends a submission's whole family when the grader is gone, however it went: `kill -9` leaves nobody to clean up.

The worker splits in two before it builds anything. The guardian waits for the other half, takes the orphans of its
family as children (a "subreaper", prctl(2)), and is told by the kernel when the grader ends. It then kills them all.

Where several processes are to share the calls of a job, the worker splits once more (`split`).
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import signal
from pathlib import Path
from types import FrameType
from typing import NoReturn

from onekernel.backends.forks import end_with

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_CHILD_SUBREAPER = 1, 4, 36
ROUNDS = 1000  # a family that has children as fast as they are killed is given up


def stay(grader: int) -> None:
    """Returns in a child of this process, which stays behind as its guardian and ends as the child does."""
    libc = ctypes.CDLL(None, use_errno=True)
    signal.signal(signal.SIGTERM, _end_family)
    libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    if os.getppid() != grader:
        os._exit(1)
    me = os.getpid()
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        libc.prctl(_PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
        end_with(me)
        return
    libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)  # a child of the same user must not read or write this memory
    os._exit(_as(_wait(child)))


def split(lanes: int) -> int:
    """Returns in so many children of this process, with the number of each. It stays behind, closed to them, and ends
    when all have: as the first that a signal ended, for memory that was gone is nobody's fault; else as the first that
    did not end well."""
    me = os.getpid()
    children = []
    for lane in range(lanes):
        child = os.fork()
        if child == 0:
            end_with(me)
            return lane
        children.append(child)
    ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    statuses = [os.waitpid(child, 0)[1] for child in children]
    os._exit(_as(next(iter(sorted(filter(None, statuses), key=os.WIFEXITED)), 0)))


def end_as(child: int) -> NoReturn:
    """Waits for the end of a child and ends this process in the same way."""
    os._exit(_as(os.waitpid(child, 0)[1]))


def _wait(child: int) -> int:
    """The status with which `child` ended; orphans that end before it are nobody's business."""
    while True:
        pid, status = os.wait()
        if pid == child:
            return status


def _as(status: int) -> int:
    """The exit code of a process that ended so; one that a signal ended takes this one along by the same."""
    if os.WIFSIGNALED(status):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with contextlib.suppress(OSError):  # SIGKILL, which has no other way
            signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
        os.kill(os.getpid(), os.WTERMSIG(status))
    return os.waitstatus_to_exitcode(status)


def _end_family(number: int, frame: FrameType | None) -> None:
    for _ in range(ROUNDS):
        strays = [int(pid) for task in Path("/proc/self/task").iterdir()
                  for pid in (task / "children").read_text().split()]  # fmt: skip
        if not strays:
            break
        for pid in strays:
            with contextlib.suppress(ProcessLookupError, ChildProcessError):
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
    os._exit(1)
