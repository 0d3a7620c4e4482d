"""Whose a class, a function or a module is: what was there before a file was loaded.

What something says of its own origin, `__module__` and `__qualname__`, is the file's to choose, and so is what a file
puts into a module later. A kernel may name, and be given, values without code of a file's: methods of anything else
would run in it.
"""

from __future__ import annotations

import sys
from collections import namedtuple
from collections.abc import Callable, Iterator
from types import FunctionType, ModuleType, NoneType
from typing import Any

import numpy as np

from onekernel.triton.faults import Count, CountedRange
from onekernel.triton.keys import are_texts
from onekernel.triton.sparse import Extent

_PYTHONS = (NoneType, bool, int, float, complex, str, bytes, tuple, list, dict, set, frozenset, range, slice)
_LANGUAGE = ("triton.language", "triton.tools.tensor_descriptor")

_tritons: dict[int, Any] = {}  # held, so that nothing else gets its id
_names: dict[int, frozenset[str]] = {}  # of its modules
_classes: dict[int, type] = {}  # those whose methods may run in a kernel
_doors: set[str] = set()


def remember() -> None:
    """Learns what is there, before a file is loaded."""
    import torch

    modules = [m for n, m in [*sys.modules.items()] if n.split(".")[0] == "triton" and isinstance(m, ModuleType)]
    _tritons.update((id(m), m) for m in modules)
    _names.update((id(m), frozenset(vars(m))) for m in modules)
    inside, beside = set[str](), set[str]()
    for module in modules:
        for name, value in vars(module).items():
            if isinstance(value, type | FunctionType):
                _tritons[id(value)] = value
                if isinstance(value, type):
                    _tritons.update((id(c), c) for c in vars(value).values()
                                   if isinstance(c, type) and c.__module__.startswith("triton"))  # fmt: skip
            elif isinstance(value, ModuleType):
                (inside if value.__name__.split(".")[0] == "triton" else beside).add(name)
    _doors.update(beside - inside)
    language = (c for c in _tritons.values() if isinstance(c, type) and c.__module__.startswith(_LANGUAGE))
    torchs = (torch.Tensor, torch.nn.Parameter, torch.dtype, torch.device, torch.Size)
    numbers = (c for c in np.sctypeDict.values() if c is not np.object_)
    _classes.update((id(c), c) for c in (*language, *torchs, *numbers, *_PYTHONS))


def is_tritons(value: Any) -> bool:
    """Whether a class, a function or a module was in a module of Triton's then."""
    return id(value) in _tritons


def had(module: Any, name: str) -> bool:
    """Whether it is a module of Triton's that had something by this name; that it is the same, `tools` watches."""
    return name in _names.get(id(module), ())


def is_known(kind: type) -> bool:
    """Whether a class is one that kernels work with: Python's, NumPy's numbers, tensors, Triton's types."""
    return id(kind) in _classes


def leads_out(name: str) -> bool:
    """Whether a module of Triton's has a module of somebody else's by this name: tl.core.builtins."""
    return name in _doors


_SIMPLE = frozenset((NoneType, bool, int, float, complex, str, bytes, range, type(...), Extent, Count))
_LISTS = (list, set, frozenset)
_NAMED = {n: v.__code__ for n, v in vars(namedtuple("_NAMED", ())).items() if isinstance(v, FunctionType)}
_Field = type(vars(namedtuple("_ONE", ("field",)))["field"])


def is_plain(value: Any, within: frozenset[int] = frozenset()) -> bool:
    """Whether a value, and what it holds, is of classes that are not a file's. Functions, classes and
    modules are looked at elsewhere. `within`: what is being looked at already, by its id."""
    kind = type(value)
    if kind is ModuleType:
        return are_texts(vars(value))
    if kind in _SIMPLE or (callable(value) and not is_known(kind)):
        return True
    if kind is slice:
        return is_plain((value.start, value.stop, value.step), within)
    if kind is tuple:
        return all(is_plain(v, within) for v in value)
    if kind in _LISTS:  # what a kernel takes out of them is gone: its last word may be heard
        return all(is_plain(v, within) and not hasattr(type(v), "untyped_storage") for v in value)
    if kind is dict:
        return is_plain([*value, *value.values()], within)
    if kind.__mro__[1:] == (tuple, object):
        return _is_named_tuple(kind) and all(is_plain(v, within) for v in tuple.__iter__(value))
    if not is_known(kind) or isinstance(value, np.ndarray):
        return False
    return not hasattr(value, "__dict__") or _holds_what_is_plain(value, is_plain, within)


def is_converted(value: Any, within: frozenset[int] = frozenset()) -> bool:
    """Whether a value is what the interpreter has made of what a kernel is given: a tensor of its own, of plain
    numbers, or several."""
    kind = type(value)
    if kind is np.ndarray:
        return not value.dtype.hasobject
    if kind in (tuple, list):
        return bool(value) and all(is_converted(v, within) for v in value)
    return is_tritons(kind) and hasattr(value, "__dict__") and not callable(value) and _holds_what_is_plain(
        value, lambda v, w: is_plain(v, w) or is_converted(v, w), within
    )  # fmt: skip


def _holds_what_is_plain(value: Any, plain: Callable[[Any, frozenset[int]], bool], within: frozenset[int]) -> bool:
    if id(value) in within:
        return True
    held, inside = vars(value), within | {id(value)}
    return are_texts(held) and all(plain(v, inside) for v in held.values())


def each_in(value: Any) -> Iterator[Any]:
    """A plain value, and all that it holds: a kernel may take a function out of a tuple."""
    yield value
    kind = type(value)
    if isinstance(value, tuple | list | set | frozenset):
        held: Any = value
    elif kind is dict:
        held = (*value, *value.values())
    elif kind is slice:
        held = (value.start, value.stop, value.step)
    else:
        held = vars(value).values() if is_known(kind) and hasattr(value, "__dict__") else ()
    for each in held:
        yield from each_in(each)


def is_plain_class(kind: Any) -> bool:
    """Whether a class that a kernel names is one that kernels work with, or a named tuple's."""
    return is_known(kind) or kind is CountedRange or (kind.__mro__[1:] == (tuple, object) and _is_named_tuple(kind))


def _is_named_tuple(kind: Any) -> bool:
    """Whether a class of tuples is as collections.namedtuple makes it: its methods are the same code. A typed one
    is not from Python 3.14 on, where it keeps a function of the file's that computes its annotations."""
    for name, value in vars(kind).items():
        if isinstance(value, FunctionType) and _NAMED.get(name) is not value.__code__:
            return False
        if type(value) is int:  # the number of the line that it begins in, from Python 3.13 on
            continue
        if not isinstance(value, FunctionType | staticmethod | classmethod | str | tuple | dict | NoneType | _Field):
            return False
    made, model = kind.__new__, namedtuple("_MODEL", getattr(kind, "_fields", ()), rename=True).__new__
    same = getattr(made, "__code__", None) == getattr(model, "__code__", None)
    return same and type(kind) is type and made.__globals__.get("_tuple_new") == tuple.__new__
