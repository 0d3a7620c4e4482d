"""Calls of functions by their names, with what each is given."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from onekernel.simulator.facts.declarations import angle_end
from onekernel.simulator.facts.tokens import Token, closing, is_sign, next_solid, one_line, split_commas, tokenize

_NO_FUNCTIONS = frozenset(("if", "for", "while", "switch", "return", "sizeof", "alignof", "decltype", "catch"))


@dataclass(frozen=True)
class Call:
    """`given`: each argument as the text has it, on one line."""

    name: str
    line: int
    given: tuple[str, ...]


def calls(tokens: list[Token]) -> Iterator[Call]:
    """In their order, those in macros too; of templates, what stands in their angle brackets is left out. A function's
    own declaration looks the same."""
    for i, token in enumerate(tokens):
        if token.kind == "directive":
            yield from calls(tokenize(token.text[1:], token.line))
        if token.kind != "name" or token.text in _NO_FUNCTIONS:
            continue
        bracket = next_solid(tokens, i + 1)
        if is_sign(tokens, bracket, "<"):
            bracket = angle_end(tokens, bracket)
        if is_sign(tokens, bracket, "(") and (close := closing(tokens, bracket)) < len(tokens):
            given = split_commas(tokens[bracket + 1 : close])
            yield Call(token.text, token.line, tuple(map(one_line, given)))
