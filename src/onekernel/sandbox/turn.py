"""One process at a time has a GPU to itself, from the moment in which its file is built: what is timed is alone on its
card, and two calls on billions of elements do not look for room beside each other. Whatever needs no GPU, compilers
and the simulator above all, takes no turn.

The process of a submission asks with a file, and the trusted side takes the lock for it and answers with another. So
waiting is nobody's time, and a submission can keep others from their turn no longer than its calls may take.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from onekernel.backends.gpus import only
from onekernel.sandbox.landlock import gpu_nodes
from onekernel.sandbox.protocol import Request
from onekernel.ways import INTERPRETED

_IN_THE_SIMULATOR = ("simulator", INTERPRETED)
ASKED, GIVEN = "turn", "given"  # in a job's out/, and beside it
_POLL_SECONDS = 0.02


def on_gpu(backend: str) -> bool:
    """Whether a GPU of this machine runs what that backend builds."""
    return bool(gpu_nodes()) and backend not in _IN_THE_SIMULATOR


def needed(request: Request) -> bool:
    """Whether a GPU runs what the request asks for; of a Python exercise, its kernel or a tensor of its."""
    if request.backend != "python":
        return on_gpu(request.backend)
    options = request.options
    each = [one for one in options.get("requests", ()) if isinstance(one, dict)]
    asked = any(one.get("cuda") or one.get("gpu") or one.get("device") == "cuda" for one in each)
    return bool(gpu_nodes()) and (asked or on_gpu(options.get("kernel_backend", INTERPRETED)))


def wait(folder: Path) -> None:
    """Asks for the turn, and comes back when it is this process's, until it ends."""
    (folder / "out" / ASKED).touch()
    while not (folder / GIVEN).exists():
        time.sleep(_POLL_SECONDS)


class Turn:
    """What the trusted side knows of the turn of one process."""

    def __init__(self, folder: Path, lock: _Lock | None) -> None:
        self._folder, self._lock = folder, lock
        self.given = False

    def waits(self) -> bool:
        """Whether the process asks and others have the turn. It gets it as soon as nobody has."""
        if self.given or self._lock is None or not os.path.lexists(self._folder / "out" / ASKED):
            return False
        if self._lock.take(wait=False):
            self.give()
        return not self.given

    def give(self) -> None:
        (self._folder / GIVEN).touch()
        self.given = True


@contextlib.contextmanager
def kept(folder: Path) -> Iterator[Turn]:
    """For as long as the process of the job in `folder` lives. Without a lock its turn is at once."""
    with _lock() as lock:
        turn = Turn(folder, lock)
        if lock is None:
            turn.give()
        yield turn


@contextlib.contextmanager
def held() -> Iterator[None]:
    """The turn of the trusted side itself, which waits for it: what a submission is timed beside is timed here. Not
    while a process of its own has it."""
    with _lock() as lock:
        if lock is not None:
            lock.take(wait=True)
        yield


class _Lock:
    """The file that is locked by whose turn it is."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = self._open()

    def _open(self) -> int:
        return os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)

    def take(self, wait: bool) -> bool:
        """Whether it is this process's now. Temporary folders are tidied: who has locked a file that has lost its name
        has nothing, and another one may have the file that has the name now."""
        while True:
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
                named = self._open()
            except OSError:
                return False
            if os.path.sameopenfile(self._file, named):
                os.close(named)
                return True
            os.close(self._file)
            self._file = named

    def close(self) -> None:
        os.close(self._file)


@contextlib.contextmanager
def _lock() -> Iterator[_Lock | None]:
    """None where there can be none."""
    name = "".join(c if c.isalnum() else "-" for c in only(0))  # the GPU that a process uses which chooses none
    try:
        lock = _Lock(Path(tempfile.gettempdir()) / f"onekernel-turn-{os.geteuid()}-{name}.lock")
    except OSError:
        yield None
        return
    try:
        yield lock
    finally:
        lock.close()
