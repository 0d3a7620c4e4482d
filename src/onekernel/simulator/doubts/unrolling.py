"""Loops whose length the compiler cannot know: what two of them walk over, it cannot load once for both.

Read from the tokens alone, and in doubt a loop may be unrolled: its length is taken for unknown only where it comes
from a kernel's parameter, or is compared with what threads, blocks and grids are called.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise

from onekernel.simulator.facts.file import LOOPS, Facts
from onekernel.simulator.facts.functions import KERNEL, Function, name_of
from onekernel.simulator.facts.statements import Statement, counted
from onekernel.simulator.facts.tokens import Token, closing, split_commas

INDICES = frozenset({"threadIdx", "blockIdx", "blockDim", "gridDim"})
_ROLLED = re.compile(r"#\s*pragma\s+unroll\s*\(?\s*1\b")  # a loop of whatever length is left as it is
_ROUNDS = 4  # calls of helpers by helpers that are followed


@dataclass(frozen=True)
class Loop:
    """A loop's first and last line, and whether its length is known only when it runs, or may not be used."""

    first: int
    last: int
    unknown: bool


@dataclass
class _Followed:
    """`given`: names whose value comes from a parameter of the kernel; `varying`: from an index of threads."""

    name: str
    parameters: list[str]
    body: tuple[int, int]  # its braces
    given: set[str] = field(default_factory=set)
    varying: set[str] = field(default_factory=lambda: set(INDICES))


def loops_of(facts: Facts) -> list[Loop]:
    """The loops of all functions in a file."""
    solid = [t for t in facts.tokens if t.kind != "space"]
    kept = {after.line for one, after in pairwise(solid) if _ROLLED.match(one.text)}
    # Members have no name here: threadIdx.x has nothing to do with a parameter x.
    tokens = [
        Token("member", "", t.line) if k and t.kind == "name" and facts.code[k - 1].text in (".", "->") else t
        for k, t in enumerate(facts.code)
    ]
    found = [_followed(facts, function) for function in facts.functions]
    places: dict[str, list[int]] = {}  # of each name among the tokens
    for i, token in enumerate(tokens):
        places.setdefault(token.text, []).append(i)
    for _ in range(_ROUNDS):
        for function in found:
            _follow(tokens, function)
        _pass_on(tokens, found, places)
    loops = (loop for function in found for loop in _loops(tokens, facts, function))
    return [replace(loop, unknown=loop.unknown or loop.first in kept) for loop in loops]


def _followed(facts: Facts, function: Function) -> _Followed:
    names = [name_of(parameter) for parameter in function.parameters(facts.code)]
    given = set(names) if function.side == KERNEL else set[str]()
    return _Followed(function.name, names, function.braces(facts.code), given)



def _follow(tokens: list[Token], function: _Followed) -> None:
    """A name that is given a value made of such names is one itself."""
    begin, end = function.body
    for i in range(begin + 1, end):
        name = tokens[i]
        if name.kind != "name":
            continue
        value: list[Token] = []
        if tokens[i + 1].text == "=" and tokens[i + 2].text != "=":
            value = tokens[i + 2 : _expression_end(tokens, i + 2, end)]
        elif tokens[i + 1].text in "({" and (tokens[i - 1].kind == "name" or tokens[i - 1].text == ">"):  # T name(...)
            value = tokens[i + 2 : closing(tokens, i + 1)]
        for names in (function.given, function.varying):
            if any(t.text in names for t in value):
                names.add(name.text)


def _expression_end(tokens: list[Token], i: int, end: int) -> int:
    while i < end and tokens[i].text not in (";", ",", ")"):
        i = closing(tokens, i) + 1 if tokens[i].text in "([{" else i + 1
    return i


def _pass_on(tokens: list[Token], found: list[_Followed], places: Mapping[str, list[int]]) -> None:
    """A helper's parameter is such a name where every call passes one."""
    for helper in found:
        named = places.get(helper.name, [])
        calls = [call for caller in found for call in _calls(tokens, caller, named)]
        for k, parameter in enumerate(helper.parameters):
            passed = [call[k] if k < len(call) else (False, False) for call in calls]
            if passed and all(given for given, _ in passed):
                helper.given.add(parameter)
            if passed and all(given or varying for given, varying in passed):
                helper.varying.add(parameter)


def _calls(tokens: list[Token], caller: _Followed, named: list[int]) -> Iterator[list[tuple[bool, bool]]]:
    """Of each call in a function of the one that is `named` there, which arguments are given and which vary."""
    begin, end = caller.body
    for i in (place for place in named if begin <= place < end):
        opens = i + 1
        if tokens[opens].text == "<":
            while opens < end and tokens[opens].text not in ("(", ";"):
                opens += 1
        if tokens[opens].text == "(":
            yield [(any(t.text in caller.given for t in part), any(t.text in caller.varying for t in part))
                   for part in split_commas(tokens[opens + 1 : closing(tokens, opens)])]  # fmt: skip


def _loops(tokens: list[Token], facts: Facts, function: _Followed) -> Iterator[Loop]:
    begin, end = function.body
    for s in facts.statements:
        if begin < s.begin < end and s.word in LOOPS and s.head:
            yield Loop(s.first_line, s.last_line, _unknown(tokens, s, function))


def _unknown(tokens: list[Token], loop: Statement, function: _Followed) -> bool:
    """Whether what a loop's parentheses hold says that nobody knows its length before it runs."""
    turns = counted(tokens, loop)
    if turns is None:
        return any(t.text in function.given | function.varying for t in tokens[slice(*loop.head or (0, 0))])
    # Threads may begin at places of their own, and the length is known all the same.
    own = {turns.name, *(t.text for t in (*turns.value, *turns.step) if t.kind == "name")}
    compared = any(t.text in function.given | function.varying and t.text not in own for t in turns.condition)
    values = (*turns.value, *turns.condition)
    return compared or any(t.text in function.given for t in values if t.text not in function.varying)
