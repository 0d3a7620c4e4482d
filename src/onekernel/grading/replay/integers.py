"""Whether a file puts an element's value into an integer: not its sizes, indices and counts, which are integers."""

from __future__ import annotations

import re

_INTEGER = r"(?:(?:unsigned|signed|long|short)\s+)*(?:int|long|short|unsigned|u?int\d+_t)"
_DECLARED = re.compile(rf"\b{_INTEGER}\s+(\w+)\s*(?=[=;,\[{{])")
_GIVEN = re.compile(r"\b(\w+)\s*(?:\[[^\]\n]*\]\s*)?[-+]?=(?!=)\s*([^;\n]*)")
# What is computed of elements, or one of them.
_VALUE = re.compile(r"(?:fmax|fmin|exp|shfl|__reduce)\w*\s*\(|\w\s*\[|\bdata\b")
_CAST = re.compile(rf"\(\s*{_INTEGER}\s*\)\s*\(?\s*([A-Za-z_]\w*)|__float2int|(\w+)\.to\(\s*tl\.u?int")
_SIZE = re.compile(
    r"(?:thread|block|grid)(?:Idx|Dim)|\w*(?:rows?|cols?|stride|size|pid|offs?|program_id|blocks)\d*|[nNijk]"
)
_SHARED = re.compile(rf"__shared__\s+{_INTEGER}\s")


def values_in_integers(code: str) -> bool:
    """`code` is a kernel's text without its comments."""
    if _SHARED.search(code):
        return True
    cast = (m[1] or m[2] or "" for m in _CAST.finditer(code))
    if any(not _SIZE.fullmatch(name) and not name.startswith("sizeof") for name in cast):
        return True
    integers = set(_DECLARED.findall(code))
    return any(m[1] in integers and _VALUE.search(_up_to_the_head(m[2])) for m in _GIVEN.finditer(code))


def _up_to_the_head(value: str) -> str:
    """What is given up to the parenthesis that ends a loop's head: what follows is its body."""
    depth = 0
    for at, c in enumerate(value):
        depth += (c == "(") - (c == ")")
        if depth < 0:
            return value[:at]
    return value
