"""Addresses of the host's constants on the device: CUDA gives a kernel their values alone; g++ binds references."""

from __future__ import annotations

import re
from collections.abc import Iterator

from onekernel.simulator.facts.functions import BOTH, Declarations, Function
from onekernel.simulator.facts.tokens import Token, closing, next_solid, previous_solid

_NO_TYPES = frozenset(("return", "else", "case", "throw", "do", "sizeof"))
_COMPARE = frozenset(("max", "min", "clamp"))
_VARIABLE = re.compile(r"(?!k[A-Z])[a-z]\w*")
_VALUES = ("name", "number", "string")


def addressed(
    tokens: list[Token], body: range, function: Function, declared: Declarations
) -> Iterator[tuple[str, int]]:
    """Name and line of each constant of the host that a function of the device takes the address of: `&n`, a reference
    `const int& m = n;`, an argument of a function of the file that takes a reference."""
    known = [v for v in declared.variables if v.side == BOTH and not v.bracketed and _is_constant(tokens, v.begin)]
    constants = {v.name for v in known}
    objects = {v.name for v in known if not any(t.text == "*" for t in _type(tokens, v.begin))}
    objects -= {f.name for f in declared.functions}
    if constants.isdisjoint(tokens[i].text for i in body):
        return
    references: dict[str, frozenset[int]] = {}
    for f in declared.functions:
        references[f.name] = references.get(f.name, _by_reference(tokens, f)) & _by_reference(tokens, f)
    constants -= {t.text for t in tokens[function.name_at : body.start]}
    constants -= {tokens[i].text for i in body if tokens[i].text in constants and _is_declared(tokens, i)}
    for i in (i for i in body if tokens[i].text in constants):
        before, after = previous_solid(tokens, i - 1), _behind_members(tokens, i)
        alone = tokens[after].text in (",", ")", ";", "}")
        asked = tokens[after].text in ("[", "(") and tokens[i].text in objects
        if asked and _varies(tokens, after, body.start, constants):
            yield tokens[i].text, tokens[i].line
        if tokens[before].text == "&":
            left = tokens[previous_solid(tokens, before - 1)]
            if left.kind not in _VALUES and left.text not in (")", "]", "&") and not _followed(tokens, before, after):
                yield tokens[i].text, tokens[i].line
        elif tokens[before].text == "=" and tokens[after].text == ";":
            name = previous_solid(tokens, before - 1)
            if tokens[previous_solid(tokens, name - 1)].text == "&":
                yield tokens[i].text, tokens[i].line
        elif alone and tokens[before].text in ("(", ","):
            called, number = _argument(tokens, before, body.start)
            if number in references.get(called, ()) or _compared(tokens, before, body.start, called, constants):
                yield tokens[i].text, tokens[i].line


def _behind_members(tokens: list[Token], i: int) -> int:
    """Behind a name and the members of it that follow: `pair.low.x`."""
    after = next_solid(tokens, i + 1)
    while tokens[after].text == ".":
        after = next_solid(tokens, next_solid(tokens, after + 1) + 1)
    return after


def _followed(tokens: list[Token], sign: int, after: int) -> bool:
    """Whether an address is followed where it is taken, which leaves the value: `*&n`, `*(&n)`, `(&pair)->low`."""
    left = previous_solid(tokens, sign - 1)
    while tokens[left].text == "(" and tokens[after].text == ")":
        left, after = previous_solid(tokens, left - 1), next_solid(tokens, after + 1)
    return tokens[left].text == "*" or tokens[after].text == "->"


def _compared(tokens: list[Token], i: int, begin: int, called: str, constants: set[str]) -> bool:
    """Whether std::max or its kin is given a constant and a variable: it returns a reference to one of them. In doubt,
    where a name may be a macro's or a constant's, nvcc may compute the value."""
    while i > begin and tokens[i].text != "(":  # arguments that are no names or numbers are left alone
        i -= 1
    name = previous_solid(tokens, i - 1)
    scope = previous_solid(tokens, name - 1)
    if called not in _COMPARE or tokens[name].text != called or tokens[scope].text != "::":
        return False
    return tokens[previous_solid(tokens, scope - 1)].text == "std" and _varies(tokens, i, begin, constants)


def _varies(tokens: list[Token], bracket: int, begin: int, constants: set[str]) -> bool:
    """Whether variables stand in these brackets, in a statement whose value is not computed by the compiler: nvcc then
    calls what stands before them, with the constant's address."""
    given = [t for t in tokens[bracket + 1 : closing(tokens, bracket)] if t.kind == "name"]
    start = next(k for k in range(bracket, begin - 1, -1) if k == begin or tokens[k].text in (";", "{", "}"))
    computed = any(t.text in ("constexpr", "static_assert", "__shared__") for t in tokens[start:bracket])
    return not computed and any(t.text not in constants and _VARIABLE.fullmatch(t.text) for t in given)


def _type(tokens: list[Token], begin: int) -> list[Token]:
    """What stands before a variable's value, from where its declaration begins."""
    end = begin
    while end < len(tokens) and tokens[end].text not in ("=", ";", "{"):
        end += 1
    return tokens[begin:end]


def _is_constant(tokens: list[Token], begin: int) -> bool:
    """Not __managed__, __device__ or __constant__, which the device has."""
    return not {t.text for t in _type(tokens, begin)} & {"__managed__", "__device__", "__constant__"}


def _is_declared(tokens: list[Token], i: int) -> bool:
    before = tokens[previous_solid(tokens, i - 1)]
    return before.kind == "name" and before.text not in _NO_TYPES


def _argument(tokens: list[Token], i: int, begin: int) -> tuple[str, int]:
    """What is called with the argument behind the comma or bracket at `i`, and the argument's number."""
    number = depth = 0
    while i > begin:
        text = tokens[i].text if tokens[i].kind == "sign" else ""
        if text == "(" and depth == 0:
            return tokens[previous_solid(tokens, i - 1)].text, number
        depth += (text in (")", "]", "}")) - (text in ("(", "[", "{"))
        number += text == "," and depth == 0
        i -= 1
    return "", 0


def _by_reference(tokens: list[Token], f: Function) -> frozenset[int]:
    """The numbers of the parameters that are references."""
    return frozenset(k for k, p in enumerate(f.parameters(tokens)) if any(t.text == "&" for t in p))
