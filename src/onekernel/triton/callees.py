"""What a kernel names must be what its compiler would take: in the interpreter a plain function of Python would run
there, and compute with all that Python has.
"""

from __future__ import annotations

import builtins
import dis
import functools
import sys
from collections.abc import Iterable, Iterator
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from onekernel.backends.base import Finding
from onekernel.messages import Message
from onekernel.triton.plain import is_plain

CHAPTER = "03-triton#program"
# Python's own that the compiler takes; but for getattr, by which a kernel reaches what no name of it says.
_BUILTINS = frozenset(("len", "list", "range", "float", "int", "isinstance", "hasattr", "print", "min", "max"))
_REWRITTEN = "interpreter_semantic"  # what the interpreter has assignments in a kernel call, by this name

_theirs: set[int] = set()  # functions of Triton's own that it compiles as it does a file's: tl.max


class _Object(str):
    """The name of what is neither a function nor a plain value."""


def remember() -> None:
    """Learns which functions are Triton's own, before a file is loaded."""
    from triton.language import random, standard
    from triton.runtime.interpreter import InterpretedFunction

    for module in (standard, random):
        _theirs.update(id(v.fn) for v in vars(module).values() if isinstance(v, InterpretedFunction))


def plain_python(kernel: Any, given: Iterable[Any], file: str) -> Finding | None:
    """A finding where the kernel, what it is `given`, or a function that it calls, names a function that Triton has not
    made, or what the interpreter computes with."""
    for function, name in _plain(kernel, {*_theirs}, given):
        odd = isinstance(name, _Object)
        line = function.__code__.co_firstlineno
        values = {"line": line, "name": name, "kernel": function.__name__}
        inside = name == _REWRITTEN or name.startswith(".") or hasattr(builtins, name)
        key = "object-in-kernel" if odd else "inside-in-kernel" if inside else "python-in-kernel"
        return Finding("not-compiled", Message(f"triton.{key}", values), file, line, chapter=CHAPTER)
    return None


def _plain(function: Any, seen: set[int], given: Iterable[Any] = ()) -> Iterator[tuple[Any, str]]:
    from triton.runtime import interpreter

    original = getattr(function, "onekernel_original", function)
    seen.add(id(original))
    names, attributes = _names(original.__code__)
    cells = zip(original.__code__.co_freevars, original.__closure__ or (), strict=True)
    known = original.__globals__ | {name: cell.cell_contents for name, cell in cells}
    if known.get(_REWRITTEN, interpreter.interpreter_semantic) is not interpreter.interpreter_semantic:
        yield original, _REWRITTEN
    yield from ((original, f".{name}") for name in attributes if name == "handle" or name.startswith("_"))
    values = [(name, known.get(name)) for name in (*names, *original.__code__.co_freevars)]
    yield from ((original, n) for n in names if n not in known and hasattr(builtins, n) and n not in _BUILTINS)
    for name, value in (*values, *((getattr(v, "__name__", type(v).__name__), v) for v in given)):
        value = getattr(value, "value", value) if _of_triton(value) else value  # a compile-time one, tl.constexpr(f)
        if type(value) is interpreter.InterpretedFunction:
            inner = value.fn
            if not isinstance(inner, FunctionType) or _replaced(value):
                yield original, name
            elif id(inner) not in seen:
                yield from _plain(inner, seen)
        elif not isinstance(value, ModuleType | type) and not is_plain(value):
            yield original, _Object(name)
        elif not isinstance(value, ModuleType | type) and callable(value) and not _of_triton(value):
            yield original, name
        elif isinstance(value, ModuleType | type) or type(value).__module__ == original.__module__:
            yield from ((original, f"{name}.{n}") for n in attributes if _own(value, n))


def _replaced(function: Any) -> bool:
    """Whether an object of the interpreter's holds something under the name of a method."""
    return any(hasattr(type(function), name) for name in vars(function) if not name.startswith("__"))


@functools.lru_cache(maxsize=1000)
def _names(code: CodeType) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The global names that a function reads, and those that it looks up in something."""
    found = [(step.opname in ("LOAD_GLOBAL", "LOAD_NAME"), str(step.argval)) for step in dis.get_instructions(code)
             if step.opname in ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_ATTR", "LOAD_METHOD")]  # fmt: skip
    return tuple({n: 0 for known, n in found if known}), tuple({n: 0 for known, n in found if not known})


def _own(holder: Any, name: str) -> bool:
    """Whether an attribute is a function that is not Triton's, nor of the numbers that the compiler knows."""
    real = isinstance(holder, ModuleType) and sys.modules.get(holder.__name__) is holder
    if real and holder.__name__.split(".")[0] == "triton":
        return False
    value = getattr(holder, name, None)
    if real:
        return callable(value) and not isinstance(value, type) and not _of_triton(value)
    return isinstance(value, FunctionType | MethodType)


def _of_triton(value: Any) -> bool:
    """Whether it is what a module of Triton's has under its name, or had before the interpreter dressed it for a
    launch; or an object of a class of Triton's."""
    made = value if isinstance(value, FunctionType | type) else type(value)
    module = str(made.__module__)
    there = getattr(sys.modules.get(module), str(made.__qualname__), None)
    dressed = (getattr(there, "__kwdefaults__", None) or {}).get("member")
    return module.split(".")[0] == "triton" and (made is there or made is dressed)
