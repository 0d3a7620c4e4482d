"""The kinds of check: one package per kind, found by its name; nothing else lists them.

    onekernel/checks/KIND/__init__.py   KIND: its options, what it suits, what grading must know of it. Nothing heavy.
    onekernel/checks/KIND/judge.py      judge(), plan() where it needs calls of a launcher, asked(): loaded when used

The modules beside the packages are what kinds share: options, measures, counted calls, Python exercises.
"""

from __future__ import annotations

import pkgutil
from dataclasses import dataclass
from functools import cache
from importlib import import_module

from onekernel.course import Kind
from onekernel.messages import Message


@cache
def names() -> tuple[str, ...]:
    """The names that a lab.toml may give as `kind`."""
    return tuple(sorted(m.name for m in pkgutil.iter_modules(__path__) if m.ispkg))


def named(name: str) -> Kind:
    """The kind of that name, one of `names`."""
    kind: Kind = import_module(f"{__name__}.{name}").KIND
    return kind


@dataclass(frozen=True)
class Question:
    """What a learner answers before the machine does, as `onekernel predict` asks it.

    `id` is what the answer is kept under; `what` is asked for, in `unit`, "" for a bare number.
    """

    id: str
    what: Message
    unit: str = ""
