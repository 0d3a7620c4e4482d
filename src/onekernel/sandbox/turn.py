"""Who is on a GPU, from the moment in which its file is built: what is timed is alone on its card, calls that are only
compared share it. Whoever is to be alone waits at its door for as long as it takes the others to be stopped, wherever
they are: they go on afterwards. Who may fill the card's memory is one at a time, and is not stopped meanwhile: nobody
is told that there is no room for what another one holds. Whatever needs no GPU, compilers and the simulator above all,
takes no turn.

The process of a submission asks with a file, and the trusted side takes the locks for it and answers with another. So
waiting is nobody's time, and a submission can keep others from their turn no longer than its calls may take.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from onekernel.backends.gpus import only
from onekernel.sandbox.landlock import gpu_nodes
from onekernel.sandbox.protocol import Request
from onekernel.ways import INTERPRETED, SPARSE

_IN_THE_SIMULATOR = ("simulator", INTERPRETED)
SHARED, ALONE, LEFT = "turn", "turn-alone", "turn-left"  # what a process asks for, in a job's out/
FILLS, FILLED = "turn-fills", "turn-filled"
GIVEN = "-given"  # the answer's name after what was asked, beside out/
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


def fills(request: Request) -> bool:
    """Whether its calls may take all of the card's memory."""
    return SPARSE in request.ways


def wait(folder: Path, asked: str = SHARED) -> None:
    """Asks for the card, SHARED or ALONE, or for its memory, FILLS, and comes back when this process has it."""
    (folder / "out" / asked).touch()
    while not (folder / f"{asked}{GIVEN}").exists():
        time.sleep(_POLL_SECONDS)


def leave(folder: Path, what: str = LEFT) -> None:
    """Says that this process need not be alone any more, or, FILLED, that it has given the memory back."""
    (folder / "out" / what).touch()


class Turn:
    """What the trusted side knows of the turn of one process. `alone`: it may have the card for itself; `fills`: it may
    have the card's memory."""

    def __init__(self, folder: Path, card: _Card | None, alone: bool, fills: bool) -> None:
        self._folder, self._card, self._alone, self._may_fill = folder, card, alone, fills
        self._has: str | None = None
        self._fills = False
        self.changes = 0

    def waits(self, pid: int) -> bool:
        """Whether the process `pid` waits while others have the card. It gets it as soon as there is room beside them,
        and is stopped, with all that it has started, for somebody who is to be alone; until it is its turn again."""
        wants = self._wants()
        if self._card is None or wants is None:
            return False
        if self._has == ALONE and wants == SHARED:
            self._card.share()
            self._has = SHARED
            self.changes += 1
        elif self._has == SHARED and (wants == ALONE or (self._card.wanted() and not self._fills)):
            _signal(pid, signal.SIGSTOP)  # who asks to be alone, too: a submission that is loaded may ask, and not wait
            self._give_back()
        if self._has:
            return self._waits_for_memory(self._card)
        if self._card.take(alone=wants == ALONE, wait=False):
            self._has = wants
            self.changes += 1
            _signal(pid, signal.SIGCONT)
            (self._folder / f"{wants}{GIVEN}").touch()
        elif self.changes:  # it has been stopped: once more, for what was being started then and could wake the others
            _signal(pid, signal.SIGSTOP)
        return self._has is None

    def _waits_for_memory(self, card: _Card) -> bool:
        asked, filled = (os.path.lexists(self._folder / "out" / what) for what in (FILLS, FILLED))
        if self._fills and filled:
            card.give_memory()
        elif asked and self._may_fill and not (self._fills or filled):
            if not card.take_memory():
                return True
            (self._folder / f"{FILLS}{GIVEN}").touch()
        else:
            return False
        self._fills = not self._fills
        self.changes += 1
        return False

    def _wants(self) -> str | None:
        """One that has left still has the card, with others, until it ends: what it may do there is stopped, too."""
        asked = {what for what in (SHARED, ALONE, LEFT) if os.path.lexists(self._folder / "out" / what)}
        if self._alone and ALONE in asked and LEFT not in asked:
            return ALONE
        return SHARED if asked else None

    def _give_back(self) -> None:
        if self._card is not None and self._has:
            self._card.leave()
            self._has = None
            self.changes += 1


def _signal(pid: int, number: signal.Signals) -> None:
    """Sends a signal to whatever the process `pid` has started, and not to itself: that one only waits, and ends the
    others when the grader is gone (`guardian`)."""
    rest, seen = [pid], {pid}
    while rest:
        at = rest.pop()
        with contextlib.suppress(OSError):
            if at != pid:
                os.kill(at, number)  # first: what it starts until then is among those that it has started
            tasks = Path(f"/proc/{at}/task").iterdir()
            started = {int(child) for task in tasks for child in (task / "children").read_text().split()}
            rest += started - seen
            seen |= started


@contextlib.contextmanager
def kept(folder: Path, *, alone: bool, fills: bool = False) -> Iterator[Turn]:
    """For as long as the process of the job in `folder` lives. Without locks its turn is at once."""
    with _card() as card:
        if card is None:
            for asked in (SHARED, ALONE, FILLS):
                (folder / f"{asked}{GIVEN}").touch()
        yield Turn(folder, card, alone, fills)


@contextlib.contextmanager
def held() -> Iterator[None]:
    """The turn of the trusted side itself, which waits to be alone: what a submission is timed beside is timed here.
    Not while a process of its own has it."""
    with _card() as card:
        if card is not None:
            card.take(alone=True, wait=True)
        yield


class _Card:
    """A card as its users have it: one alone, or several. Who wants it comes through a door, and who wants it alone
    stays there until it is empty. Of its users one at a time has all of its memory."""

    def __init__(self, door: _Lock, card: _Lock, memory: _Lock) -> None:
        self._door, self._card, self._memory = door, card, memory

    def take(self, *, alone: bool, wait: bool) -> bool:
        """Whether it is this process's now."""
        if not self._door.take(wait):
            return False
        taken = self._card.take(wait, shared=not alone)
        if taken or not alone:
            self._door.leave()
        return taken

    def wanted(self) -> bool:
        """Whether somebody stands at the door."""
        if not self._door.take(wait=False):
            return True
        self._door.leave()
        return False

    def share(self) -> None:
        """Lets others in, where this process has it alone."""
        self._card.take(wait=False, shared=True)

    def leave(self) -> None:
        self._card.leave()

    def take_memory(self) -> bool:
        return self._memory.take(wait=False)

    def give_memory(self) -> None:
        self._memory.leave()


class _Lock:
    """A file that is locked by whoever has something (flock(2))."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = self._open()

    def possible(self) -> bool:
        """Whether the file system has locks."""
        try:
            fcntl.flock(self._file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except OSError:
            return False
        self.leave()
        return True

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
def _card() -> Iterator[_Card | None]:
    """None where there can be no locks."""
    name = "".join(c if c.isalnum() else "-" for c in only(0))  # the GPU that a process uses which chooses none
    with contextlib.ExitStack() as opened:
        locks: list[_Lock] = []
        try:
            for what in ("door", "turn", "memory"):
                path = Path(tempfile.gettempdir()) / f"onekernel-{what}-{os.geteuid()}-{name}.lock"
                locks.append(_Lock(path))
                opened.callback(locks[-1].close)
        except OSError:
            locks = []
        yield _Card(*locks) if locks and all(lock.possible() for lock in locks) else None
