"""A rule that each of many things keeps is one test, which names every thing that breaks it and says what to do."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

from support.course import ROOT

Thing = TypeVar("Thing")


def each(things: Iterable[Thing], wrong: Callable[[Thing], object], advice: str) -> None:
    """Fails with all `things` in which `wrong` finds something (which is not false), each with what it found.

    An exception, of an assertion for example, is something found: the other things are still asked.
    """
    asked = list(things)
    assert asked, "a rule about nothing"
    broken = [f"  {_name(thing)}: {found}" for thing in asked if (found := _found(wrong, thing))]
    assert not broken, "\n".join([f"{len(broken)} of {len(asked)}; {advice}:", *broken])


def _found(wrong: Callable[[Thing], object], thing: Thing) -> object:
    try:
        return wrong(thing)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def _name(thing: object) -> str:
    if isinstance(thing, tuple):
        return " ".join(map(_name, thing))
    return str(thing.relative_to(ROOT)) if isinstance(thing, Path) and thing.is_relative_to(ROOT) else str(thing)
