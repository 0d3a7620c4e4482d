"""Copies of this process (fork(2)) that end with it: one that answers it, through two pipes and nothing else."""

from __future__ import annotations

import ctypes
import os
import resource
import signal

_PR_SET_PDEATHSIG = 1


def end_with(parent: int) -> None:
    """Has the kernel end this process when `parent` ends, however it does; at once where it has ended already."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


def beside() -> tuple[int, int, int]:
    """Splits off a process that is to answer this one. Returns in both: its number, which is 0 in that process itself;
    what the other one writes, to read; what the other one reads, to write. It has no descriptor but those two and the
    standard ones, and ends when this process does."""
    asking, ask = os.pipe()
    answers, answering = os.pipe()
    parent = os.getpid()
    child = os.fork()
    if child:
        os.close(asking)
        os.close(answering)
        return child, answers, ask
    end_with(parent)
    begin = 3
    for fd in sorted((asking, answering)):
        os.closerange(begin, fd)
        begin = fd + 1
    os.closerange(begin, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
    return child, asking, answering
