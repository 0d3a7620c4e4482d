"""Hooks of Python's audit in a process that runs a learner's file, in which it finds nothing."""

from __future__ import annotations

import builtins
import gc
import sys
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any, TypeVar

Made = TypeVar("Made", bound=Callable[..., Any])
Hook = Callable[[str, tuple[Any, ...]], str | None]


def private(function: Made) -> Made:
    """The same function with globals and built-ins of its own, as they are now, and so the functions beside it: what a
    file finds in the module, it may replace. Their code is their own, too: a file that makes a function of the
    module's code has another's."""
    names = {**function.__globals__, "__builtins__": {**vars(builtins)}}
    for name, beside in [*names.items()]:
        if isinstance(beside, FunctionType) and beside.__globals__ is function.__globals__:
            names[name] = FunctionType(_again(beside.__code__), names, name, beside.__defaults__, beside.__closure__)
            names[name].__kwdefaults__ = beside.__kwdefaults__
    made: Made = names[function.__name__]
    return made


def _again(code: CodeType) -> CodeType:
    return code.replace(co_consts=tuple(_again(c) if isinstance(c, CodeType) else c for c in code.co_consts))


_hooks: list[CodeType] = []


def add_hook(hook: Hook) -> None:
    """Has `hook` asked at every event; what it returns is why the event is refused. The exception has no frame of the
    hook's, in which a file would find what the hook knows."""

    def asked(
        event: str, args: tuple[Any, ...], hook: Any = hook, error: Any = PermissionError, fault: Any = BaseException,
        on: Any = gc.isenabled, enable: Any = gc.enable, disable: Any = gc.disable,
    ) -> None:  # fmt: skip
        was_on = on()
        disable()  # nothing that garbage calls back runs inside of it
        try:
            why = hook(event, args)
        except fault:
            why = event
        del hook
        if was_on:
            enable()
        if why is not None:
            raise error(why)

    _hooks.append(getattr(hook, "__code__"))  # noqa: B009  # a function's
    _add(asked)


def codes_of_hooks() -> tuple[CodeType, ...]:
    """The code of the hooks so far, by which a frame of one is known. Once: nobody finds it here afterwards."""
    codes = (*_hooks,)
    _hooks.clear()
    return codes


_add = sys.addaudithook
