"""What the learner's own text says of an array or of an allocation."""

from __future__ import annotations

import re
from collections.abc import Iterator

from onekernel.simulator.facts.arrays import OF_DEVICE, Array
from onekernel.simulator.facts.file import facts_at
from onekernel.simulator.facts.symbols import MANAGED
from onekernel.simulator.facts.tokens import one_line


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
    stored = re.match(r"\s*(\w+)\s*(?:\[[^\]]*\]\s*)+=[^=]", facts.line(number))
    name = stored[1] if stored else ""
    return any(array.name == name and "__shared__" in array.words for array in facts.arrays)


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
