"""Runs the untrusted process and makes sure that nothing of it is left: a time limit and the end of the whole family.

A child that leaves its process group (setsid, a double fork) is not lost: while a sandbox runs, this process is the
"subreaper" of its descendants (prctl(2)), so orphans become our children, and every child that was not there before
is killed.
"""

from __future__ import annotations

import contextlib
import ctypes
import math
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple, Protocol

from onekernel.sandbox.disk_quota import Flooded
from onekernel.sandbox.own_time import Allowance, OwnTime

OUTPUT_TAIL = 20_000
POLL_SECONDS = 0.2
GONE_SECONDS = 30.0  # after SIGKILL: the driver of a GPU may keep a process whose kernel does not end
ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)  # of whoever waits: Ctrl-C, a time limit, a closed terminal
_PR_SET_DUMPABLE, _PR_SET_CHILD_SUBREAPER = 4, 36


def end_on_signals() -> None:
    """Lets a closed terminal and a time limit end this process as Ctrl-C does: with the end of whatever it runs.

    Whoever has chosen otherwise (nohup) is left alone, so is a thread that is not the main one.
    """
    for ending in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(ending) is signal.SIG_DFL and threading.current_thread() is threading.main_thread():
            signal.signal(ending, signal.default_int_handler)


class Running(Protocol):
    """A child of this process: subprocess.Popen, or what a server forked (warm.Forked)."""

    @property
    def pid(self) -> int: ...

    def wait(self, timeout: float | None = None) -> int: ...

    def kill(self) -> None: ...


@dataclass(frozen=True)
class Ended:
    """How the untrusted process ended. `signal` is the one that killed it, if it was one and not ours."""

    returncode: int
    timed_out: bool
    output: str
    limit: float = 0.0  # seconds that it had, where it was stopped because they were over
    flooded: bool = False  # it was stopped because it took too much of the disk
    over: bool = False  # the limit is that of all processes of its file
    survivors: bool = False  # something of it could not be ended: nothing that it left may be read
    loading: bool = False  # it was stopped while it imported a Python file

    @property
    def signal(self) -> str | None:
        return signal.Signals(-self.returncode).name if self.returncode < 0 and not self.timed_out else None


def run(
    argv: Sequence[str],
    *,
    folder: Path,
    env: Mapping[str, str],
    timeout: float,
    patience: Callable[[int], tuple[Hashable, float]] | None = None,
    fork: Callable[[Path, Mapping[str, str]], Running | None] | None = None,
    allowance: Allowance | None = None,
) -> Ended:
    """Runs `argv` in `folder` with no standard input, output to `folder/output`, for `timeout` seconds at most, and no
    longer than its `allowance`. `fork` makes a process that does the same as `argv`, or None.

    `patience`, asked with its number, tells how far the process has come, and for how many seconds it may stay there:
    for ever where it waits for others, which is not its time. It raises disk_quota.Flooded to have the process stopped.
    On return, on KeyboardInterrupt too, no process that it started is alive.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)  # the submission runs as the same user: it must not read our memory
    libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    before = _children()
    stopped: _Stopped | None = None
    flooded = survivors = False
    log = folder / "output"
    process: Running | None = None
    with log.open("wb") as out:
        try:
            process = _begun(argv, folder, env, out, fork)
            stopped = _wait(process, timeout, patience, allowance)
        except Flooded:
            flooded = True
        finally:
            survivors = not _end(process, before)
            libc.prctl(_PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
    with log.open("rb") as text:
        text.seek(max(0, log.stat().st_size - OUTPUT_TAIL))
        tail = text.read(OUTPUT_TAIL).decode("utf-8", "replace")
    assert process is not None
    limit, over = stopped or _Stopped(0.0)
    return Ended(_code(process), stopped is not None, tail, limit, flooded, over, survivors)


@contextlib.contextmanager
def beside(
    argv: Sequence[str], *, folder: Path, env: Mapping[str, str],
    fork: Callable[[Path, Mapping[str, str]], Running | None] | None = None,
) -> Iterator[Callable[[float], None]]:
    """A process as `run` has it, of compilers alone, for as long as it is wanted beside others of `run`. Gives what
    waits for its end, for so many seconds at most."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    with (folder / "output").open("wb") as out:
        process = _begun(argv, folder, env, out, fork)

    def wait(seconds: float) -> None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(seconds)

    try:
        yield wait
    finally:
        _end_group(process)


def _begun(
    argv: Sequence[str], folder: Path, env: Mapping[str, str], out: BinaryIO,
    fork: Callable[[Path, Mapping[str, str]], Running | None] | None,
) -> Running:
    return (fork and fork(folder, env)) or subprocess.Popen(
        argv, cwd=folder, env=dict(env), stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True
    )


class _Stopped(NamedTuple):
    """The seconds that a process had, now over; those of all processes of its file, if `over`."""

    limit: float
    over: bool = False


def _wait(
    process: Running, timeout: float, patience: Callable[[int], tuple[Hashable, float]] | None,
    allowance: Allowance | None,
) -> _Stopped | None:
    """None where the process ended by itself, before the deadline and without standing still for too long. While others
    have the processors it cannot go on: that time is not its own."""
    seen: Hashable = None
    since = counted = 0.0
    last = time.monotonic()
    deadline = last + timeout
    its = OwnTime(process.pid)
    while (now := time.monotonic()) < deadline:
        own, waits = its.seconds(), False
        passed, last = now - last, now
        if patience:
            reached, seconds = patience(process.pid)
            waits = math.isinf(seconds)
            if waits:
                deadline += passed
            if reached != seen:
                seen, since = reached, own
            elif own - since > seconds:
                return _Stopped(seconds)
        if allowance:
            if not waits:
                allowance.spend(own - counted, passed)
            counted = own
            if allowance.over:
                return _Stopped(allowance.seconds, over=True)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(min(POLL_SECONDS, deadline - now))
            if allowance:
                allowance.spend(its.seconds() - counted, time.monotonic() - last)
            return None
    return _Stopped(timeout)


def _end(process: Running | None, before: set[int]) -> bool:
    """Kills the process group, then whatever else became our child. Returns whether all of it is dead."""
    if process is not None:
        _end_group(process)
    for _ in range(1000):
        strays = _children() - before - ({process.pid} if process else set())
        if not strays:
            return True
        for pid in strays:
            with contextlib.suppress(ProcessLookupError, ChildProcessError):
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
    return False


def _end_group(process: Running) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.kill()  # where it was interrupted before it had a group
    with contextlib.suppress(subprocess.TimeoutExpired):  # it will not run again, wherever the system holds it
        process.wait(GONE_SECONDS)
    end = time.monotonic() + GONE_SECONDS
    with contextlib.suppress(ChildProcessError):  # none of its group is left: each became our child as its parent ended
        while time.monotonic() < end:
            if os.waitpid(-process.pid, os.WNOHANG) == (0, 0):
                time.sleep(0.001)


def _code(process: Running) -> int:
    try:
        return process.wait(0)
    except subprocess.TimeoutExpired:
        return -signal.SIGKILL


def _children() -> set[int]:
    """The processes whose parent is this one."""
    me = os.getpid()
    try:
        tasks = Path(f"/proc/{me}/task").iterdir()
        return {int(pid) for task in tasks for pid in (task / "children").read_text().split()}
    except OSError:
        return set()
