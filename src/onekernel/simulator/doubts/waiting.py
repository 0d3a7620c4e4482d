"""Which loads NVIDIA's compiler may make at another time than they are written: a value that is loaded before the
branch or the loop that alone uses it, where a compiler may load it; and loops whose length it cannot know, so that what
two of them walk over, it cannot load once for both.

Read from the tokens alone. In doubt a value may wait, but for one that a barrier, or what lanes do together, keeps in
its place. In doubt a loop may be unrolled: its length is taken for unknown only where it comes from a kernel's
parameter, or is compared with what threads, blocks and grids are called.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise

from onekernel.simulator.facts import LOOPS, Facts
from onekernel.simulator.facts.elements import Store
from onekernel.simulator.facts.functions import KERNEL, Function, name_of
from onekernel.simulator.facts.names import INDICES
from onekernel.simulator.facts.statements import Statement, counted, expression_end, scope_end
from onekernel.simulator.facts.tokens import Token, closing, split_commas, text_of

# What memory is ordered by, and what lanes do together: no compiler moves it into a branch.
_TOGETHER = re.compile(r"__syncthreads\w*|__\w+_sync|__syncwarp|sync|arrive_and_wait|__threadfence\w*|shfl\w*")
_LEAVES = frozenset({"return", "break", "continue", "goto"})

_ROLLED = re.compile(r"#\s*pragma\s+unroll\s*\(?\s*1\b")  # a loop of whatever length is left as it is
_ROUNDS = 4  # calls of helpers by helpers that are followed


@dataclass(frozen=True)
class Early:
    """`lines`: the first and the last of a value's initialisation; `used`: of what alone uses it. `blind`: what is done
    there cannot be told from what its condition does."""

    lines: tuple[int, int]
    used: tuple[int, int]
    blind: bool


@dataclass(frozen=True)
class _Guarded:
    """The tokens from `first` to `last` run only if a condition says so; `loop`: in turns, of which there is one at
    least if it is `sure`."""

    first: int
    last: int
    loop: bool = False
    sure: bool = False
    blind: bool = False


def sunk_of(facts: Facts) -> list[Early]:
    """Those of all functions in a file."""
    tokens, last = facts.code, len(facts.code) - 1
    found = [f for f in facts.functions if f.braces(tokens)[1] < last or tokens[-1].text == "}"]
    together = _together(tokens, found)
    return [early for function in found for early in _in_function(facts, function, together)]


def _together(tokens: list[Token], found: list[Function]) -> set[str]:
    """The names of functions in which lanes wait for one another."""
    names: set[str] = set()
    for _ in found:
        more = {f.name for f in found if f.name not in names and any(
            t.text in names or _TOGETHER.fullmatch(t.text) for t in tokens[slice(*f.braces(tokens))])}  # fmt: skip
        if not more:
            break
        names |= more
    return names


def _in_function(facts: Facts, function: Function, together: set[str]) -> Iterator[Early]:
    tokens, (begin, end) = facts.code, function.braces(facts.code)
    guarded = list(_guarded(facts, function))
    meetings = [k for k in range(begin, end) if tokens[k].text in together or _TOGETHER.fullmatch(tokens[k].text)]
    for store in facts.stores:
        i, value = store.target.begin, tokens[slice(*store.value)]
        if not begin < i < end or not store.sets or store.target.text != tokens[i].text:
            continue
        if text_of(value[:1]) == "[" or [t.kind for t in value] == ["number"]:
            continue
        scope = scope_end(tokens, i, end)
        ends = min(store.value[1], scope)
        uses = [k for k in range(i + 2, scope) if tokens[k].text == tokens[i].text]
        if any(tokens[k - 1].text in (".", "->") for k in uses) or not uses or uses[0] < ends:
            continue
        place = _place(tokens, guarded, ends, uses, scope)
        if place is not None and not any(i < k < place.first for k in meetings):
            yield Early((tokens[i].line, tokens[ends].line), _lines(tokens, place), place.blind)


def _place(tokens: list[Token], guarded: list[_Guarded], ends: int, uses: list[int], scope: int) -> _Guarded | None:
    """What alone uses a value that is given before `ends`; None: it is used wherever it is given."""
    place = None
    for one in guarded:  # from the outermost on, but into no loop's turns
        if ends < one.first <= uses[0] and uses[-1] <= one.last:
            place = place if one.sure else one
            if one.loop:
                break
    if place is not None:
        return place
    for one in guarded:  # behind a branch that leaves
        leaves = not one.loop and ends < one.first and one.last < uses[0]
        if leaves and any(t.text in _LEAVES for t in tokens[one.first : one.last + 1]):
            return _Guarded(one.last + 1, scope)
    return None


def _lines(tokens: list[Token], place: _Guarded) -> tuple[int, int]:
    """Without the line of the condition, if there are others."""
    first, last = tokens[place.first].line, tokens[place.last].line
    return (first + (first == tokens[place.first - 1].line < last), last)


def _guarded(facts: Facts, function: Function) -> Iterator[_Guarded]:
    """What stands under conditions, in loops and in lambdas, in the order in which it begins."""
    tokens, (begin, end) = facts.code, function.braces(facts.code)
    found: list[tuple[int, _Guarded]] = []
    for one in (s for s in facts.statements if begin < s.begin < end and s.word != "do"):
        if one.head and one.head[0] == one.begin + 1:  # else its condition is a constant
            loads = any(t.text in ("[", "*", "->") for t in tokens[one.head[0] + 1 : one.first])
            sure = one.word == "for" and _surely_runs(facts, one, function)
            blind = loads and tokens[one.head[1]].line == one.last_line
            found.append((one.begin, _Guarded(one.first, min(one.last, end), one.word in LOOPS, sure, blind)))
        elif one.otherwise:
            found.append((one.begin, _Guarded(one.first, min(one.last, end))))
    for part in (one for one in facts.lambdas if begin < one.body < end):
        found.append((part.captures[1], _Guarded(part.body, closing(tokens, part.body), loop=True)))
    for i in (i for i in range(begin + 1, end - 1) if tokens[i].text == "?"):
        colon = expression_end(tokens, i + 1, end, ":;")
        found.append((i, _Guarded(i + 1, colon, blind=True)))
        found.append((i, _Guarded(colon + 1, expression_end(tokens, colon + 1, end, ";,)]}"), blind=True)))
    return (one for _, one in sorted(found, key=lambda known: known[0]))


def _surely_runs(facts: Facts, loop: Statement, function: Function) -> bool:
    """Whether a loop's length is one of constants: then it has a turn."""
    (first, last), (begin, end) = loop.head or (0, 0), function.braces(facts.code)
    start = expression_end(facts.code, first + 1, last, ";")
    header = facts.code[first + 1 : expression_end(facts.code, start + 1, last, ";")]
    own = {s.target.name for s in facts.stores if first < s.target.begin < start}
    given = {s.target.name for s in facts.stores if begin < s.target.begin < end}
    given |= {*INDICES, *(name_of(p) for p in function.parameters(facts.code))}
    return not given & ({t.text for t in header if t.kind == "name"} - own)


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
    stores: list[Store]  # what gives its variables their values
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
    begin, end = body = function.braces(facts.code)
    stores = [s for s in facts.stores if s.sets and begin < s.target.begin < end]
    return _Followed(function.name, names, body, stores, given)


def _follow(tokens: list[Token], function: _Followed) -> None:
    """A name that is given a value made of such names is one itself."""
    begin, end = function.body
    given = {s.target.end - 1: s.value for s in function.stores}
    for i in range(begin + 1, end):
        name = tokens[i]
        if name.kind != "name":
            continue
        value: list[Token] = tokens[slice(*given.get(i, (0, 0)))]
        if tokens[i + 1].text in "({" and (tokens[i - 1].kind == "name" or tokens[i - 1].text == ">"):  # T name(...)
            value = tokens[i + 2 : closing(tokens, i + 1)]
        for names in (function.given, function.varying):
            if any(t.text in names for t in value):
                names.add(name.text)


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
