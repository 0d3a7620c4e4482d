"""What runs kernels in the interpreter, as it was before a file was loaded: a file that puts Python of its own in the
place of any of it would have that run inside kernels, with memory open.

Watched are the functions of Triton's language, of its interpreter, of NumPy and of Python's own that these call, the
methods of Triton's classes and of the watch's, and what its objects hold. The interpreter itself dresses the language
for a launch and leaves some of that there; that is compared with what it dresses it in.
"""

from __future__ import annotations

import builtins
import contextlib
import functools
import inspect
import io
import math
import operator
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from onekernel.audit import Hook, add_hook
from onekernel.backends.base import Finding
from onekernel.messages import Message
from onekernel.triton.host import CHAPTER, CODE
from onekernel.triton.keys import Groups, looked_up, plain

_PYTHONS = (builtins, contextlib, functools, inspect, io, math, operator)
_TRITONS = ("triton", "onekernel.triton")
_INSIDE = ("__wrapped__", "_implementation", "fget", "fset", "func", "__func__", "pyfunc")  # functions within others
_MISSING = object()
_OF_FILES = "_triton_jit_function_registry"  # where Triton puts the kernels of every file, for their names alone


class Tools:
    """Remembers the tools and notices what was put in the place of one."""

    active: Tools | None = None

    def __init__(self, file: str) -> None:
        import torch.library
        import triton.language.extra.libdevice  # noqa: F401  # which nobody else has imported yet
        from triton.runtime import interpreter

        self.file = file
        self._interpreter = interpreter
        self._operators: set[str] = getattr(torch.library, "_impls", set())  # "aten/clone/CPU": Python in its place
        self._known = {*self._operators}
        owners = [*{id(o): o for o in _owners()}.values()]
        self._kept = [(o, vars(o), [(n, v) for n, v in vars(o).items() if _runs(v)], {*vars(o)}) for o in owners]
        self._dressed = _dressed(interpreter, owners)
        self._objects = [v for owner in owners for v in [*vars(owner).values()] if _of_class(v)]
        self._held = [{**vars(each)} for each in self._objects]
        named_by: list[Mapping[Any, Any]] = [*map(vars, owners), self._dressed]
        functions = _functions(value for names in named_by for value in names.values())
        self._parts = [*_parts(owners, self._objects, functions)]
        self._functions = {id(f): f for f in functions}
        self._changed = len(_changed())
        named = ((n, v) for owner in owners for n, v in vars(owner).items() if n != _OF_FILES)
        tables = {id(v): (n, v) for n, v in named if type(v) is dict}
        self._tables = [(n, t, [(k, v) for k, v in t.items() if callable(v)]) for n, t in tables.values()]
        given = ((f.__qualname__, f.__kwdefaults__) for f in functions)  # can be changed where they are
        self._tables += [(name, each, [*each.items()]) for name, each in given if each]
        self._found: Message | None = None
        self._keys: Groups = [*looked_up(), (str, [vars(self)])]

    def replaced(self, *beside: Any) -> list[Finding]:
        """A finding where the file has put something of its own in the place of one, or a key of its own beside one's
        name, or among what the objects `beside` hold; asked before each launch, too, for what is put back behind it."""
        if not plain([*self._keys, (str, [*map(vars, beside)])]):
            self._found = Message("triton.tool-replaced", {"name": "dict"})
        if self._found is None and (name := next(self._replaced(), None)):
            self._found = Message("triton.tool-replaced", {"name": name})
        return [Finding(CODE, self._found, self.file, chapter=CHAPTER)] if self._found else []

    def _replaced(self) -> Iterator[str]:
        for owner, now, kept, names in self._kept:
            for name, value in kept:
                if now.get(name) is not value and not self._is_dress(owner, name, now.get(name), value):
                    yield _said(owner, name)
            if len(now) != len(names):
                more = (name for name in now if name not in names)
                yield from (_said(owner, name) for name in more if self._hides(owner, name, now[name]))
        for each, held in zip(self._objects, self._held, strict=True):
            for name, value in vars(each).items():
                if callable(value) and held.get(name) is not value:
                    yield f"{type(each).__name__}.{name}"
        for them, part, were, called in self._parts:
            if not all(map(operator.is_, map(part, them), were)):
                yield next(n for n, each, was in zip(called, them, were, strict=True) if part(each) is not was)
        for function in _changed()[self._changed :]:
            if self._functions.get(id(function)) is function:
                yield function.__qualname__
        for name, table, functions in self._tables:
            if any(table.get(key) is not function for key, function in functions):
                yield name
        for named in self._operators - self._known:
            if named.startswith("aten/") and not named.endswith("/Meta"):
                yield named.replace("/", ".")

    def _hides(self, owner: Any, name: str, value: Any) -> bool:
        """Whether what was added to a class, or under the name of a function of Python's to a module, runs instead."""
        if not _runs(value) or not (isinstance(owner, type) or hasattr(builtins, name)):
            return False
        given = vars(self._interpreter).get(name, _MISSING)  # what it gives to the modules of its functions
        plain = _above(owner, name) if isinstance(owner, type) else given
        return value is not plain and not self._is_dress(owner, name, value, plain)

    def _is_dress(self, owner: Any, name: str, now: Any, plain: Any) -> bool:
        model = self._dressed.get((id(owner), name), _MISSING)
        return model is not _MISSING and _alike(now, model, plain)


