"""Values without code of a file's, which a kernel may be given or name. Methods of anything else would run in it."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterator
from types import FunctionType, ModuleType, NoneType
from typing import Any

import numpy as np

from onekernel.triton.loops import Count, CountedRange
from onekernel.triton.origins import is_known
from onekernel.triton.sparse import Extent

_SIMPLE = frozenset((NoneType, bool, int, float, complex, str, bytes, range, type(...), Extent, Count))
_LISTS = (list, set, frozenset)
_NAMED = {n: v.__code__ for n, v in vars(namedtuple("_NAMED", ())).items() if isinstance(v, FunctionType)}
_Field = type(vars(namedtuple("_ONE", ("field",)))["field"])


def is_plain(value: Any) -> bool:
    """Whether a value, and what it holds, is of classes that are not a file's. Functions, classes and
    modules are looked at elsewhere."""
    kind = type(value)
    if kind in _SIMPLE or kind is ModuleType or (callable(value) and not is_known(kind)):
        return True
    if kind is slice:
        return is_plain((value.start, value.stop, value.step))
    if kind is tuple:
        return all(map(is_plain, value))
    if kind in _LISTS:  # what a kernel takes out of them is gone: its last word may be heard
        return all(is_plain(v) and not hasattr(v, "untyped_storage") for v in value)
    if kind is dict:
        return is_plain([*value, *value.values()])
    if kind.__mro__[1:] == (tuple, object):
        return _is_named_tuple(kind) and all(map(is_plain, tuple.__iter__(value)))
    if not is_known(kind) or isinstance(value, np.ndarray):
        return False
    return all(map(is_plain, vars(value).values() if hasattr(value, "__dict__") else ()))


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
    """Whether a class of tuples is as collections.namedtuple makes it: its methods are the same code."""
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
