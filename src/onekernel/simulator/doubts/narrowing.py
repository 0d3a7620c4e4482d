"""Loads of which the kernel uses only a part: NVIDIA's compiler loads that part alone, as two floats of a float4.

Read from the tokens alone: a value that is passed on as a whole is taken to be used as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from onekernel.simulator.doubts.bytes import Pointers, narrowed_integers, takes_a_part
from onekernel.simulator.doubts.integers import spelled_out, value_of
from onekernel.simulator.doubts.uses import Given, Lines, Parts, named_in, past_brackets
from onekernel.simulator.facts.file import Facts
from onekernel.simulator.facts.statements import expression_end, scope_end
from onekernel.simulator.facts.tokens import Token, closing

# Four bytes that stand for one vector are loaded as they are, if more than one of them is used.
_BYTES = re.compile(r"u?char[234]")
_PADDING = [Token("sign", "", 0)] * 4


def narrowed_of(facts: Facts) -> list[Lines]:
    """The lines of such loads."""
    tokens = spelled_out(facts) + _PADDING
    given = Given(tokens)
    found = [*narrowed_integers(given), *_arrays(given), *_arguments(given)]
    for begin, end in given.bodies:
        for i in range(begin + 1, min(end, len(tokens)) - 2):
            declares = tokens[i].kind == tokens[_past_reference(tokens, i)].kind == "name"
            if declares and tokens[i - 1].text != "__shared__":
                found += _of_variables(given, i, end)
    return found


def _past_reference(tokens: list[Token], i: int) -> int:
    return i + (2 if tokens[i + 1].text == "&" else 1)


def _of_variables(given: Given, i: int, end: int) -> Iterator[Lines]:
    """Of what is declared with the type at `i`."""
    tokens = given.tokens
    ends = expression_end(tokens, i + 1, end, ";")
    kind = tokens[i].text
    members = given.members(kind)
    if kind == "auto":
        kind = next((t.text for t in tokens[i:ends] if given.members(t.text)), "")
        members = given.members(kind)
    scope = scope_end(tokens, i, end)
    k = _past_reference(tokens, i)
    while members and k < ends and tokens[k].kind == "name":
        yield from _of_variable(given, k, scope, members, kind)
        k = expression_end(tokens, k, ends, ",") + 1


def _of_variable(given: Given, declared: int, scope: int, members: Parts, kind: str) -> Iterator[Lines]:
    """The lines that give a variable its value, if only some of its members are ever used."""
    tokens, used, lines = given.tokens, set[str](), list[Lines]()
    for k in named_in(tokens, tokens[declared].text, declared, scope):
        after = past_brackets(tokens, k + 1)
        if tokens[after].text == "=" and tokens[after + 1].text != "=":
            loads = list(given.loads(k, expression_end(tokens, after, scope, ";,")))
            lines += loads[1:] if tokens[declared - 1].text == "&" else loads  # a reference itself loads nothing
        elif k == declared:
            if tokens[after].text in ("(", "{"):
                lines += given.loads(k, closing(tokens, after))
        elif filled := list(given.written(k)):
            lines += filled
        elif (taken := given.use(k, members)) is None:
            return  # as a whole
        else:
            used |= taken
    if _is_part(frozenset(used), members, kind):
        yield from lines


def _arguments(given: Given) -> Iterator[Lines]:
    """What is loaded where a function is given it, which uses a part; and a member of what a function returns."""
    tokens = given.tokens
    pointers = Pointers(tokens)
    for call, arguments in given.calls():
        behind = closing(tokens, call + 1) + 1
        if tokens[behind].text == "." and tokens[behind + 1].kind == "name" and tokens[behind + 2].text != "(":
            yield from list(given.loads(call, behind))[1:]
        for number, (first, last) in enumerate(arguments):
            if tokens[last].text not in ("]", ")") and tokens[first].text != "*":
                continue  # no load
            for parameter, body in given.declared(tokens[call].text, number):
                if takes_a_part(given, last, pointers, parameter, body):
                    yield (tokens[first].line, tokens[last].line)
                named = (t.text for t in (*parameter, *tokens[first:last]) if given.members(t.text))
                kind = next(named, "")
                members = given.members(kind)
                taken = given.argument(first, members)
                if members and taken is not None and _is_part(taken, members, kind):
                    yield from given.loads(first, last)


def _arrays(given: Given) -> Iterator[Lines]:
    """A thread's own array of which elements with known numbers alone are read, and some never: what it is given."""
    tokens = given.tokens
    for begin, end in given.bodies:
        for i in range(begin + 1, min(end, len(tokens) - 6)):
            around = [tokens[i + n].text for n in (2, 4, 5)]
            if tokens[i].kind != "name" or around != ["[", "]", ";"]:
                continue
            count, read, lines = value_of(tokens[i + 3]), set[int | None](), list[Lines]()
            if tokens[i - 1].text == "__shared__" or not count:
                continue
            for k in named_in(tokens, tokens[i + 1].text, i + 2, scope_end(tokens, i, end)):
                after = past_brackets(tokens, k + 1)
                if tokens[after].text == "=" and tokens[after + 1].text != "=":
                    if value_of(tokens[k + 2]) is None:  # else the C++ compiler leaves it out itself
                        lines.append((tokens[k].line, tokens[expression_end(tokens, after, end, ";")].line))
                else:
                    read.add(value_of(tokens[k + 2]) if tokens[k + 1].text == "[" and after == k + 4 else None)
            if read and None not in read and len(read) < count:
                yield from lines


def _is_part(used: Parts, members: Parts, kind: str) -> bool:
    return bool(used) and used < members and (len(used) == 1 or not _BYTES.fullmatch(kind))
