"""A process's own seconds: without those in which it was ready to run and others had the processors.

The process that is started only watches over the one that works (`guardian`), and compilers work in others again: they
are looked at together. What they wait for each other is no excuse: where they keep the processors busy, time is theirs.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

_PROC = Path("/proc")
_NANO = 1e-9


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
