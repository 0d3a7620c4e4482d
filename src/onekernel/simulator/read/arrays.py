"""What the learner's own text says of an array or of an allocation; and which array an index has left that a check of
the compiler's has seen, which tells a place in a line, and no name."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from onekernel.simulator.facts import facts_at
from onekernel.simulator.facts.arrays import OF_DEVICE, Array
from onekernel.simulator.facts.symbols import MANAGED
from onekernel.simulator.facts.tokens import one_line
from onekernel.simulator.read import around
from onekernel.simulator.read.case import Case, Place

_MOST = 200  # bytes of a line that are looked at
_GROUP = r"\[(?:[^][]|\[(?:[^][]|\[[^][]*\])*\])*\]"  # a subscript, with others in it
_NAME = r"((?:\w+\s*(?:\.|->)\s*)*\b[A-Za-z_]\w*)\s*"
_ENDS = re.compile(rf"{_NAME}((?:{_GROUP}\s*)*?)(?:{_GROUP}|\[)$")
_BEGINS = re.compile(rf"{_NAME}((?:{_GROUP}\s*)*)")
_INDEXED = re.compile(rf"{_NAME}{_GROUP}")


def is_dynamic(file: str | None, name: str) -> bool:
    """Whether the array is an extern __shared__ one."""
    return any(array.is_dynamic for array in facts_at(file).arrays if array.name == name)


def is_of_device(file: str | None, name: str) -> bool:
    """Whether the variable is a __device__ one."""
    return facts_at(file).variables.get(name) in ("", MANAGED)


def _on_device(file: str | None, name: str) -> Array | None:
    known = (array for array in facts_at(file).arrays if array.name == name)
    return next((array for array in known if array.words & OF_DEVICE), None)


def declares_on_device(file: str | None, name: str) -> int | None:
    """The line that declares the array as a __device__ or __constant__ one."""
    array = _on_device(file, name)
    return array.line if array else None


def extents(file: str | None, name: str) -> list[int]:
    """The extents of a __device__ or __constant__ array; 0 for one that is no number and no constant of the file."""
    array = _on_device(file, name)
    numbers = facts_at(file).numbers
    texts = [one_line(extent) for extent in array.extents] if array else []
    found = (numbers.get(text, text).rstrip("uUlL") for text in texts)
    return [int(text) if text.isdigit() else 0 for text in found]


def inner_extents(file: str | None, name: str) -> list[int]:
    """Those but the first, of an array of arrays, where all are known."""
    inner = extents(file, name)[1:]
    return inner if all(inner) else []


def fills_shared(file: str | None, number: int | None) -> bool:
    """Whether the line stores into an element of a __shared__ array."""
    facts = facts_at(file)
    stored = {s.target.name for s in facts.stored(number) if s.sets and s.target.groups}
    return any(array.name in stored and "__shared__" in array.words for array in facts.arrays)


def _allocations(file: str | None, number: int | None) -> Iterator[tuple[str, str]]:
    """Where each allocation of the line puts its pointer, and the bytes that it asks for; "" of rows with a pitch."""
    calls = (c for c in facts_at(file).calls if c.line == number and c.name.startswith("cudaMalloc"))
    return ((c.given[0], c.given[1] * (c.name != "cudaMallocPitch")) for c in calls if c.given[1:])


def allocated_without_sizeof(file: str | None, number: int | None, variable: str) -> bool:
    """Whether the line asks for the variable's memory by a number alone: cudaMalloc(&v, n)."""
    into = re.compile(rf".*&\s*{re.escape(variable)}")
    size = next((size for pointer, size in _allocations(file, number) if into.fullmatch(pointer)), "")
    words = re.findall(r"\w+", size)
    return bool(words) and not any(re.search(r"sizeof|size|bytes|mem|^\d", word, re.IGNORECASE) for word in words)


def sizeof_in_allocation(file: str | None, number: int | None) -> str:
    """What the line asks for the size of, where that is all of what it asks for: h of `cudaMalloc(&d, sizeof(h))`."""
    asked = (re.fullmatch(r"sizeof\s*\(?\s*(\w+)\s*\)?", size) for _, size in _allocations(file, number))
    return next((found[1] for found in asked if found), "")


def allocates_into_element(file: str | None, number: int | None) -> bool:
    """Whether the line asks for memory whose pointer goes into an element of an array, or a member behind a pointer."""
    pointers = (pointer for pointer, _ in _allocations(file, number))
    return any(re.search(r"&\s*\(?\s*\w+\s*(?:\[|->)", pointer) for pointer in pointers)


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
