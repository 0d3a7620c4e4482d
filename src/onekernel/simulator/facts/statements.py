"""Branches and loops, and where statements and blocks end, among tokens without spaces and directives."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass

from onekernel.simulator.facts.tokens import Token, closing

_WITH_HEAD = ("if", "for", "while", "switch")


@dataclass(frozen=True)
class Statement:
    """A branch or a loop, from its word on. `head`: the brackets of its condition, none of an `else`; `first` to
    `last`: what it has run; an `if` ends before its `else`."""

    word: str
    begin: int
    head: tuple[int, int] | None
    first: int
    last: int
    first_line: int
    last_line: int
    otherwise: bool = False  # an `else` that no `if` follows


@dataclass(frozen=True)
class Counted:
    """The parts of a `for`: the name that is given a value at its start, the value, the condition, and what is done
    behind each turn."""

    name: str
    value: list[Token]
    condition: list[Token]
    step: list[Token]


def counted(code: list[Token], loop: Statement) -> Counted | None:
    """What a `for` counts by; None of another statement."""
    opens, closes = loop.head or (0, 0)
    stops = [k for k in range(opens, closes) if code[k].text == ";"]
    if loop.word != "for" or len(stops) != 2:
        return None
    begin = code[opens + 1 : stops[0]]
    sign = next((k for k, t in enumerate(begin) if t.text == "="), 0)
    name, value = (begin[sign - 1].text, begin[sign + 1 :]) if sign else ("", [])
    return Counted(name, value, code[stops[0] + 1 : stops[1]], code[stops[1] + 1 : closes])


def statements(code: list[Token]) -> Iterator[Statement]:
    """All of them, in the order in which they begin."""
    ends: set[int] = set()  # where the `while` of a `do` stands
    most = len(code)
    for i, token in enumerate(code):
        if token.kind != "name" or i in ends or i + 1 >= most:
            continue
        opens = i + 2 if code[i + 1].text == "constexpr" else i + 1
        if token.text in _WITH_HEAD and opens < most and code[opens].text == "(":
            head = opens, closing(code, opens)
            yield _statement(code, i, head, head[1] + 1, statement_end(code, head[1] + 1, most))
        elif token.text == "else":
            yield _statement(code, i, None, i + 1, statement_end(code, i + 1, most))
        elif token.text == "do":
            last = statement_end(code, i + 1, most)
            opens = last + 2
            if opens < most and code[last + 1].text == "while" and code[opens].text == "(":
                ends.add(last + 1)
                head = opens, closing(code, opens)
                yield _statement(code, i, head, i + 1, statement_end(code, head[1] + 1, most))


def _statement(code: list[Token], i: int, head: tuple[int, int] | None, first: int, last: int) -> Statement:
    otherwise = code[i].text == "else" and code[i + 1].text != "if"
    last = min(last, len(code) - 1)
    return Statement(code[i].text, i, head, first, last, code[i].line, code[last].line, otherwise)


def statement_end(tokens: list[Token], i: int, end: int) -> int:
    """The last token of the statement that begins at `i`."""
    waiting = 0  # each `if` whose `else` may follow
    while i < end:
        opens = i + 2 if i + 1 < end and tokens[i + 1].text == "constexpr" else i + 1
        if tokens[i].text in _WITH_HEAD and opens < end and tokens[opens].text == "(":
            waiting += tokens[i].text == "if"
            i = closing(tokens, opens) + 1
            continue
        last = closing(tokens, i) if tokens[i].text == "{" else expression_end(tokens, i, end, ";")
        if not waiting or last + 1 >= end or tokens[last + 1].text != "else":
            return last
        waiting -= 1
        i = last + 2
    return end


def expression_end(tokens: list[Token], i: int, end: int, signs: Container[str]) -> int:
    """The first of these signs from `i` on, outside of brackets that open there."""
    while i < end and tokens[i].text not in signs:
        i = closing(tokens, i) + 1 if tokens[i].text in ("(", "[", "{") else i + 1
    return min(i, end)


def scope_end(tokens: list[Token], i: int, end: int) -> int:
    """The brace that closes the block around `i`."""
    while i < end and tokens[i].text != "}":
        i = closing(tokens, i) + 1 if tokens[i].text == "{" else i + 1
    return min(i, end)
