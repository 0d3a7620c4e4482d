"""What a kernel names must be what its compiler would take: in the interpreter a plain function of Python would run
there, and compute with all that Python has.
"""

from __future__ import annotations

import dis
import functools
import sys
from collections.abc import Iterator
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from onekernel.backends.base import Finding
from onekernel.messages import Message

CHAPTER = "03-triton#program"


def plain_python(kernel: Any, file: str) -> Finding | None:
    """A finding where the kernel, or a function that it calls, names a function that Triton has not made."""
    for function, name in _plain(kernel, set()):
        line = function.__code__.co_firstlineno
        values = {"line": line, "name": name, "kernel": function.__name__}
        return Finding("not-compiled", Message("triton.python-in-kernel", values), file, line, chapter=CHAPTER)
    return None


def _plain(function: Any, seen: set[int]) -> Iterator[tuple[Any, str]]:
    original = getattr(function, "onekernel_original", function)
    seen.add(id(original))
    names, attributes = _names(original.__code__)
    cells = zip(original.__code__.co_freevars, original.__closure__ or (), strict=True)
    known = original.__globals__ | {name: cell.cell_contents for name, cell in cells}
    for name in (*names, *original.__code__.co_freevars):
        value = known.get(name)
        inner = getattr(value, "fn", None)
        if type(value).__module__ == "triton.runtime.interpreter" and isinstance(inner, FunctionType):
            if id(inner) not in seen:
                yield from _plain(inner, seen)
        elif not isinstance(value, ModuleType | type) and callable(value) and not _of_triton(value):
            yield original, name
        elif isinstance(value, ModuleType | type) or type(value).__module__ == original.__module__:
            yield from ((original, f"{name}.{n}") for n in attributes if _own(value, n))


@functools.lru_cache(maxsize=1000)
def _names(code: CodeType) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The global names that a function reads, and those that it looks up in something."""
    found = [(step.opname in ("LOAD_GLOBAL", "LOAD_NAME"), str(step.argval)) for step in dis.get_instructions(code)
             if step.opname in ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_ATTR", "LOAD_METHOD")]  # fmt: skip
    return tuple({n: 0 for known, n in found if known}), tuple({n: 0 for known, n in found if not known})


def _own(holder: Any, name: str) -> bool:
    """Whether an attribute is a plain function, in what is no module of Triton's."""
    if isinstance(holder, ModuleType) and sys.modules.get(holder.__name__) is holder:
        return False  # the compiler refuses those that are not Triton's, and replacing a part of Triton is seen
    return isinstance(getattr(holder, name, None), FunctionType | MethodType)


def _of_triton(value: Any) -> bool:
    """Whether it is what a module of Triton's has under its name, or of a class of Triton's."""
    if not isinstance(value, FunctionType):
        return type(value).__module__.split(".")[0] == "triton"
    module, name = str(value.__module__), str(value.__name__)
    return module.split(".")[0] == "triton" and getattr(sys.modules.get(module), name, None) is value
