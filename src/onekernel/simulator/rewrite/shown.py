"""Assignments to one variable are told to the runtime, which keeps those of one thread: `onekernel show`.

`v += x;` becomes `v += x, ok_shown("v", line, v);`, so that it stays one statement, whatever stands before it. Behind a
declaration a statement of its own does; a variable of a `for` is told where its condition is asked.
"""

from __future__ import annotations

from collections.abc import Iterator

from onekernel.simulator.facts.statements import expression_end
from onekernel.simulator.facts.tokens import (
    Token,
    closing,
    is_sign,
    next_solid,
    one_line,
    previous_solid,
    with_calls,
)

_OPERATORS = ("+", "-", "*", "/", "%", "&", "|", "^", "<", ">")
_BEFORE_A_BODY = (")", "const", "noexcept", "override", "mutable")
_STARTS = (";", "{", "}", ")", ":")


def assigned(tokens: list[Token]) -> list[str]:
    """The names of all variables and arrays that functions assign to, in the order of their first assignment."""
    names = (tokens[i].text for i in _in_bodies(tokens) if _assignment(tokens, i) is not None)
    return list(dict.fromkeys(names))


def with_shown(tokens: list[Token], name: str) -> list[Token]:
    """The tokens with a call behind every assignment to `name`; their lines stay as they are."""
    after: dict[int, str] = {}  # what is put before the token with that index
    for i in _in_bodies(tokens):
        token = tokens[i]
        if token.text != name:
            continue
        target = _assignment(tokens, i)
        if target is None:
            continue
        call = f'::__ok::ok_shown("{target}", {token.line}, {target})'
        end = _statement_end(tokens, i)
        if end is None:
            continue
        if _in_for(tokens, i, end):
            condition = next_solid(tokens, end + 1)
            if not is_sign(tokens, condition, ";"):
                after[condition] = f"{call}, "
        elif _is_declaration(tokens, i) or _is_declared_behind_another(tokens, i):
            after[end + 1] = f" {call};" + after.get(end + 1, "")
        else:
            after[end] = f", {call}"
    return with_calls(tokens, after)


def _in_bodies(tokens: list[Token]) -> Iterator[int]:
    """Where functions' bodies are: a constant of the file, a member, a default argument is no statement of theirs."""
    within = [False]
    for i, token in enumerate(tokens):
        if is_sign(tokens, i, "{"):
            before = previous_solid(tokens, i - 1)
            within.append(within[-1] or (before >= 0 and tokens[before].text in _BEFORE_A_BODY))
        elif is_sign(tokens, i, "}") and len(within) > 1:
            within.pop()
        elif within[-1] and token.kind == "name":
            yield i


def _assignment(tokens: list[Token], i: int) -> str | None:
    """What is assigned to, "v" or "v[t + 1]", where the name at `i` is the target of an assignment; else None."""
    if tokens[i].kind != "name":
        return None
    before = previous_solid(tokens, i - 1)
    if before >= 0 and tokens[before].kind == "sign" and tokens[before].text in (".", "->", "::", "[", "#"):
        return None
    at = next_solid(tokens, i + 1)
    target = tokens[i].text
    if is_sign(tokens, at, "["):
        close = closing(tokens, at)
        index = one_line(tokens[at + 1 : close])
        if not index or "++" in index or "--" in index or "(" in index or _is_declaration(tokens, i):
            return None
        target, at = f"{target}[{index}]", next_solid(tokens, close + 1)
    if _steps(tokens, at) or (_steps(tokens, before - 1) and before > 0):
        return target
    while at < len(tokens) and tokens[at].kind == "sign" and tokens[at].text in _OPERATORS:
        at += 1
    if not is_sign(tokens, at, "=") or is_sign(tokens, at + 1, "="):
        return None
    operator = "".join(t.text for t in tokens[next_solid(tokens, i + 1) : at])
    if operator.endswith(("<", ">")) and not operator.endswith(("<<", ">>")):
        return None  # a comparison, <= or >=
    return target if is_sign(tokens, before, ";") or _starts(tokens, before) or _is_declaration(tokens, i) else None


def _steps(tokens: list[Token], i: int) -> bool:
    """Whether ++ or -- stands at `i`."""
    return any(is_sign(tokens, i, s) and is_sign(tokens, i + 1, s) for s in "+-")


def _starts(tokens: list[Token], before: int) -> bool:
    """Whether a statement may begin behind the token at `before`."""
    return before < 0 or tokens[before].text in (*_STARTS, "else", "do", "(", ",") or tokens[before].kind == "directive"


def _is_declaration(tokens: list[Token], i: int) -> bool:
    """Whether a type stands before the name."""
    before = previous_solid(tokens, i - 1)
    if before >= 0 and tokens[before].text in ("*", "&"):
        before = previous_solid(tokens, before - 1)
    return before >= 0 and tokens[before].kind == "name" and tokens[before].text not in ("return", "else", "do", "case")


def _is_declared_behind_another(tokens: list[Token], i: int) -> bool:
    """Whether the name is one of several that a statement declares, `int a = 1, b = 2;`, and not the first."""
    if not is_sign(tokens, previous_solid(tokens, i - 1), ","):
        return False
    depth, k = 0, i - 1
    while k >= 0 and not (depth == 0 and tokens[k].text in (";", "{", "}", "(")):
        if tokens[k].kind == "sign":
            depth += (tokens[k].text in ")]}") - (tokens[k].text in "([{")
        k -= 1
    first = next_solid(tokens, k + 1)
    second = next_solid(tokens, first + 1)
    return tokens[first].kind == "name" and (tokens[second].kind == "name" or tokens[second].text in ("*", "&", "::"))


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
