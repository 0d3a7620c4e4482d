"""The trusted side of the workers that stay warm: starts a server (`fork_server`) where one is first needed, asks it
for a process for each job, and does without wherever that fails.

A server is started by the process that grades and ends with it. It keeps what is read when a process starts: its limits
and most of its environment. Where those have changed, another one takes its place.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import resource
import select
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from onekernel.ways import INTERPRETED

# What a worker of that kind imports beside its own modules. Triton is not among them: whether it interprets is decided
# when it is imported, and a copy of the worker decides otherwise (triton/ahead.py).
_TORCH = ("torch", "onekernel.triton", "onekernel.sandbox.tasks.port", "onekernel.sandbox.tasks.probe",
          "onekernel.sandbox.tasks.benchmark", "onekernel.sandbox.tasks.returns", "onekernel.cuda")  # fmt: skip
_MODULES: dict[str, tuple[str, ...]] = {
    "simulator": (), **dict.fromkeys(("triton", INTERPRETED, "python", "cuda"), _TORCH)
}  # fmt: skip
_OF_A_JOB = ("TMPDIR", "TRITON_CACHE_DIR", "CUDA_VISIBLE_DEVICES", "CXX")  # read when they are used, as ours are
_OURS = "ONEKERNEL_"
_LIMITS = (resource.RLIMIT_AS, resource.RLIMIT_DATA, resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE,
           resource.RLIMIT_CPU, resource.RLIMIT_STACK, resource.RLIMIT_NPROC)  # fmt: skip
_SECONDS = 60.0  # without an answer: a server that imports torch on a busy machine takes ten

_Kept = tuple[object, ...]  # the process that started it, its environment, its limits
_servers: dict[tuple[str, ...], tuple[_Kept, Server]] = {}


class Forked:
    """A process that a server made for a job, as subprocess.Popen has one: by now a child of this process."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._fd = os.pidfd_open(pid)

    def wait(self, timeout: float | None = None) -> int:
        """Raises subprocess.TimeoutExpired."""
        if self.returncode is None:
            ready = select.poll()
            ready.register(self._fd, select.POLLIN)
            if not ready.poll(None if timeout is None else timeout * 1000):
                raise subprocess.TimeoutExpired(str(self.pid), timeout or 0.0)
            self.returncode = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
            os.close(self._fd)
        return self.returncode

    def kill(self) -> None:
        if self.returncode is None:
            signal.pidfd_send_signal(self._fd, signal.SIGKILL)


class Server:
    """A worker that stays warm, with `modules` imported."""

    def __init__(self, modules: tuple[str, ...], env: Mapping[str, str]) -> None:
        argv = [sys.executable, "-P", "-m", "onekernel.sandbox.fork_server", str(os.getpid()), *modules]
        self._process = subprocess.Popen(argv, cwd="/", env=dict(env), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         stderr=subprocess.DEVNULL, start_new_session=True)  # fmt: skip

    def fork(self, folder: Path, env: Mapping[str, str]) -> Forked | None:
        """A process for the job in `folder`; None where the server has none to give. This process must be a subreaper,
        and whatever interrupts this leaves a child that nobody waits for."""
        try:
            return Forked(self._asked(json.dumps({"folder": str(folder), "env": dict(env)}).encode()))
        except (OSError, ValueError):
            self.end()
            return None
        except BaseException:  # Ctrl-C: what it has begun becomes our child now
            self.end()
            raise

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                pipe.close()  # type: ignore[union-attr]

    def _asked(self, line: bytes) -> int:
        """The process that the server names. Raises OSError and ValueError where it names none in time."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(line + b"\n")
        self._process.stdin.flush()
        answer, until = b"", time.monotonic() + _SECONDS
        while not answer.endswith(b"\n"):
            ready, _, _ = select.select([self._process.stdout], [], [], max(0.0, until - time.monotonic()))
            more = os.read(self._process.stdout.fileno(), 32) if ready else b""
            if not more:
                raise TimeoutError
            answer += more
        return int(answer)


def server(backend: str, env: Mapping[str, str]) -> Server | None:
    """What forks the workers of that backend; None where they are started anew: where the system cannot wait for a
    process that another one started. On a GPU copies are made before the driver starts, which none may share."""
    if backend not in _MODULES or not hasattr(os, "pidfd_open"):
        return None
    modules = _MODULES[backend]
    lasting = {k: v for k, v in env.items() if k not in _OF_A_JOB and not k.startswith(_OURS)}
    kept = (os.getpid(), tuple(sorted(lasting.items())), tuple(resource.getrlimit(limit) for limit in _LIMITS))
    there = _servers.get(modules)
    if there is not None and there[0] == kept and there[1].alive:
        return there[1]
    if there is not None and there[0][0] == os.getpid():
        there[1].end()
    try:
        started = Server(modules, lasting)
    except OSError:
        return None
    _servers[modules] = kept, started
    return started


def running() -> list[int]:
    """The servers of this process."""
    return [there.pid for kept, there in _servers.values() if kept[0] == os.getpid() and there.alive]


@atexit.register
def end() -> None:
    """Ends the servers of this process."""
    for kept, running in _servers.values():
        if kept[0] == os.getpid():
            running.end()
    _servers.clear()
