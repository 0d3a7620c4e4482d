"""What a kernel names must be what its compiler would take: in the interpreter a plain function of Python would run
there, and compute with all that Python has.
"""

from __future__ import annotations

import builtins
import dis
import functools
from collections.abc import Iterable, Iterator
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from onekernel.backends.base import Finding
from onekernel.messages import Message
from onekernel.triton import origins
from onekernel.triton.keys import are_texts
from onekernel.triton.origins import each_in, is_plain, is_plain_class

CHAPTER = "03-triton#program"
# Python's own that the compiler takes; but for getattr, by which a kernel reaches what no name of it says.
_BUILTINS = frozenset(("len", "list", "range", "float", "int", "isinstance", "hasattr", "print", "min", "max"))
# What the interpreter puts into a kernel's text as it rewrites it; the second from Triton 3.9 on.
_REWRITTEN = ("interpreter_semantic", "_InterpreterComparison")

_theirs: set[int] = set()  # functions of Triton's own that it compiles as it does a file's: tl.max


class _Object(str):
    """The name of what is neither a function nor a plain value."""


def remember() -> None:
    """Learns which functions are Triton's own, before a file is loaded."""
    from triton.language import random, standard
    from triton.runtime.interpreter import InterpretedFunction

    for module in (standard, random):
        _theirs.update(id(v.fn) for v in vars(module).values() if isinstance(v, InterpretedFunction))
    origins.remember()


def plain_python(kernel: Any, given: Iterable[Any], file: str) -> Finding | None:
    """A finding where the kernel, what it is `given`, or a function that it calls, names a function that Triton has not
    made, or what the interpreter computes with. `kernel`: as the interpreter has rewritten it."""
    for function, name in _plain(kernel, {*_theirs}, given):
        odd = isinstance(name, _Object)
        line = function.__code__.co_firstlineno if type(function) is FunctionType else None
        values = {"line": line or "?", "name": name, "kernel": function.__name__ if line else "?"}
        inside = name in _REWRITTEN or name.startswith((".", "_")) or hasattr(builtins, name)
        key = "object-in-kernel" if odd else "inside-in-kernel" if inside else "python-in-kernel"
        return Finding("not-compiled", Message(f"triton.{key}", values), file, line, chapter=CHAPTER)
    return None


def _plain(function: Any, seen: set[int], given: Iterable[Any] = ()) -> Iterator[tuple[Any, str]]:
    from triton.runtime import interpreter

    if odd := _odd(function):
        yield function, odd
        return
    original = getattr(function, "onekernel_original", function)
    if odd := _odd(original):
        yield function, odd
        return
    seen.add(id(original))
    names, attributes = _names(original.__code__)
    cells = zip(original.__code__.co_freevars, original.__closure__ or (), strict=True)
    known = original.__globals__ | {name: cell.cell_contents for name, cell in cells}
    scopes = [known]
    if function is not original:  # the text that was rewritten, and where that looks up its names, may be another's
        more, of_them = _names(function.__code__)
        names, attributes = (*names, *(n for n in more if n not in _REWRITTEN)), (*attributes, *of_them)
        scopes.append(function.__globals__)
    theirs = {n: getattr(interpreter, n, None) for n in _REWRITTEN}
    yield from ((original, n) for n, own in theirs.items() for scope in scopes if scope.get(n, own) is not own)
    if any(f.__builtins__ is not vars(builtins) for f in (function, original)):
        yield original, "__builtins__"
    yield from ((original, f".{n}") for n in attributes if n == "handle" or n[0] == "_" or origins.leads_out(n))
    yield from ((original, f".{n}") for f in dict.fromkeys((function, original)) for n in _changed(f.__code__))
    asked = (*names, *original.__code__.co_freevars)
    values = [(name, scope.get(name)) for scope in scopes for name in asked]
    yield from ((original, n) for n in names if n not in known and hasattr(builtins, n) and n not in _BUILTINS)
    values += [(_called(v), v) for v in given]
    unknown = next((name for name, value in values if not is_plain(value)), None)
    if unknown is not None:
        yield original, _Object(unknown)
        return
    rest = [(name, each) for name, held in values for each in each_in(held)]
    modules = set[int]()
    for name, value in rest:  # grows by what is in modules
        if id(value) in modules:
            continue
        if type(value) is interpreter.InterpretedFunction:
            inner = value.fn
            if not isinstance(inner, FunctionType) or _replaced(value):
                yield original, name
            elif id(inner) not in seen:
                yield from _plain(value.rewrite(), seen)  # now: that runs its line of `def`
        elif isinstance(value, ModuleType | type):
            modules.add(id(value))
            if isinstance(value, type) and not is_plain_class(value):
                yield original, _Object(name)
            yield from ((original, f"{name}.{n}") for n in attributes if _own(value, n))
            inside = [(f"{name}.{n}", held) for n in attributes for held in _held(value, n)]
            yield from ((original, _Object(n)) for n, held in inside if not is_plain(held))
            rest += [(n, each) for n, held in inside for each in each_in(held)]
        elif callable(value) and not _of_triton(value):
            yield original, name


