"""A launch that takes too long in the interpreter: stopped, and told whether it made progress.

Programs run one after another. Where one of them alone has taken most of the time, a loop in it does not end; where
they come and go, there are too many of them, or too many launches.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from onekernel.backends.base import Finding
from onekernel.messages import Message
from onekernel.triton.guards import Stop

CHAPTER = "01-06-errors#errors"
# Of a call, on the wall: a little less than supervisor.py waits for one, which can only say that it took too long.
SECONDS = 36.0
OF_ONE = 0.5  # of the time, in one program: it is that program's


class Patience:
    """Of one call: asked at each access to memory."""

    def __init__(self) -> None:
        self._began = self._launched = self._program_began = time.monotonic()
        self._program: Sequence[int] = ()

    def launch(self) -> None:
        self._launched = self._program_began = time.monotonic()
        self._program = ()

    def ask(self, program: Sequence[int], grid: Sequence[int], launches: int) -> None:
        """Raises Stop where the call has taken its time."""
        now = time.monotonic()
        if program != self._program:
            self._program, self._program_began = program, now
        if now - self._began < SECONDS:
            return
        values = {"seconds": round(SECONDS), "program": ", ".join(map(str, program))}
        if now - self._program_began > OF_ONE * SECONDS:
            raise Stop(Finding("time-limit", Message("triton.time-limit", values), chapter=CHAPTER))
        x, y, z = program
        done, programs = (x * grid[1] + y) * grid[2] + z, grid[0] * grid[1] * grid[2]
        spent = now - self._launched
        if launches and spent < OF_ONE * SECONDS:
            values |= {"number": launches + 1, "grid": ", ".join(map(str, grid))}
            raise Stop(Finding("time-limit", Message("triton.time-limit-late", values), chapter=CHAPTER))
        values |= {"done": done, "programs": programs, "needed": round(spent * programs / max(done, 1))}
        raise Stop(Finding("time-limit", Message("triton.time-limit-slow", values), chapter=CHAPTER))
