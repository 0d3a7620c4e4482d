"""Who keeps the real bytes of closed memory: a hook of Python's audit, to which nothing refers but the interpreter.

An object of the watch's could be found by a file, in a module or in a frame, and asked for them. This one cannot, and
it gives them back only where it is asked as the watch asks: by these functions, one called by the other, none of them
replaced, for the call that is going on. What operations were found out to do (type_rules) is run by kernels, and is
kept here between two launches for the same reason.

No code of the file's may run meanwhile, which would find the bytes in the frames here. So nothing is looked up in a
dictionary that could hold a key of the file's (keys), nor asked of an object that is not known, nor let go of where it
may be the last to know it; and no frame is asked for its variables, which writes over what was laid among them.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from operator import is_
from types import CodeType, FrameType, FunctionType, SimpleNamespace
from typing import Any

import numpy as np

from onekernel.audit import Hook, add_hook, private
from onekernel.messages import say
from onekernel.triton import hooks, host, keys, memory, tools, tuning, type_rules
from onekernel.triton.memory import BEGIN, CLOSE, OPEN, ClosedMemory
from onekernel.triton.tools import EXCHANGED, Tools
from onekernel.triton.type_rules import Rules

_MODULES = (hooks, host, keys, memory, tools, tuning, type_rules)
_CHANGED = ("active", "_put_up")  # what the watch itself replaces
_put_up = False


def put_up() -> None:
    """Once a process, before a file of a learner's is loaded."""
    global _put_up
    if not _put_up:
        _put_up = True
        add_hook(private(_keeper)())


def _keeper() -> Hook:
    chains = [*_chains()]
    first = ClosedMemory._open.__code__, ClosedMemory.__exit__.__code__
    begins, closes = ClosedMemory.__enter__.__code__, ClosedMemory._close.__code__
    owners = [*map(vars, (*_MODULES, ClosedMemory, Tools)), host._of_torch, *_between()]
    held = [{**owner} for owner in owners]
    names, plain = keys.looked_up(), private(keys.plain)
    real: dict[int, np.ndarray] = {}  # the bytes that a kernel finds, by where they begin
    there: dict[int, np.ndarray] = {}  # the memory itself
    going_on: list[Any] = []  # the memory that is closed, and the frame of the call that it is for
    tables = [*Rules.active.tables] if Rules.active else []
    for table in tables:
        table.clear()
    found_out: list[dict[Any, Any]] = [{} for _ in tables]
    launches: list[bool] = []  # one, while the tables are filled for a launch
    own, refused = {id(f): f for f in _own()}, say("triton.refused-here")
    look, threads = sys._getframe, sys._current_frames

    def keep(event: str, args: tuple[Any, ...]) -> str | None:
        if event == OPEN:
            frame = look(2)
            if going_on and (args[0] is not going_on[0] or type(args[1]) is not list):
                return event
            chain = None if not going_on else () if ended(frame) else asked(frame)
            if chain is None or (not launches and any(tables)):  # what is there was put there by the file
                return event
            args[1].append(len(threads()) > 1)
            if len(chain) == MOST:
                launches.append(True)
                for table, found in zip(tables, found_out, strict=True):
                    table.update(found)
            for at, piece in there.items():
                if at in real:
                    piece[:] = real[at]
            if ended(frame):
                for kept in (real, there, going_on):
                    kept.clear()
        elif event == CLOSE:
            frame = look(2)
            if frame.f_code is not closes or not going_on or args[0] is not going_on[0]:
                return event
            # A class of the file's has methods of the file's.
            if type(args[1]) is not dict or any(type(n) is not int for pair in args[1].items() for n in pair):
                return event
            if not launches and any(tables):
                return event
            for table, found in zip(tables, found_out, strict=True):
                found.update(table)
                table.clear()
            launches.clear()
            for at, size in args[1].items():
                if at not in there:
                    there[at] = _bytes(at, size)
            for at, piece in there.items():
                real[at] = piece.copy()
                piece[:] = 0xFF  # NaN, or -1
        elif event == BEGIN:
            frame = look(2)
            if going_on or frame.f_code is not begins or type(args[0]) is not ClosedMemory:
                return event
            going_on[:] = args[0], frame.f_back
        elif event == "object.__setattr__" and type(args[1]) is str and args[1] in EXCHANGED:
            function = own.get(id(args[0]))
            if function is not None and function is args[0]:
                return f"{function.__qualname__}.{args[1]}: {refused}"
        return None

    def ended(frame: FrameType) -> bool:
        """Whether the call that is going on asks itself, at its end."""
        back = frame.f_back
        return back is not None and all(map(is_, (frame.f_code, back.f_code, back.f_back), (*first, going_on[1])))

    def asked(frame: FrameType) -> tuple[CodeType, ...] | None:
        """The functions that ask, if they are the watch's own, and no key of the file's is where names are looked
        up."""
        codes: list[CodeType] = []
        at: FrameType | None = frame
        while at is not None and len(codes) < MOST:
            codes.append(at.f_code)
            at = at.f_back
        chain = next((c for c in chains if len(codes) >= len(c) and all(map(is_, c, codes))), None)
        if chain is None or not plain(names) or not plain([(str, [vars(going_on[0])])]):
            return None
        if any(map(callable, vars(going_on[0]).values())):
            return None
        same = all(
            owner.get(name) is value
            for owner, known in zip(owners, held, strict=True)
            for name, value in known.items()
            if name not in _CHANGED
        )
        return chain if same else None

    return keep


_asarray = np.asarray


def _bytes(at: int, size: int) -> np.ndarray:
    """The memory itself, as `bytes_at` gives it, by nothing that a file could replace."""
    shown = {"data": (at, False), "shape": (size,), "typestr": "|u1", "version": 3}
    return _asarray(SimpleNamespace(__array_interface__=shown))


def _between() -> list[dict[str, Any]]:
    """What the objects hold that stand between a kernel and the builder."""
    from triton.runtime.interpreter import interpreter_semantic

    return [vars(each) for each in (interpreter_semantic, Rules.active) if each is not None]


def _own() -> Iterator[FunctionType]:
    """The functions of this package: what a file puts in the place of others, they alone notice."""
    modules = [m for name, m in [*sys.modules.items()] if name.startswith("onekernel.")]
    classes = [v for m in modules for v in [*vars(m).values()] if isinstance(v, type) and v.__module__ == m.__name__]
    for value in [v for owner in (*modules, *classes) for v in [*vars(owner).values()]]:
        inner = getattr(value, "__func__", getattr(value, "fget", value))
        if isinstance(inner, FunctionType) and str(inner.__module__).startswith("onekernel."):
            yield inner


MOST = 7  # frames of the longest of these


def _chains() -> list[tuple[CodeType, ...]]:
    """The functions that ask, each called by the next."""
    from triton.runtime.autotuner import Autotuner

    begin = tuple(
        function.__code__ for function in (
            ClosedMemory._open, ClosedMemory.opened.__wrapped__, contextlib._GeneratorContextManager.__enter__,  # type: ignore[attr-defined]
        )
    )  # fmt: skip
    asked = next(c for c in hooks._opening.__code__.co_consts if isinstance(c, CodeType) and c.co_name == "asked")
    run: Any = Autotuner.run
    launch = (contextlib.ExitStack.enter_context.__code__, asked, *hooks.launching)
    tuned = (tuning._refuse_other_results.__code__, run.__code__)
    return [
        (*begin, *launch),
        (*begin, host._moved.__code__),
        (*begin, *tuned),
        (*begin, tuning._contents.__code__, *tuned),
        (*begin, tuning._named.__code__, run.__code__),
    ]
