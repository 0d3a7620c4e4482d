"""A process's own seconds: without those in which it was ready to run and others had the processors.

The process that is started only watches over the one that works (`guardian`), and compilers work in others again: they
are looked at together. What they wait for each other is no excuse: where they keep the processors busy, time is theirs.

A file that is graded has an allowance of such seconds for all processes that are started for it, in turn. Nothing that
it does extends it.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")
_NANO = 1e-9


@dataclass
class Allowance:
    """So many seconds for the processes of a file that is graded; `counts` says which sources are such files."""

    seconds: float
    counts: Callable[[Path], bool]
    spent: float = 0.0

    @property
    def over(self) -> bool:
        return self.spent >= self.seconds


_allowed: ContextVar[Allowance | None] = ContextVar("allowed", default=None)


@contextlib.contextmanager
def allowed(seconds: float, counts: Callable[[Path], bool]) -> Iterator[None]:
    """Within it, all processes that are started for the sources that count have so many seconds together. Whoever has
    allowed some already, for this and what is to follow, is not outdone."""
    if _allowed.get() is not None:
        yield
        return
    token = _allowed.set(Allowance(seconds, counts))
    try:
        yield
    finally:
        _allowed.reset(token)


def allowance(source: Path) -> Allowance | None:
    """What is left to the processes of `source`; None where nothing bounds them together."""
    mine = _allowed.get()
    return mine if mine is not None and mine.counts(source) else None


class OwnTime:
    """Counts from its creation on, in steps: `seconds` is asked now and then."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._own, self._last = 0.0, time.monotonic()
        self._known: dict[str, tuple[float, float]] = {}  # thread -> seconds on a processor, seconds in the queue

    def seconds(self) -> float:
        now = time.monotonic()
        passed, self._last = now - self._last, now
        before, self._known = self._known, _threads(self._pid)
        grown = [(ran - before.get(thread, (0.0, 0.0))[0], queued - before.get(thread, (0.0, 0.0))[1])
                 for thread, (ran, queued) in self._known.items()]  # fmt: skip
        busy = sum(ran for ran, _ in grown) / _processors()
        queued = max((queued for _, queued in grown), default=0.0)
        self._own += min(passed, max(passed - queued, busy))
        return self._own


def _processors() -> int:
    return len(os.sched_getaffinity(0))


def _threads(pid: int) -> dict[str, tuple[float, float]]:
    """Of each thread of the process and of those below it: the seconds that it ran, and that it was ready to run and
    did not (Linux documentation, scheduler/sched-stats). None where the kernel does not say."""
    found: dict[str, tuple[float, float]] = {}
    rest = [str(pid)]
    while rest:
        try:
            threads = [*(_PROC / rest.pop() / "task").iterdir()]
        except OSError:  # it has ended
            continue
        for thread in threads:
            try:
                ran, queued = (thread / "schedstat").read_text().split()[:2]
                found[thread.name] = int(ran) * _NANO, int(queued) * _NANO
                rest += (thread / "children").read_text().split()
            except (OSError, ValueError):
                continue
    return found
