"""Brackets that do not close: told before anything else is read into the file, which would take one function for part
of another."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from onekernel.simulator.facts.tokens import Token

_CLOSES = {")": "(", "]": "[", "}": "{"}
# Behind `//`: what an expression goes on with, and no words of a comment.
_DIVISOR = re.compile(r"//\s*\(?[\w.]+(?:\s*[-+*/]\s*[\w.]+)*\s*\)+")
_BEGINS = ("__global__", "__device__", "extern", "static", "template")


@dataclass(frozen=True)
class Unclosed:
    """A bracket that does not close, or that closes what is not open: the message's name in messages/compile.toml, its
    sign, the line."""

    key: str
    sign: str
    line: int


def unclosed(tokens: Sequence[Token]) -> Unclosed | None:
    """The first such bracket; None where all close, or where `#if` may leave some out."""
    if any(t.kind == "directive" and re.match(r"#\s*(?:if|el)", t.text) for t in tokens):
        return None
    stack: list[Token] = []
    before = "\n"
    for token in tokens:
        if token.kind == "sign" and token.text in "([{":
            stack.append(token)
        elif token.kind == "sign" and token.text in _CLOSES:
            if not stack:
                return Unclosed("brace-too-many" if token.text == "}" else "bracket-too-many", token.text, token.line)
            if stack[-1].text != _CLOSES[token.text]:
                return _missing(stack[-1], tokens)
            stack.pop()
        elif token.text in _BEGINS and before.endswith("\n") and _in_function(tokens, stack):
            return Unclosed("brace", "}", stack[0].line)
        before = token.text
    return _missing(stack[0], tokens) if stack else None


def _missing(opened: Token, tokens: Sequence[Token]) -> Unclosed:
    """What does not close; or the `//` on its line that was to divide, as it does in Python, and hides the rest."""
    close = {"(": ")", "[": "]", "{": "}"}[opened.text]
    comments = (re.search(r"//.*", t.text) for t in tokens if t.kind == "space" and t.line == opened.line)
    if close == ")" and any(c and _DIVISOR.match(c[0]) and c[0].count(")") > c[0].count("(") for c in comments):
        return Unclosed("python-quotient", "//", opened.line)
    return Unclosed("brace" if close == "}" else "bracket", close, opened.line)


def _in_function(tokens: Sequence[Token], stack: Sequence[Token]) -> bool:
    """Whether the outermost open bracket is a function's brace: not a namespace's, a struct's, or that of extern "C",
    in which functions may begin."""
    if not stack or stack[0].text != "{":
        return False
    solid = [t for t in tokens if t.kind != "space" and t.line <= stack[0].line]
    return not any(t.text in ("namespace", "struct", "class", "union", '"C"') for t in solid[-12:])
