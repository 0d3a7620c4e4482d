"""Values without code of a file's, which a kernel may be given or name. Methods of anything else would run in it."""

from __future__ import annotations

import sys
from collections import namedtuple
from types import FunctionType, NoneType
from typing import Any

from onekernel.triton.loops import Count
from onekernel.triton.sparse import Extent

_SIMPLE = frozenset((NoneType, bool, int, float, complex, str, bytes, range, slice, type(...), Extent, Count))
_LISTS = (list, tuple, set, frozenset)
_NAMED = {n: v.__code__ for n, v in vars(namedtuple("_NAMED", ())).items() if isinstance(v, FunctionType)}
_Field = type(vars(namedtuple("_ONE", ("field",)))["field"])


def is_plain(value: Any) -> bool:
    """Whether a value, and what it holds, is of classes that are not a file's. Functions and tensors are looked at
    elsewhere: they are."""
    kind = type(value)
    if kind.__name__ == "constexpr" and _is_of_triton(kind):
        return is_plain(value.value)
    if kind in _SIMPLE or callable(value) or hasattr(kind, "untyped_storage"):
        return True
    if kind in _LISTS:
        return all(map(is_plain, value))
    if kind is dict:
        return all(map(is_plain, (*value, *value.values())))
    if kind.__mro__[1:] == (tuple, object):
        return _is_named_tuple(kind) and all(map(is_plain, tuple.__iter__(value)))
    return _is_of_triton(kind)


def _is_of_triton(kind: type) -> bool:
    """Whether a module of Triton, PyTorch or NumPy has the class under its name."""
    module = str(kind.__module__)
    known = module.split(".")[0] in ("triton", "torch", "numpy")
    return known and getattr(sys.modules.get(module), kind.__qualname__, None) is kind


def _is_named_tuple(kind: Any) -> bool:
    """Whether a class of tuples is as collections.namedtuple makes it: its methods are the same code."""
    for name, value in vars(kind).items():
        if isinstance(value, FunctionType) and _NAMED.get(name) is not value.__code__:
            return False
        if not isinstance(value, FunctionType | staticmethod | classmethod | str | tuple | dict | NoneType | _Field):
            return False
    made, model = kind.__new__, namedtuple("_MODEL", getattr(kind, "_fields", ()), rename=True).__new__
    same = getattr(made, "__code__", None) == getattr(model, "__code__", None)
    return same and made.__globals__.get("_tuple_new") == tuple.__new__