def _owners() -> Iterator[Any]:
    """The modules and classes whose functions run while a kernel does."""
    for name, module in [*sys.modules.items()]:
        of_triton = name.startswith(_TRITONS)
        if of_triton or name.split(".")[0] == "numpy":
            yield module
        if of_triton:
            classes = (v for v in vars(module).values() if isinstance(v, type) and v.__module__ == name)
            yield from {id(c): c for c in classes}.values()
    yield from _PYTHONS
    yield from (v for v in vars(contextlib).values() if isinstance(v, type) and v.__module__ == contextlib.__name__)


def _runs(value: Any) -> bool:
    """Whether an attribute is, or has, code that runs when it is called or looked up."""
    return callable(value) or isinstance(value, property | classmethod | staticmethod)


def _of_class(value: Any) -> bool:
    """Whether a value is an object of one of Triton's classes, which may hold a function under a method's name."""
    known = type(value).__module__.startswith(_TRITONS) or type(value) is np.vectorize
    return known and not isinstance(value, type | ModuleType | FunctionType) and hasattr(value, "__dict__")


_CODES = "onekernel.codes"  # of Python's audit: asks for the functions of which a part was exchanged
EXCHANGED = ("__code__", "__defaults__", "__kwdefaults__")
_audit = sys.audit
_put_up = False


def _changed() -> list[FunctionType]:
    """The functions of this process whose code or defaults were exchanged. Python's audit tells of each: to read it
    from thousands, which is audited, too, takes half of a look."""
    global _put_up
    if not _put_up:
        _put_up = True
        add_hook(_codes())
    told: list[FunctionType] = []
    _audit(_CODES, told)
    return told


def _codes() -> Hook:
    changed: list[FunctionType] = []

    def hook(event: str, args: tuple[Any, ...]) -> None:
        if event == "object.__setattr__" and type(args[0]) is FunctionType:
            if type(args[1]) is not str or args[1] in EXCHANGED:  # a text of the file's class would answer by its code
                changed.append(args[0])
        elif event == _CODES and type(args[0]) is list:
            args[0].extend(changed)

    return hook


