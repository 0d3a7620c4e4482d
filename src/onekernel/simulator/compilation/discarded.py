"""Where a program looks at nothing that a call of CUDA's runtime returns: cudaError_t is [[nodiscard]], g++ tells."""

from __future__ import annotations

import re

_LINE = re.compile(r"^(?P<file>[^\s:][^:\n]*):(?P<line>\d+):(?:\d+:)? (?P<kind>warning|note): (?P<what>.*)$")
_IGNORED = re.compile(r"ignoring returned? value .*\bcudaError")


def discarded_in(log: str) -> frozenset[tuple[str, int]]:
    """(file, line) of each such call in what the compiler said; of one in a macro also where that stands."""
    found = set()
    ignored = False
    for text in log.splitlines():
        said = _LINE.match(text)
        if said is None:
            continue
        if said["kind"] == "warning":
            ignored = bool(_IGNORED.search(said["what"]))
        if ignored:
            found.add((said["file"], int(said["line"])))
    return frozenset(found)
