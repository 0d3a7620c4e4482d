"""A process's own seconds: without those in which it was ready to run and others had the processors.

The process that is started only watches over the one that works (`guardian`), and compilers work in others again: they
are looked at together. What they wait for each other is no excuse: where they keep the processors busy, time is theirs.
What ended meanwhile counts too, by what its parent was told of it as it waited for it.

A file that is graded has an allowance of such seconds for all processes that are started for it, in turn. Nothing that
it does extends it: a SHARE of the time that passes is always its own, whatever is said of the processors.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path

from onekernel.backends.processors import processors

_PROC = Path("/proc")
_NANO = 1e-9
_TICK = 1.0 / os.sysconf("SC_CLK_TCK")
SHARE = 1 / 8  # of the time by the clock: processes that start and end faster than they are looked at cannot be counted


@dataclass
class Allowance:
    """So many seconds for the processes of a file that is graded; `counts` says which sources are such files."""

    seconds: float
    counts: Callable[[Path], bool]
    spent: float = 0.0
    hung: dict[Path, float] = field(default_factory=dict)  # a file whose import did not end -> when it was stopped

    @property
    def over(self) -> bool:
        return self.spent >= self.seconds

    def spend(self, own: float, passed: float) -> None:
        """Takes off what its processes had of their `own` while so many seconds `passed`."""
        self.spent += max(own, SHARE * passed)


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
        self._pid, self._processors = pid, processors()
        self._own, self._last = 0.0, time.monotonic()
        self._known: dict[str, tuple[float, float]] = {}  # thread -> seconds on a processor, seconds in the queue
        self._in_all = 0.0  # seconds on a processor of them all, and of those of theirs that have ended

    def seconds(self) -> float:
        now = time.monotonic()
        passed, self._last = now - self._last, now
        before, in_all = self._known, self._in_all
        self._known, ended = _threads(self._pid)
        self._in_all = sum(ran for ran, _ in self._known.values()) + ended
        grown = [_growth(before.get(thread, (0.0, 0.0)), times) for thread, times in self._known.items()]
        busy = max(sum(ran for ran, _ in grown), self._in_all - in_all) / self._processors
        queued = max((queued for _, queued in grown), default=0.0)
        self._own += min(passed, max(passed - queued, busy))
        return self._own


def _growth(before: tuple[float, float], now: tuple[float, float]) -> tuple[float, float]:
    """What a thread ran and waited since `before`, which is another's where its number was given once more."""
    return now if now[0] < before[0] else (now[0] - before[0], now[1] - before[1])


def _threads(pid: int) -> tuple[dict[str, tuple[float, float]], float]:
    """Of each thread of the process and of those below it: the seconds that it ran, and that it was ready to run and
    did not (Linux documentation, scheduler/sched-stats). And the seconds that those ran for which one of them waited,
    who are gone (proc_pid_stat(5), cutime and cstime). Nothing where the kernel does not say."""
    found: dict[str, tuple[float, float]] = {}
    ended = 0.0
    rest = [str(pid)]
    while rest:
        at = _PROC / rest.pop()
        try:
            threads = [*(at / "task").iterdir()]
        except OSError:  # it has ended
            continue
        with contextlib.suppress(OSError, ValueError, IndexError):
            fields = (at / "stat").read_text().rpartition(")")[2].split()  # behind the name, which may hold anything
            ended += (int(fields[13]) + int(fields[14])) * _TICK
        for thread in threads:
            try:
                ran, queued = (thread / "schedstat").read_text().split()[:2]
                found[thread.name] = int(ran) * _NANO, int(queued) * _NANO
                rest += (thread / "children").read_text().split()
            except (OSError, ValueError):
                continue
    return found, ended
