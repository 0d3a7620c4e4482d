"""Loops whose length the compiler cannot know: what two of them walk over, it cannot load once for both.

Read from the tokens alone, and in doubt a loop may be unrolled: its length is taken for unknown only where it comes
from a kernel's parameter, or is compared with what threads, blocks and grids are called.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise

from onekernel.simulator.facts.tokens import Token, closing, split_commas, tokenize

INDICES = frozenset({"threadIdx", "blockIdx", "blockDim", "gridDim"})
_ROLLED = re.compile(r"#\s*pragma\s+unroll\s*\(?\s*1\b")  # a loop of whatever length is left as it is
_ALIGNED = ("alignas", "__align__")  # what stands before a struct's braces
_ROUNDS = 4  # calls of helpers by helpers that are followed


@dataclass(frozen=True)
class Loop:
    """A loop's first and last line, and whether its length is known only when it runs, or may not be used."""

    first: int
    last: int
    unknown: bool


@dataclass
class Function:
    """`given`: names whose value comes from a parameter of the kernel; `varying`: from an index of threads."""

    name: str
    parameters: list[str]
    body: tuple[int, int]  # its braces
    given: set[str] = field(default_factory=set)
    varying: set[str] = field(default_factory=lambda: set(INDICES))


def loops_of(text: str) -> list[Loop]:
    """The loops of all functions in a file."""
    tokens = [t for t in tokenize(text) if t.kind != "space"]
    kept = {after.line for one, after in pairwise(tokens) if _ROLLED.match(one.text)}
    tokens = [t for t in tokens if t.kind != "directive"]
    # Members go: threadIdx.x has nothing to do with a parameter x.
    tokens = [t for k, t in enumerate(tokens) if not (k and t.kind == "name" and tokens[k - 1].text in (".", "->"))]
    found = list(functions(tokens))
    places: dict[str, list[int]] = {}  # of each name among the tokens
    for i, token in enumerate(tokens):
        places.setdefault(token.text, []).append(i)
    for _ in range(_ROUNDS):
        for function in found:
            _follow(tokens, function)
        _pass_on(tokens, found, places)
    loops = (loop for function in found for loop in _loops(tokens, function))
    return [replace(loop, unknown=loop.unknown or loop.first in kept) for loop in loops]


def functions(tokens: list[Token]) -> Iterator[Function]:
    """What has parentheses and then braces, outside of other functions."""
    i, is_kernel = 0, False
    while i < len(tokens):
        is_kernel = tokens[i].text == "__global__" or (is_kernel and tokens[i].text not in (";", "}"))
        if tokens[i].text == "(" and i and tokens[i - 1].kind == "name" and tokens[i - 1].text not in _ALIGNED:
            end = closing(tokens, i)
            opens = end + 1
            while opens < len(tokens) and tokens[opens].kind == "name":  # const, noexcept
                opens += 1
            if opens < len(tokens) and tokens[opens].text == "{":
                names = [_declared(part) for part in split_commas(tokens[i + 1 : end])]
                closes = closing(tokens, opens)
                yield Function(tokens[i - 1].text, names, (opens, closes), set(names) if is_kernel else set())
                end, is_kernel = closes, False
            i = end
        i += 1


def _declared(parameter: list[Token]) -> str:
    """The name that a parameter has: the last before an array's brackets or a default."""
    name = ""
    for token in parameter:
        if token.text in ("[", "="):
            break
        name = token.text if token.kind == "name" else name
    return name


def _follow(tokens: list[Token], function: Function) -> None:
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


def _pass_on(tokens: list[Token], found: list[Function], places: Mapping[str, list[int]]) -> None:
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


def _calls(tokens: list[Token], caller: Function, named: list[int]) -> Iterator[list[tuple[bool, bool]]]:
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


def _loops(tokens: list[Token], function: Function) -> Iterator[Loop]:
    begin, end = function.body
    for i in range(begin, end):
        if tokens[i].text == "do":
            opens = statement_end(tokens, i + 1, end) + 2
        elif tokens[i].text in ("for", "while"):
            opens = i + 1
        else:
            continue
        if opens >= end or tokens[opens].text != "(":
            continue
        closes = closing(tokens, opens)
        last = statement_end(tokens, closes + 1, end)
        yield Loop(tokens[i].line, tokens[min(last, end)].line, _unknown(tokens[opens + 1 : closes], function))


def _unknown(header: list[Token], function: Function) -> bool:
    """Whether what a loop's parentheses hold says that nobody knows its length before it runs."""
    parts: list[list[Token]] = [[]]
    for token in header:
        if token.text == ";":
            parts.append([])
        else:
            parts[-1].append(token)
    if len(parts) != 3:
        return any(t.text in function.given | function.varying for t in header)
    start, condition, step = parts
    # Threads may begin at places of their own, and the length is known all the same.
    own = {t.text for t in (*start, *step) if t.kind == "name"}
    compared = any(t.text in function.given | function.varying and t.text not in own for t in condition)
    values = start[next((k for k, t in enumerate(start) if t.text == "="), 0) :]
    return compared or any(t.text in function.given for t in (*values, *condition) if t.text not in function.varying)


def statement_end(tokens: list[Token], i: int, end: int) -> int:
    """The last token of the statement that begins at `i`."""
    if i >= end:
        return end
    if tokens[i].text == "{":
        return closing(tokens, i)
    if tokens[i].text in ("for", "while", "if", "switch") and tokens[i + 1].text == "(":
        last = statement_end(tokens, closing(tokens, i + 1) + 1, end)
        if tokens[i].text == "if" and last + 1 < end and tokens[last + 1].text == "else":
            last = statement_end(tokens, last + 2, end)
        return last
    while i < end and tokens[i].text != ";":
        i = closing(tokens, i) + 1 if tokens[i].text in ("(", "[", "{") else i + 1
    return i
