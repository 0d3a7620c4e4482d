"""The kinds of check: one package per kind, found by its name; nothing else lists them.

    onekernel/checks/KIND/__init__.py   KIND: its options, what it suits, what grading must know of it. Nothing heavy.
    onekernel/checks/KIND/judge.py      judge(), and plan() where it needs calls of a launcher: loaded when used

The modules beside the packages are what kinds share: options, measures, counted calls, Python exercises.
"""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module

from onekernel.course import Kind


@cache
def names() -> tuple[str, ...]:
    """The names that a lab.toml may give as `kind`."""
    return tuple(sorted(m.name for m in pkgutil.iter_modules(__path__) if m.ispkg))


def named(name: str) -> Kind:
    """The kind of that name, one of `names`."""
    kind: Kind = import_module(f"{__name__}.{name}").KIND
    return kind
