"""Names of numbers and of types of integers, put back into what they stand for: `x[i] & MASK` is `x[i] & 0xFF`.

For what is read from the tokens alone: a name is taken to mean the same in the whole file.
"""

from __future__ import annotations

import re

from onekernel.simulator.facts.tokens import Token
from onekernel.simulator.rewrite.given import INTEGERS

_NUMBER = re.compile(
    r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+\(?(\d\w*)\)?[ \t]*(?://.*)?$"
    r"|\b(?:const|constexpr)[ \t]+(?:[a-z_]\w*[ \t]+)*(\w+)[ \t]*=[ \t]*(\d\w*)[ \t]*;",
    re.MULTILINE,
)
_TYPE = re.compile(r"\busing[ \t]+(\w+)[ \t]*=[ \t]*([\w \t]+);|\btypedef[ \t]+([\w \t]+?)[ \t]+(\w+)[ \t]*;")


def spelled_out(text: str, tokens: list[Token]) -> list[Token]:
    """The tokens of `text` without such names."""
    meant = {m[1] or m[3]: [m[2] or m[4]] for m in _NUMBER.finditer(text)}
    for m in _TYPE.finditer(text):
        words = (m[2] or m[3]).split()
        if all(word in INTEGERS for word in words):
            meant[m[1] or m[4]] = words
    if not meant:
        return tokens
    out = []
    for token in tokens:
        words = meant.get(token.text, []) if token.kind == "name" else []
        out += [Token("number" if word[0].isdigit() else "name", word, token.line) for word in words] or [token]
    return out
