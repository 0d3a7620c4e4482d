"""What a file can hang on a process, to be called back later: inside of a kernel it would find the real bytes.

By the interpreter's events, by garbage, by time and signals, by NumPy's errors, Python's warnings and how arrays are
printed. All of it is taken off before memory opens; what cannot be taken off is not put on.
"""

from __future__ import annotations

import _imp
import _thread
import contextlib
import gc
import importlib
import operator
import os
import signal
import sys
import warnings
from itertools import repeat
from types import ModuleType
from typing import Any

import numpy as np

from onekernel.audit import add_hook, codes_of_hooks, private
from onekernel.messages import say

_TIMERS = (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)
_NOT_OURS = (signal.SIGKILL, signal.SIGSTOP)
_IGNORED = (signal.SIGPIPE, signal.SIGXFSZ)  # as Python itself has them
_SIGNALS = [(int(s), int(signal.SIG_IGN if s in _IGNORED else signal.SIG_DFL))
            for s in sorted(signal.valid_signals()) if s not in _NOT_OURS]  # fmt: skip
_SILENT = ("ignore", None, Warning, None, 0)
_QUIET: Any = {}.get  # gives back its second argument, and does nothing


# As they are before a file of a learner's is there, which may put its own in their places.
_trace, _profile, _collect, _timer = sys.settrace, sys.setprofile, gc.disable, signal.setitimer
_signal: Any = getattr(signal.signal, "__wrapped__", signal.signal)  # without the names that Python gives to numbers
_errors, _error_call, _printing = np.seterr, np.seterrcall, np.set_printoptions


def take_off() -> None:
    """Takes off what is hung on this process and its main thread."""
    _trace(None)
    _profile(None)
    _watch_nothing()
    _collect()
    for timer in _TIMERS:
        _timer(timer, 0)
    with contextlib.suppress(ValueError):  # another thread than the main one: they run in that alone
        for number, handler in _SIGNALS:
            _signal(number, handler)
    _errors(all="ignore")
    _error_call(None)
    _printing(formatter=None)
    warnings.filters = [_SILENT]


_OF_HOOKS = ("ctypes.call_function", "sys._current_frames")  # what hooks do themselves
_EVENTS = frozenset((
    "gc.get_objects", "gc.get_referrers", "gc.get_referents",
    "os.fork", "os.forkpty", "os.exec", "os.posix_spawn", "os.system", "subprocess.Popen", "pty.spawn",
    "cpython.PyInterpreterState_New",  # in another interpreter no hook of this one is asked
    # Another thread would find the frames of a hook, which has begun in this one.
    "_thread.start_new_thread", "_thread.start_joinable_thread", "sys._current_frames", "sys._current_exceptions",
))  # fmt: skip
# What no hook is asked about: a program that is started; another interpreter, of which Python tells from 3.12 on either
# nothing or what it does not survive when refused. Nor does Python 3.11 tell of threads (`_take_out`).
_TAKEN_OUT = {"_posixsubprocess": "fork_exec", "_interpreters": "create", "_xxsubinterpreters": "create"}
_BUILT_IN = frozenset(sys.builtin_module_names)
_OF_TESTS = ("_test", "_xx", "_ctypes_test")  # Python's own, which reach everything


def close(apart: bool) -> None:
    """The last wall, within Python: the process that runs a learner's kernels and the one that compiles them come
    through here right before they load the file. A hook of the interpreter's that cannot be taken off again is not put
    on. `apart`: this process does nothing else than to load that file."""
    sys.addaudithook = lambda hook: None
    if apart:
        private(_refuse_to_look)()


def _refuse_to_look() -> None:
    """From here on nobody asks this process for its objects or frames, calls its interpreter past Python, or starts a
    thread, or a process that could share memory with it. For good."""
    refused = say("triton.refused-here")
    _take_out()
    installed = tuple({f"{at.rstrip('/')}/" for p in (*sys.path, sys.prefix, sys.base_prefix) if p
                       for at in (p, os.path.realpath(p))})  # fmt: skip
    # From Python 3.14 on each call by ctypes is an event, that of the hook too which opens and closes inputs.
    own, look, same = codes_of_hooks(), sys._getframe, operator.is_

    def hook(event: str, args: tuple[Any, ...]) -> str | None:
        if event in _OF_HOOKS and any(map(same, own, repeat(look(2).f_code))):
            return None
        own_module = event == "import" and _is_own(args[0], args[1], installed)
        return f"{event}: {refused}" if own_module or event in _EVENTS or event.startswith("ctypes.") else None

    add_hook(hook)


def _take_out() -> None:
    """Loads what is built into this interpreter, takes out of it what no hook is asked about, and loads nothing of the
    kind again, for whoever makes a built-in module anew asks no hook either."""
    for name in (*sys.builtin_module_names, *_TAKEN_OUT):
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    for name, taken in _TAKEN_OUT.items():
        if name in sys.modules:
            setattr(sys.modules[name], taken, None)
    starts = [value for name, value in vars(_thread).items() if name.startswith("start_")]
    for module in [m for m in [*sys.modules.values()] if isinstance(m, ModuleType)]:
        for name in [n for n, v in vars(module).items() if any(v is start for start in starts)]:
            setattr(module, name, _start_none)
    _imp.create_builtin = _refuse


def leave_none() -> None:
    """Puts every signal back to what the system does and leaves garbage alone, for good, in a process that is there for
    one file alone: what either calls back runs wherever that is, in a hook too, whose frame it would find. Before the
    file is watched, for the modules are others afterwards."""
    global _signal
    _collect()
    gc.enable = gc.isenabled  # type: ignore[assignment]
    for number, handler in _SIGNALS:
        _signal(number, handler)
    # In the place of what sets them a function that is not Python's, with no globals in which the other one is.
    _signal = sys.modules["_signal"].signal = sys.modules[__name__]._signal = _QUIET  # type: ignore[attr-defined]
    if hasattr(signal.signal, "__wrapped__"):
        del signal.signal.__wrapped__


def _start_none(*_given: Any, **_named: Any) -> Any:
    raise PermissionError(say("triton.refused-here"))


def _refuse(spec: Any) -> Any:
    raise ImportError(f"{spec}: {say('triton.refused-here')}")


def _is_own(name: Any, library: Any, installed: tuple[str, ...]) -> bool:
    """Whether a module would be loaded from a library that is not `installed`, but a file's own, or be one of those out
    of which something is taken, or a built-in one, loaded anew. `library`: None for a module that is to be looked
    for."""
    if type(name) is not str:  # a class of the file's has methods of the file's
        return True
    last = name.rpartition(".")[2].replace("-", "_")  # as Python looks for the function that makes the module
    if last in _TAKEN_OUT or last.startswith(_OF_TESTS):
        return True
    if library is None:
        return False
    return last in _BUILT_IN or type(library) is not str or "/../" in library or not library.startswith(installed)


def _watch_nothing() -> None:
    """Takes off what a file may have hung on the interpreter's events, from Python 3.12 on."""
    monitoring: Any = getattr(sys, "monitoring", None)
    for tool in range(6 if monitoring else 0):
        if monitoring.get_tool(tool):
            monitoring.free_tool_id(tool)
