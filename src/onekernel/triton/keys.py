"""The dictionaries in which names are looked up while a kernel runs, and in the hook that keeps its memory.

Beside a key of a file's class nothing may be looked up there: Python asks the key whether it is the name, by code of
the file's, wherever that is.
"""

from __future__ import annotations

import builtins
import os
import sys
from collections.abc import Iterable
from itertools import chain, repeat
from operator import is_
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

Groups = list[tuple[type, list[Any]]]
"""Dictionaries by the class that all keys of each have."""

_LIBRARIES = ("numpy", "triton", "onekernel")
_TORCHS = ("torch._ops", "torch._tensor", "torch.overrides", "torch.storage", "torch.utils._python_dispatch")
_KINDS = (str, bytes, int)
# No other class can be made whose objects are asked as these are.
_PYTHONS = (*_KINDS, bool, float, type(None), type, FunctionType, BuiltinFunctionType, CodeType)


def plain(groups: Iterable[tuple[type, Iterable[Any]]]) -> bool:
    """Whether the keys are still of that class, or of another one of Python's. Nothing is looked up meanwhile: what is
    found so, stays so until code of a file's runs again."""
    return all(_have_class(kind, held) or all(map(_is_pythons, chain(*held))) for kind, held in groups)


def _have_class(kind: type, held: Iterable[Any]) -> bool:
    return all(map(is_, map(type, chain.from_iterable(held)), repeat(kind)))


def _is_pythons(key: Any) -> bool:
    kind = type(key)
    return any(map(is_, repeat(kind), _PYTHONS)) or (kind is tuple and all(map(_is_pythons, key)))


def are_texts(*held: Iterable[Any]) -> bool:
    """Whether all keys of these are plain texts."""
    return _have_class(str, held)


def looked_up() -> Groups:
    """What there is before a file is loaded: the names of the modules that kernels run through, and of those that these
    use; of the objects, tables and defaults in the former."""
    through = [m for n, m in [*sys.modules.items()] if isinstance(m, ModuleType) and _is_run_through(n)]
    values = [v for module in through for v in [*vars(module).values()]]
    inside = [v for c in values if isinstance(c, type) for v in [*vars(c).values()]]
    used = [v if isinstance(v, ModuleType) else sys.modules.get(str(getattr(v, "__module__", ""))) for v in values]
    held: list[Any] = [vars(m) for m in (*through, *used, builtins, sys) if isinstance(m, ModuleType)]
    held += [v for v in (*values, *inside) if type(v) is dict]
    held += [vars(v) for v in values if hasattr(v, "__dict__") and not isinstance(v, type | ModuleType)]
    functions = [getattr(v, "__func__", v) for v in (*values, *inside)]
    held += [f.__kwdefaults__ for f in functions if isinstance(f, FunctionType)]
    held += [sys.modules, vars(os.environ)["_data"]]
    once = {id(each): each for each in held if type(each) is dict and each}
    return [(kind, [each for each in once.values() if _have_class(kind, [each])]) for kind in _KINDS]


def _is_run_through(module: str) -> bool:
    return module.partition(".")[0] in _LIBRARIES or module in _TORCHS
