"""Reads a compiler's listing: which line of the source asks for which loads, stores, shuffles, barriers and atomics."""

from __future__ import annotations

import re
from collections import Counter

from onekernel.backends.machine_code import Count

_LOC = re.compile(r"^\s*\.loc\s.*?//(?P<where>.*)$")
_MEMORY = re.compile(r"\b(?P<op>ld|st)\.(?:volatile\.)?global(?P<rest>[\w.:]*)\.(?P<type>[bfsu]\d+)\b")
_VECTOR = re.compile(r"\.v(\d)\b")
_OTHER = {
    "shuffle": re.compile(r"\bshfl\.sync"),
    "barrier": re.compile(r"\b(?:bar|barrier)\.(?:cta\.)?(?:sync|red)"),
    "atomic": re.compile(r"\b(?:atom|red)\.global"),
    "exp2": re.compile(r"\bex2\.approx"),
}
_USAGE = re.compile(r"REG:(?P<registers>\d+) STACK:(?P<stack>\d+) SHARED:(?P<shared>\d+)")
_INSTRUCTION = re.compile(r"^\s+/\*[0-9a-f]{4,5}\*/\s", re.MULTILINE)


def instructions(ptx: str, source: str) -> tuple[Count, ...]:
    """The memory, shuffle, barrier, atomic and exponential instructions of a PTX listing, by line of file `source`.

    Code inlined from Triton's own library counts for the line of `source` that called it.
    """
    found: Counter[tuple[int, str, int]] = Counter()
    line = 0
    own = re.compile(rf"{re.escape(source)}:(\d+):")
    for text in ptx.splitlines():
        loc = _LOC.match(text)
        if loc:
            here = own.search(loc["where"])
            line = int(here[1]) if here else line
            continue
        memory = _MEMORY.search(text)
        if memory:
            vector = _VECTOR.search(memory["rest"])
            width = int(memory["type"][1:]) // 8 * (int(vector[1]) if vector else 1)
            found[line, "load" if memory["op"] == "ld" else "store", width] += 1
        for kind, pattern in _OTHER.items():
            if pattern.search(text):
                found[line, kind, 0] += 1
    return tuple(Count(*key, times) for key, times in sorted(found.items()))


def resources(usage: str) -> tuple[int, int]:
    """(registers a thread, bytes of stack a thread) from `cuobjdump -res-usage`. Raises ValueError for other text."""
    found = _USAGE.search(usage)
    if not found:
        raise ValueError(f"no resource usage in {usage[:200]!r}")
    return int(found["registers"]), int(found["stack"])


def sass_length(sass: str) -> int:
    """The number of machine instructions in a SASS listing."""
    return len(_INSTRUCTION.findall(sass))
