"""Whether a file puts an element's value into an integer: not its sizes, indices and counts, which are integers."""

from __future__ import annotations

import re

from onekernel.simulator.facts import facts_of
from onekernel.simulator.facts.names import after_brackets
from onekernel.simulator.facts.statements import expression_end
from onekernel.simulator.facts.tokens import text_of

# What is computed of elements, or one of them.
_VALUE = re.compile(r"(?:fmax|fmin|exp|shfl|__reduce)\w*\(|\w\[|\bdata\b")
_INTEGER = r"(?:(?:unsigned|signed|long|short)\s+)*(?:int|long|short|unsigned|u?int\d+_t)"
_CAST = re.compile(rf"\(\s*{_INTEGER}\s*\)\s*\(?\s*([A-Za-z_]\w*)|__float2int|(\w+)\.to\(\s*tl\.u?int")
_SIZE_TYPES = {"size_t", "ptrdiff_t"}
_SIZE = re.compile(
    r"(?:thread|block|grid)(?:Idx|Dim)|\w*(?:rows?|cols?|stride|size|pid|offs?|program_id|blocks)\d*|[nNijk]"
)


def values_in_integers(code: str) -> bool:
    """`code` is a kernel's text without its comments."""
    cast = (m[1] or m[2] or "" for m in _CAST.finditer(code))
    if any(not _SIZE.fullmatch(name) and not name.startswith("sizeof") for name in cast):
        return True
    facts = facts_of(code)
    integers = [one for one in facts.named if one.is_integer and not _SIZE_TYPES & {*one.type}]
    if any("__shared__" in one.type for one in integers):
        return True
    names, tokens = {one.name for one in integers}, facts.code
    for i, token in enumerate(tokens[:-2]):
        at = after_brackets(tokens, i)
        at += at < len(tokens) and tokens[at].text in ("+", "-")
        is_given = [t.text == "=" for t in tokens[at : at + 2]] == [True, False]
        value = tokens[at + 1 : expression_end(tokens, at, len(tokens), ",;)")]
        if token.text in names and is_given and _VALUE.search(text_of(value)):
            return True
    return False
