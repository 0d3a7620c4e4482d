"""Which array an index has left that a check of the compiler's has seen: it tells a place in a line, and no name."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from onekernel.simulator.facts.file import facts_at
from onekernel.simulator.read import around
from onekernel.simulator.read.case import Case, Place

_MOST = 200  # bytes of a line that are looked at
_GROUP = r"\[(?:[^][]|\[(?:[^][]|\[[^][]*\])*\])*\]"  # a subscript, with others in it
_NAME = r"((?:\w+\s*(?:\.|->)\s*)*\b[A-Za-z_]\w*)\s*"
_ENDS = re.compile(rf"{_NAME}((?:{_GROUP}\s*)*?)(?:{_GROUP}|\[)$")
_BEGINS = re.compile(rf"{_NAME}((?:{_GROUP}\s*)*)")
_INDEXED = re.compile(rf"{_NAME}{_GROUP}")


def name_of(file: str, line: int, facts: Mapping[str, Any]) -> str:
    """The array whose index the check has found outside, `a`, or `p.a[i]` of one of its rows; "" where the line does
    not tell. g++ knows the column where the subscript ends, in a template where its bracket opens; clang++ the one
    where the array's name begins."""
    lines, column = facts_at(file).text.split("\n"), facts["column"]
    text = lines[line - 1].encode() if 0 < line <= len(lines) else b""
    if facts["at_begin"]:
        found = _BEGINS.match(_readable(text[column - 1 : column + _MOST]))
        groups = re.findall(_GROUP, found[2]) if found else []
        groups = groups[: max(0, len(groups) - facts["subscripts"])]
    else:
        found = _ENDS.search(_readable(text[max(0, column - _MOST) : column]))
        groups = [found[2].strip()] if found else []
    if found:
        return found[1] + "".join(groups)
    # Of a macro, or where we have rewritten what stands before it, the column is another.
    alone = {indexed[1] for indexed in _INDEXED.finditer(_readable(text[:_MOST]))}
    return alone.pop() if len(alone) == 1 else ""


def _readable(text: bytes) -> str:
    return text.decode(errors="replace")


def is_told_elsewhere(found: dict[str, Any], outside: Collection[Place]) -> bool:
    """Whether the array is one of shared memory or of the device, as far as can be told: of those the access itself
    tells what is wrong. `outside` are the lines of accesses that have."""
    if found["code"] != "array-bounds" or not found["facts"]["elsewhere"]:
        return False
    file, line = found["file"], found["line"]
    name = name_of(file, line, found["facts"])
    first = re.split(r"\W", name)[0]
    return not name or (file, line) in outside or first in facts_at(file).in_memory


def tell(case: Case) -> None:
    """The array's name, and what may be meant by the index."""
    name = name_of(str(case.file), case.line or 0, case.values)
    one_past = case.number("index") == case.number("size") and around.has_wide_test(*case.here)
    case.values["variable"] = name
    case.form = case.form if name else "unnamed"
    case.values["place"] = case.says("one-past" if one_past else "loop" if around.in_loop(*case.here) else "extent")