def _parts(
    owners: Sequence[Any], objects: Sequence[Any], functions: Sequence[FunctionType]
) -> Iterator[tuple[list[Any], Any, list[Any], list[str]]]:
    """What can be exchanged in a thing while it stays the same: things, what part of each, what it is, their names."""
    cells = [(c, f) for f in functions for c in f.__closure__ or () if _is_full(c)]
    classes = [o for o in owners if isinstance(o, type)]
    for part, named in (
        ("cell_contents", [(c, f.__qualname__) for c, f in cells]),
        ("__bases__", [(c, c.__qualname__) for c in classes]),
        ("__class__", [*((o, o.__name__) for o in owners), *((o, type(o).__name__) for o in objects)]),
    ):
        them, of = [each for each, _ in named], attrgetter(part)
        yield them, of, [*map(of, them)], [name for _, name in named]


def _functions(values: Iterable[Any]) -> list[FunctionType]:
    """The functions among the values, and within them: their code, and what that is around, can be exchanged while the
    function stays the same."""
    found: dict[int, FunctionType] = {}
    rest = [*values]
    while rest:
        value = rest.pop()
        if isinstance(value, FunctionType) and id(value) not in found:
            found[id(value)] = value
            rest += [c.cell_contents for c in value.__closure__ or () if _is_full(c)]
            rest += [v for n in _INSIDE if callable(v := getattr(value, n, None))]
            rest += [*(value.__kwdefaults__ or {}).values()]
        elif not isinstance(value, type | ModuleType | FunctionType):
            rest += [v for n in _INSIDE if callable(v := getattr(value, n, None))]
    return [*found.values()]


def _is_full(cell: Any) -> bool:
    try:
        return cell.cell_contents is not cell
    except ValueError:
        return False


def _above(owner: type, name: str) -> Any:
    return next((vars(c)[name] for c in owner.__mro__[1:] if name in vars(c)), _MISSING)


def _dressed(interpreter: Any, owners: list[Any]) -> dict[tuple[int, str], Any]:
    """(owner, name) -> what the interpreter puts there for a launch, and leaves there for a function that one calls."""
    before = [{**vars(owner)} for owner in owners]
    tl = interpreter.tl
    scope = interpreter._patch_lang(FunctionType((lambda: None).__code__, {"tl": tl, "core": tl.core}))
    dressed = {
        (id(owner), name): value
        for owner, was in zip(owners, before, strict=True)
        for name, value in vars(owner).items()
        if value is not was.get(name, _MISSING)
    }
    scope.restore()
    return dressed


def _alike(now: Any, model: Any, plain: Any) -> bool:
    """Whether a function is what the interpreter makes anew each time: the same code around the same things. `plain` is
    what it dresses."""
    if now is model:
        return True
    if isinstance(now, functools.partial) and isinstance(model, functools.partial):
        return _alike(now.func, model.func, plain) and (now.args, now.keywords) == (model.args, model.keywords)
    if isinstance(now, property) and isinstance(model, property):
        return _alike(now.fget, model.fget, plain)
    if not (isinstance(now, FunctionType) and isinstance(model, FunctionType)):
        return False
    wraps = (now.__kwdefaults__ or {}).get("member", plain)
    return (
        now.__code__ == model.__code__
        and now.__globals__ is model.__globals__
        and now.__defaults__ == model.__defaults__
        and (wraps is plain or wraps is getattr(plain, "__func__", None))
        and all(_alike_cells(a, b) for a, b in zip(now.__closure__ or (), model.__closure__ or (), strict=True))
    )


def _alike_cells(one: Any, other: Any) -> bool:
    a, b = one.cell_contents, other.cell_contents
    return a is b or _alike(a, b, _MISSING) or _holds_the_same(a, b)


def _holds_the_same(a: Any, b: Any) -> bool:
    """Whether two objects of one of Triton's classes hold the same: 3.6 makes its semantics anew for each function."""
    if type(a) is not type(b) or not _of_class(b):
        return False
    one, other = vars(a), vars(b)
    return one.keys() == other.keys() and all(value is other[name] for name, value in one.items())


def _said(owner: Any, name: str) -> str:
    return f"{owner.__name__}.{name}"
