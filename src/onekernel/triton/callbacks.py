"""What a file can hang on a process, to be called back later: inside of a kernel it would find the real bytes.

By the interpreter's events, by garbage, by time and signals, by NumPy's errors, Python's warnings and how arrays are
printed. All of it is taken off before memory opens; what cannot be taken off is not put on.
"""

from __future__ import annotations

import contextlib
import gc
import signal
import sys
import warnings
from typing import Any

import numpy as np

_TIMERS = (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)
_NOT_OURS = (signal.SIGKILL, signal.SIGSTOP)
_IGNORED = (signal.SIGPIPE, signal.SIGXFSZ)  # as Python itself has them
_SIGNALS = [(s, signal.SIG_IGN if s in _IGNORED else signal.SIG_DFL)
            for s in sorted(signal.valid_signals()) if s not in _NOT_OURS]  # fmt: skip
_SILENT = ("ignore", None, Warning, None, 0)


def take_off() -> None:
    """Takes off what is hung on this process and its main thread."""
    sys.settrace(None)
    sys.setprofile(None)
    _watch_nothing()
    gc.disable()
    for timer in _TIMERS:
        signal.setitimer(timer, 0)
    with contextlib.suppress(ValueError):  # another thread than the main one: they run in that alone
        for number, handler in _SIGNALS:
            signal.signal(number, handler)
    np.seterr(all="ignore")
    np.seterrcall(None)
    np.set_printoptions(formatter=None)
    warnings.filters = [_SILENT]


def refuse() -> None:
    """A hook of the interpreter's that cannot be taken off again is not put on. Once a process, before a file of a
    learner's is loaded."""
    sys.addaudithook = lambda hook: None


def _watch_nothing() -> None:
    """Takes off what a file may have hung on the interpreter's events, from Python 3.12 on."""
    monitoring: Any = getattr(sys, "monitoring", None)
    for tool in range(6 if monitoring else 0):
        if monitoring.get_tool(tool):
            monitoring.free_tool_id(tool)
