"""Calls of functions by their names, with what each is given; and lambdas, which have none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from onekernel.simulator.facts.declarations import angle_end
from onekernel.simulator.facts.elements import is_operand
from onekernel.simulator.facts.statements import expression_end
from onekernel.simulator.facts.tokens import (
    Token,
    closing,
    is_sign,
    next_solid,
    one_line,
    previous_solid,
    split_commas,
    tokenize,
)

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


@dataclass(frozen=True)
class Lambda:
    """`name`: of the variable that it is the value of, or ""; `of_auto`: whether that has its type; `captures`: where
    these brackets open and close; `words`: those before its parameters, whose bracket opens at `bracket`, None where it
    has none; `body`: its opening brace."""

    name: str
    captures: tuple[int, int]
    words: tuple[str, ...]
    bracket: int | None
    body: int
    of_auto: bool = False


def lambdas(tokens: list[Token]) -> Iterator[Lambda]:
    """In their order. A bracket is a subscript's behind a value, and an attribute's where two stand together."""
    for i, token in enumerate(tokens):
        if token.kind != "sign" or token.text != "[" or is_sign(tokens, next_solid(tokens, i + 1), "["):
            continue
        before = previous_solid(tokens, i - 1)
        if before >= 0 and (is_sign(tokens, before, "[") or is_operand(tokens, before)):
            continue
        closes = closing(tokens, i)
        words, at = list[str](), next_solid(tokens, closes + 1)
        while at < len(tokens) and tokens[at].kind == "name":
            words.append(tokens[at].text)
            at = next_solid(tokens, at + 1)
        bracket = at if is_sign(tokens, at, "(") else None
        body = expression_end(tokens, at if bracket is None else closing(tokens, at) + 1, len(tokens), ("{", ";", ")"))
        if is_sign(tokens, body, "{"):
            named = previous_solid(tokens, before - 1) if is_sign(tokens, before, "=") else -1
            name = tokens[named].text if named >= 0 else ""
            of_auto = named > 0 and tokens[previous_solid(tokens, named - 1)].text == "auto"
            yield Lambda(name, (i, closes), tuple(words), bracket, body, of_auto)
