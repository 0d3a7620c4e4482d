"""Where a file promises that nothing changes what a kernel loads: in that kernel, or for any of them.

A promise counts for the kernel in which it stands. One in a macro, a type or a function counts for all that may use it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from onekernel.simulator.facts.tokens import Token, closing, tokenize

_PROMISE = re.compile(r"\b(?:__restrict(?:__)?|restrict|__ldg)\b")


@dataclass(frozen=True)
class Promises:
    """`kernels`: first and last line of each, and whether a promise stands there; `elsewhere`: whether one does not."""

    kernels: list[tuple[int, int, bool]]
    elsewhere: bool

    def at(self, line: int) -> list[bool]:
        """Of the kernels on that line; a line outside of kernels has none."""
        return [promised for first, last, promised in self.kernels if first <= line <= last]


def promises_of(text: str) -> Promises:
    tokens = [t for t in tokenize(text) if t.kind not in ("space", "string")]
    kernels, elsewhere, i = [], False, 0
    while i < len(tokens):
        end = _end(tokens, i) if tokens[i].text == "__global__" else i
        promised = any(_PROMISE.search(t.text) for t in tokens[i : end + 1])
        if end > i:
            kernels.append((tokens[i].line, tokens[end].line, promised))
        else:
            elsewhere |= promised
        i = end + 1
    return Promises(kernels, elsewhere)


def _end(tokens: list[Token], i: int) -> int:
    """The last token of the kernel's definition, or of its declaration."""
    while i < len(tokens) and tokens[i].text not in (";", "{"):
        i = closing(tokens, i) + 1 if tokens[i].text == "(" else i + 1
    return min(closing(tokens, i) if i < len(tokens) and tokens[i].text == "{" else i, len(tokens) - 1)
