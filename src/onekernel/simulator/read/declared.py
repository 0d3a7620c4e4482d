"""What the learner's own text says of an array or of an allocation."""

from __future__ import annotations

import re

from onekernel.simulator.read.excerpt import code_of, line_of, lines_of


def is_dynamic(file: str | None, name: str) -> bool:
    """Whether the array is an extern __shared__ one."""
    array = re.compile(rf"\bextern\b[^;]*\b{re.escape(name)}\s*\[\s*\]")
    return any(array.search(code_of(line)) for line in lines_of(file))


def is_of_device(file: str | None, name: str) -> bool:
    """Whether the variable is a __device__ one."""
    variable = re.compile(rf"__device__[^;()]*\b{re.escape(name)}\b\s*(?:\[[^\]]*\]\s*)*[;=]")
    return any(variable.search(code_of(line)) for line in lines_of(file))


def declares_on_device(file: str | None, name: str) -> int | None:
    """The line that declares the array as a __device__ or __constant__ one."""
    array = re.compile(rf"__(?:device|constant|managed)__[^;()=]*\b{re.escape(name)}\s*\[")
    lines = lines_of(file)
    return next((n for n, line in enumerate(lines, 1) if array.search(code_of(line))), None)


def extents(file: str | None, name: str) -> list[int]:
    """The extents of a __device__ or __constant__ array; 0 for one that is no number and no constant of the file."""
    declared = declares_on_device(file, name) if name.isidentifier() else None
    found = re.search(rf"\b{re.escape(name)}\s*((?:\[[^\]]*\]\s*)+)", code_of(line_of(file, declared)))
    return [_number(file, text.strip()) for text in re.findall(r"\[([^\]]*)\]", found[1])] if found else []


def inner_extents(file: str | None, name: str) -> list[int]:
    """Those but the first, of an array of arrays, where all are known."""
    inner = extents(file, name)[1:]
    return inner if all(inner) else []


def _number(file: str | None, text: str) -> int:
    """A number, or a constant of the file that is one; else 0."""
    if not text.isdigit():
        name = re.escape(text)
        made = re.compile(rf"#\s*define\s+{name}\s+\(?(\d+)|\b(?:const|constexpr)\b[^;]*\b{name}\s*=\s*(\d+)\s*[;,]")
        match = next(filter(None, (made.search(code_of(line)) for line in lines_of(file))), None)
        text = (match[1] or match[2]) if match else "0"
    return int(text)


def fills_shared(file: str | None, number: int | None) -> bool:
    """Whether the line stores into an element of a __shared__ array."""
    stored = re.match(r"(\w+)\s*(?:\[[^\]]*\]\s*)+=[^=]", code_of(line_of(file, number)))
    array = re.compile(rf"__shared__[^;()]*\b{stored[1]}\s*\[" if stored else r"(?!)")
    return any(array.search(code_of(line)) for line in lines_of(file))


def allocated_without_sizeof(file: str | None, number: int | None, variable: str) -> bool:
    """Whether the line asks for the variable's memory by a number alone: cudaMalloc(&v, n)."""
    call = rf"\bcudaMalloc\w*\s*\([^;]*?&\s*{re.escape(variable)}\s*,([^;]*)\)\s*;"
    asked = re.search(call, code_of(line_of(file, number)))
    words = re.findall(r"\w+", asked[1]) if asked else []
    return bool(words) and not any(re.search(r"sizeof|size|bytes|mem|^\d", word, re.IGNORECASE) for word in words)


def sizeof_in_allocation(file: str | None, number: int | None) -> str:
    """What the line asks for the size of, where that is all of what it asks for: h of `cudaMalloc(&d, sizeof(h))`."""
    asked = re.search(r"\bcudaMalloc\w*\s*\([^;]*,\s*sizeof\s*\(?\s*(\w+)\s*\)?\s*\)", code_of(line_of(file, number)))
    return asked[1] if asked else ""


def allocates_into_element(file: str | None, number: int | None) -> bool:
    """Whether the line asks for memory whose pointer goes into an element of an array, or a member behind a pointer."""
    return bool(re.search(r"\bcudaMalloc\w*\s*\([^;,]*&\s*\(?\s*\w+\s*(?:\[|->)", code_of(line_of(file, number))))