def _odd(function: Any) -> str:
    """Where something of a function is looked up beside a key that is no plain text; what it is, if no function."""
    if type(function) is not FunctionType:
        return "__call__"
    held = {n: getattr(function, n) or {} for n in ("__globals__", "__builtins__", "__dict__", "__kwdefaults__")}
    return next((name for name, names in held.items() if not are_texts(names)), "")


def _replaced(function: Any) -> bool:
    """Whether an object of the interpreter's holds something under the name of a method."""
    held = vars(function)
    return not are_texts(held) or any(hasattr(type(function), n) for n in held if not n.startswith("__"))


_LOOKED_UP = ("LOAD_GLOBAL", "LOAD_NAME")
_OF_SOMETHING = ("LOAD_ATTR", "LOAD_METHOD")


@functools.lru_cache(maxsize=1000)
def _names(code: CodeType) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The global names that a function, and what is defined in it, reads; and those that it looks up in something."""
    found = [(step.opname in _LOOKED_UP, str(step.argval)) for step in dis.get_instructions(code)
             if step.opname in _LOOKED_UP + _OF_SOMETHING]  # fmt: skip
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            more, of_them = _names(inner)
            found += [*((True, n) for n in more), *((False, n) for n in of_them)]
    return tuple({n: 0 for known, n in found if known}), tuple({n: 0 for known, n in found if not known})


@functools.lru_cache(maxsize=1000)
def _changed(code: CodeType) -> tuple[str, ...]:
    """What a function changes besides its own variables, and what it brings in."""
    changed = ("STORE_GLOBAL", "DELETE_GLOBAL", "STORE_ATTR", "DELETE_ATTR", "IMPORT_NAME")
    inner = [n for c in code.co_consts if isinstance(c, CodeType) for n in _changed(c)]
    return (*(str(step.argval) for step in dis.get_instructions(code) if step.opname in changed), *inner)


def _own(holder: Any, name: str) -> bool:
    """Whether an attribute is a function that is not Triton's, nor of the numbers that the compiler knows."""
    if origins.had(holder, name):
        return False
    value = getattr(holder, name, None)
    if isinstance(holder, ModuleType):
        return callable(value) and not isinstance(value, type) and not _of_triton(value)
    return isinstance(value, FunctionType | MethodType)


def _held(module: Any, name: str) -> Iterator[Any]:
    """What a module, not Triton's, has by this name."""
    if isinstance(module, ModuleType) and name in vars(module) and not origins.had(module, name):
        yield vars(module)[name]


def _of_triton(value: Any) -> bool:
    """Whether it is a function or a class of Triton's, or an object of one."""
    return origins.is_tritons(value if isinstance(value, FunctionType | type) else type(value))


def _called(value: Any) -> str:
    """What a value that a launch is given is called: by its own name, if it has one, else by its class's."""
    try:
        return str(value.__name__)
    except (AttributeError, ValueError):  # the latter of a tuple of Triton 3.6
        return type(value).__name__
