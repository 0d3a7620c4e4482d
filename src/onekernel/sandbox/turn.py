"""Who is on a GPU, from the moment in which its file is built: what is timed is alone on its card, calls that are only
compared share it. Whoever is to be alone comes next: it waits for those who are there, and nobody comes before it.
Whatever needs no GPU, compilers and the simulator above all, takes no turn.

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


def alone(request: Request) -> bool:
    """Whether it must have the card for itself: what it does is timed."""
    each = request.options.get("requests", ()) if request.backend == "python" else ()
    return bool(request.timed) or any(isinstance(one, dict) and one.get("gpu") for one in each)


def wait(folder: Path) -> None:
    """Asks for the turn, and comes back when it is this process's, until it ends."""
    (folder / "out" / ASKED).touch()
    while not (folder / GIVEN).exists():
        time.sleep(_POLL_SECONDS)


class Turn:
    """What the trusted side knows of the turn of one process."""

    def __init__(self, folder: Path, card: _Card | None) -> None:
        self._folder, self._card = folder, card
        self.given = False

    def waits(self) -> bool:
        """Whether the process asks and others have the card. It gets it as soon as there is room beside them."""
        if self.given or self._card is None or not os.path.lexists(self._folder / "out" / ASKED):
            return False
        if self._card.take(wait=False):
            self.give()
        return not self.given

    def give(self) -> None:
        (self._folder / GIVEN).touch()
        self.given = True


@contextlib.contextmanager
def kept(folder: Path, *, alone: bool = True) -> Iterator[Turn]:
    """For as long as the process of the job in `folder` lives. Without locks its turn is at once."""
    with _card(alone) as card:
        turn = Turn(folder, card)
        if card is None:
            turn.give()
        yield turn


@contextlib.contextmanager
def held() -> Iterator[None]:
    """The turn of the trusted side itself, which waits to be alone: what a submission is timed beside is timed here.
    Not while a process of its own has it."""
    with _card(alone=True) as card:
        if card is not None:
            card.take(wait=True)
        yield


class _Card:
    """A card as its users have it: one alone, or several. Who wants it stands at the door first, and who wants it alone
    stays there until it is empty."""

    def __init__(self, door: _Lock, card: _Lock, alone: bool) -> None:
        self._door, self._card, self._alone = door, card, alone

    def take(self, wait: bool) -> bool:
        """Whether it is this process's now."""
        if not self._door.take(wait):
            return False
        taken = self._card.take(wait, shared=not self._alone)
        if not self._alone:
            self._door.leave()
        return taken


class _Lock:
    """A file that is locked by whoever has something (flock(2))."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = self._open()

    def _open(self) -> int:
        return os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)

    def take(self, wait: bool, shared: bool = False) -> bool:
        """Whether it is this process's now. Temporary folders are tidied: who has locked a file that has lost its name
        has nothing, and another one may have the file that has the name now."""
        while True:
            try:
                fcntl.flock(self._file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB))
                named = self._open()
            except OSError:
                return False
            if os.path.sameopenfile(self._file, named):
                os.close(named)
                return True
            os.close(self._file)
            self._file = named

    def leave(self) -> None:
        fcntl.flock(self._file, fcntl.LOCK_UN)

    def close(self) -> None:
        os.close(self._file)


@contextlib.contextmanager
def _card(alone: bool) -> Iterator[_Card | None]:
    """None where there can be no locks."""
    name = "".join(c if c.isalnum() else "-" for c in only(0))  # the GPU that a process uses which chooses none
    with contextlib.ExitStack() as opened:
        try:
            locks = []
            for what in ("door", "turn"):
                path = Path(tempfile.gettempdir()) / f"onekernel-{what}-{os.geteuid()}-{name}.lock"
                locks.append(_Lock(path))
                opened.callback(locks[-1].close)
        except OSError:
            yield None
            return
        yield _Card(locks[0], locks[1], alone)
