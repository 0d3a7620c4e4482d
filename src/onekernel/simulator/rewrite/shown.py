"""Assignments to one variable are told to the runtime, which keeps those of one thread: `onekernel show`.

`v += x;` becomes `v += x, ok_shown("v", line, v);`, so that it stays one statement, whatever stands before it. Behind a
declaration a statement of its own does; a variable of a `for` is told where its condition is asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from onekernel.simulator.facts.declarations import functions_in
from onekernel.simulator.facts.elements import STEPS, stores
from onekernel.simulator.facts.statements import expression_end
from onekernel.simulator.facts.tokens import Token, is_sign, next_solid, one_line, previous_solid, text_of, with_calls

_STARTS = (";", "{", "}", ")", ":", "else", "do", "(", ",")  # behind which a statement may begin


@dataclass(frozen=True)
class _Assignment:
    """To a variable or an array of one dimension, in a function: what is assigned to, "v" or "v[t + 1]"; where its name
    stands."""

    target: str
    at: int
    declares: bool


def assigned(tokens: list[Token]) -> list[str]:
    """The names of all variables and arrays that functions assign to, in the order of their first assignment."""
    return list(dict.fromkeys(tokens[one.at].text for one in _assignments(tokens)))


def with_shown(tokens: list[Token], name: str) -> list[Token]:
    """The tokens with a call behind every assignment to `name`; their lines stay as they are."""
    after: dict[int, str] = {}  # what is put before the token with that index
    for one in _assignments(tokens):
        token = tokens[one.at]
        end = _statement_end(tokens, one.at) if token.text == name else None
        if end is None:
            continue
        call = f'::__ok::ok_shown("{one.target}", {token.line}, {one.target})'
        if _in_for(tokens, one.at, end):
            condition = next_solid(tokens, end + 1)
            if not is_sign(tokens, condition, ";"):
                after[condition] = f"{call}, "
        elif one.declares:
            after[end + 1] = f" {call};" + after.get(end + 1, "")
        else:
            after[end] = f", {call}"
    return with_calls(tokens, after)


def _assignments(tokens: list[Token]) -> Iterator[_Assignment]:
    """In the order of their names. What an index changes, or calls, is not to be asked for again; nor is what a pointer
    or an object leads to."""
    places = [i for i, token in enumerate(tokens) if token.kind not in ("space", "directive")]
    code = [tokens[i] for i in places]
    bodies = [range(*function.braces(code)) for function in functions_in(code)]
    for store in sorted(stores(code), key=lambda store: store.target.begin):
        target, at = store.target, store.target.begin
        plain = target.base == code[at].text and len(target.groups) < 2
        if not plain or not any(at in body for body in bodies):
            continue
        if store.sign not in STEPS and not store.declares and code[at - 1].text not in _STARTS:
            continue
        indices = [text_of(code[opens + 1 : closes]) for opens, closes in target.groups]
        if indices and (store.declares or not indices[0] or re.search(r"\(|\+\+|--", indices[0])):
            continue
        written = (tokens[places[opens] : places[closes] + 1] for opens, closes in target.groups)
        yield _Assignment("".join((target.base, *map(one_line, written))), places[at], store.declares)


def _statement_end(tokens: list[Token], i: int) -> int | None:
    """The `;` that ends the statement; None where a bracket around it closes first, as in an argument."""
    end = expression_end(tokens, i, len(tokens), ";)]}")
    return end if is_sign(tokens, end, ";") else None


def _in_for(tokens: list[Token], i: int, end: int) -> bool:
    """Whether the statement that ends at `end` is the first part of a `for`."""
    depth = 0
    for k in range(end - 1, -1, -1):
        if tokens[k].kind != "sign":
            continue
        depth += (tokens[k].text in ")]}") - (tokens[k].text in "([{")
        if depth < 0:
            before = previous_solid(tokens, k - 1)
            return tokens[k].text == "(" and before >= 0 and tokens[before].text == "for"
        if depth == 0 and tokens[k].text == ";" and k < i:
            return False
    return False
