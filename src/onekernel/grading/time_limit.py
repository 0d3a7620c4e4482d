"""Reading a learner's text for a hint has a time limit: a regular expression that some text keeps busy for hours costs
the hint, and not the night.

Python looks for signals within an expression; the timer counts this process's own time.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import NoReturn, TypeVar

SECONDS = 1.0  # of processor time: what a right file takes is milliseconds

T = TypeVar("T")


class _TooLong(Exception):
    """The time is over."""


def within_time(read: Callable[[], T], otherwise: T) -> T:
    """What `read` gives, or `otherwise` where it takes longer. Outside of the main thread, which alone is told of
    signals, nothing is read."""
    if threading.current_thread() is not threading.main_thread():
        return otherwise
    before = signal.signal(signal.SIGVTALRM, _over)
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
        try:
            return read()
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    except _TooLong:
        return otherwise
    finally:
        signal.signal(signal.SIGVTALRM, before)


def _over(number: int, frame: FrameType | None) -> NoReturn:
    raise _TooLong
