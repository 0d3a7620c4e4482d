"""What an option of a check may hold, and the mistake that anything else is: a sentence with the nearest valid name."""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from onekernel.messages import Message
from onekernel.ops import Operator
from onekernel.ops.base import DTYPES

MOST_COUNTED = 1 << 22  # of a call that is counted: some seconds in the simulator


class Mistake(Exception):
    """Something wrong in a lab.toml: a message of course.toml and its values; `wrong` is the text that is wrong."""

    def __init__(self, key: str, wrong: object, /, **values: object) -> None:
        super().__init__(key)
        self.key, self.wrong, self.values = key, wrong, values


@dataclass(frozen=True)
class About:
    """What options are read for: an exercise of the course at `root`. `neighbours` are those of its lab that have an
    operator."""

    root: Path
    slug: str
    operator: Operator | None
    neighbours: Mapping[str, Operator] = field(default_factory=dict)


Known = Callable[[About], Iterable[str]]


class Option(Protocol):
    """An option's type. `required` says whether a check must have it."""

    required: bool

    def read(self, at: str, value: Any, about: About) -> None:
        """Raises Mistake for a value that it does not take; `at` is what the value is called in the sentence."""


def nearest(name: object, known: Iterable[str]) -> str:
    """The valid name that looks most like `name`; "-" where there is none at all."""
    return next(iter(difflib.get_close_matches(str(name), list(known), n=1, cutoff=0.0)), "-")


def one_of(at: str, name: Any, known: Iterable[str], mistake: str = "unknown-name", /, **values: object) -> str:
    """`name`, if it is known. Raises Mistake with the nearest one, and with all of them."""
    names = list(known)
    if not isinstance(name, str) or name not in names:
        values |= {"name": repr(name), "near": nearest(name, names), "known": ", ".join(names) or "-"}
        raise Mistake(mistake, name, key=at, **values)
    return name


def keys_of(at: str, data: Mapping[str, Any], known: Iterable[str]) -> None:
    """Raises Mistake for a key of a table that is not known."""
    for key in data:
        one_of(at, key, known, "unknown-key")


def wanted(at: str, value: object, what: str, /, **values: object) -> Mistake:
    """The mistake of a value that is not a `what`, a message course.a-WHAT."""
    return Mistake("wrong-value", value, key=at, got=repr(value), what=Message(f"course.a-{what}", values))


def whole(at: str, value: Any, least: int, most: int) -> int:
    """A whole number in those bounds; True is none. Raises Mistake."""
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise wanted(at, value, "whole-number", least=least, most=most)
    return value


@dataclass(frozen=True)
class Number:
    """A finite number from 0 on."""

    required: bool = True

    def read(self, at: str, value: Any, about: About) -> None:
        if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value) or value < 0:
            raise wanted(at, value, "number")


@dataclass(frozen=True)
class Name:
    """One of the names that are known."""

    known: Known
    required: bool = True

    def read(self, at: str, value: Any, about: About) -> None:
        one_of(at, value, self.known(about))


@dataclass(frozen=True)
class Names:
    """A list of known names, one at least, each once."""

    known: Known
    required: bool = True

    def read(self, at: str, value: Any, about: About) -> None:
        if not isinstance(value, list) or not value:
            raise wanted(at, value, "list")
        for name in value:
            one_of(at, name, self.known(about))
        if len(set(value)) < len(value):
            raise wanted(at, value, "list-of-different")


@dataclass(frozen=True)
class Limits:
    """A table: known name -> number."""

    known: Known
    required: bool = True

    def read(self, at: str, value: Any, about: About) -> None:
        if not isinstance(value, dict) or not value:
            raise wanted(at, value, "table")
        keys_of(at, value, self.known(about))
        for name, number in value.items():
            Number().read(f"{at}.{name}", number, about)


@dataclass(frozen=True)
class Sizes:
    """A table: each size of the operator -> a positive whole number; few enough elements to be counted."""

    required: bool = True

    def read(self, at: str, value: Any, about: About) -> None:
        sizes = about.operator.sizes if about.operator else ()
        if not isinstance(value, dict) or not value:
            raise wanted(at, value, "table")
        keys_of(at, value, sizes)
        for name in sizes:
            if name not in value:
                raise Mistake("missing-size", name, key=at, name=name)
        for name, number in value.items():
            whole(f"{at}.{name}", number, 1, MOST_COUNTED)
        if math.prod(value.values()) > MOST_COUNTED:
            raise wanted(at, value, "size-to-count", most=MOST_COUNTED)


@dataclass(frozen=True)
class SeveralSizes:
    """A list of tables of sizes, one at least."""

    required: bool = True

    def read(self, at: str, value: Any, about: About) -> None:
        if not isinstance(value, list) or not value:
            raise wanted(at, value, "list-of-sizes")
        for number, sizes in enumerate(value):
            Sizes().read(f"{at}[{number}]", sizes, about)


def groups(about: About) -> Iterable[str]:
    """The groups of the operator's cases."""
    return dict.fromkeys(c.group for c in about.operator.cases) if about.operator else ()


def dtypes(about: About) -> Iterable[str]:
    """The element types of the course."""
    return DTYPES
