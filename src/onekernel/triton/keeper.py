"""Who keeps the real bytes of closed memory: a hook of Python's audit, to which nothing refers but the interpreter.

An object of the watch's could be found by a file, in a module or in a frame, and asked for them. This one cannot, and
it gives them back only where it is asked as the watch asks: by these functions, one called by the other, each among the
names of its own module, none of them replaced, for the call that is going on. What operations were found out to do
(type_rules) is run by kernels, and is kept here between two launches for the same reason; and what launches were
counted to do, which a file would find in the watch and change.

No code of the file's may run meanwhile, which would find the bytes in the frames here. So nothing is looked up in a
dictionary that could hold a key of the file's (keys), nor asked of an object that is not known, nor let go of where it
may be the last to know it; and no frame is asked for its variables, which writes over what was laid among them.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from types import CodeType, FrameType, FunctionType, SimpleNamespace
from typing import Any

import numpy as np

from onekernel.audit import Hook, add_hook, private
from onekernel.messages import say
from onekernel.triton import hooks, host, keys, memory, tools, tuning, type_rules, watch
from onekernel.triton.memory import BEGIN, CLOSE, DROP, OPEN, SEAL, TELL, ClosedMemory
from onekernel.triton.tools import EXCHANGED, Tools
from onekernel.triton.type_rules import Rules
from onekernel.triton.watch import Watch

_MODULES = (hooks, host, keys, memory, tools, tuning, type_rules, watch)
Code = tuple[CodeType, dict[str, Any]]
"""A function's code, and the names that it looks up."""

_CHANGED = ("active", "_put_up")  # what the watch itself replaces
_put_up = False


def put_up(tools: Tools | None) -> None:
    """Once a process, before a file of a learner's is loaded. `tools`: what is to be looked at before each launch, in a
    process for one file alone."""
    global _put_up
    if not _put_up:
        _put_up = True
        add_hook(private(_keeper)(tools))


def _keeper(looks: Tools | None) -> Hook:
    chains = [*_chains()]
    first = _code(ClosedMemory._open), _code(ClosedMemory.__exit__)
    begins, closes = _code(ClosedMemory.__enter__), _code(ClosedMemory._close)
    seals, drops = _code(Watch.end), chains[2][3:]
    owners = [*map(vars, (*_MODULES, ClosedMemory, Tools, Watch)), host._of_torch, *_between()]
    known_to_looks = {**vars(looks)} if looks else {}
    known_to_looks.pop("_found", None)  # which they change
    held = [{**owner} for owner in owners]
    names, plain = keys.looked_up(), private(keys.plain)
    real: dict[int, np.ndarray] = {}  # the bytes that a kernel finds, by where they begin
    there: dict[int, np.ndarray] = {}  # the memory itself
    going_on: list[Any] = []  # the memory that is closed, the frame of the call that it is for, and its watch
    sealed: list[bytes] = []  # what its launches were counted to do
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
            if not is_one(frame, closes) or not going_on or args[0] is not going_on[0]:
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
            if going_on or not is_one(frame, begins) or type(args[0]) is not ClosedMemory:
                return event
            going_on[:] = args[0], frame.f_back, args[1]
            sealed.clear()
        elif event == SEAL:
            if not launches or not is_one(look(2), seals) or type(args[0]) is not bytes:
                return event
            sealed.append(args[0])
        elif event == DROP:
            frame, number = look(2), args[0]
            back = frame.f_back
            if back is None or not is_one(frame, drops[0]) or not is_one(back, drops[1]) or type(number) is not int:
                return event
            del sealed[number:]
        elif event == TELL and type(args[0]) is list:
            args[0].extend(sealed)
        elif event == "object.__setattr__" and type(args[1]) is str and args[1] in EXCHANGED:
            function = own.get(id(args[0]))
            if function is not None and function is args[0]:
                return f"{function.__qualname__}.{args[1]}: {refused}"
        return None

    def ended(frame: FrameType) -> bool:
        """Whether the call that is going on asks itself, at its end."""
        back = frame.f_back
        if back is None or not is_one(frame, first[0]) or not is_one(back, first[1]):
            return False
        return back.f_back is going_on[1]

    def is_one(frame: FrameType, known: Code) -> bool:
        return frame.f_code is known[0] and frame.f_globals is known[1]

    def asked(frame: FrameType) -> tuple[Code, ...] | None:
        """The functions that ask, if they are the watch's own, and no key of the file's is where names are looked
        up."""
        frames: list[FrameType] = []
        at: FrameType | None = frame
        while at is not None and len(frames) < MOST:
            frames.append(at)
            at = at.f_back
        chain = next((c for c in chains if len(frames) >= len(c) and all(map(is_one, frames, c))), None)
        if chain is None or not plain(names) or not plain([(str, [vars(going_on[0])])]):
            return None
        if any(map(callable, vars(going_on[0]).values())):
            return None
        if len(chain) == MOST and vars(Watch)["active"] is not going_on[2]:
            return None
        if looks and not looked():
            return None
        same = all(
            owner.get(name) is value
            for owner, known in zip(owners, held, strict=True)
            for name, value in known.items()
            if name not in _CHANGED
        )
        return chain if same else None

    def looked() -> bool:
        """Whether the tools are those that were remembered."""
        if type(looks) is not Tools or vars(Tools)["active"] is not looks:
            return False
        now = vars(looks)
        return plain([(str, [now])]) and all(now.get(n) is v for n, v in known_to_looks.items())

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


def _code(function: Any) -> Code:
    return function.__code__, function.__globals__


def _chains() -> list[tuple[Code, ...]]:
    """The functions that ask, each called by the next."""
    from triton.runtime.autotuner import Autotuner

    begin = (
        _code(ClosedMemory._open),
        _code(ClosedMemory.opened.__wrapped__),  # type: ignore[attr-defined]
        _code(contextlib._GeneratorContextManager.__enter__),
    )
    asked = next(c for c in hooks._opening.__code__.co_consts if isinstance(c, CodeType) and c.co_name == "asked")
    call, counted = hooks.launching
    launch = (_code(contextlib.ExitStack.enter_context), (asked, vars(hooks)), _code(call), _code(counted))
    run = _code(Autotuner.run)
    tuned = (_code(tuning._refuse_other_results), run)
    return [
        (*begin, *launch),
        (*begin, _code(host._moved)),
        (*begin, *tuned),
        (*begin, _code(tuning._contents), *tuned),
        (*begin, _code(tuning._named), run),
    ]
