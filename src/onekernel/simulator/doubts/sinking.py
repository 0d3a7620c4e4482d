"""Values that are loaded before the branch or the loop that alone uses them: a compiler may load them there.

Read from the tokens alone, and in doubt a value may wait. None of those does that a barrier, or what lanes do together,
keeps in its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from onekernel.simulator.doubts.unrolling import INDICES
from onekernel.simulator.facts.file import LOOPS, Facts
from onekernel.simulator.facts.functions import Function, name_of
from onekernel.simulator.facts.statements import expression_end, scope_end, statement_end
from onekernel.simulator.facts.tokens import Token, closing

# What memory is ordered by, and what lanes do together: no compiler moves it into a branch.
_TOGETHER = re.compile(r"__syncthreads\w*|__\w+_sync|__syncwarp|sync|arrive_and_wait|__threadfence\w*|shfl\w*")
_LEAVES = frozenset({"return", "break", "continue", "goto"})


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
    return [early for function in found for early in _in_function(tokens, function, together)]


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


def _in_function(tokens: list[Token], function: Function, together: set[str]) -> Iterator[Early]:
    begin, end = function.braces(tokens)
    guarded = list(_guarded(tokens, function))
    meetings = [k for k in range(begin, end) if tokens[k].text in together or _TOGETHER.fullmatch(tokens[k].text)]
    for i in range(begin + 1, end - 3):
        if tokens[i + 1].text != "=" or tokens[i].kind != "name" or tokens[i + 2].text in ("=", "["):
            continue
        if tokens[i + 2].kind == "number" and tokens[i + 3].text in ";,":
            continue
        scope = scope_end(tokens, i, end)
        ends = expression_end(tokens, i + 2, scope, ";,")
        uses = [k for k in range(i + 2, scope) if tokens[k].text == tokens[i].text]
        if any(tokens[k - 1].text in (".", "->") for k in (i, *uses)) or not uses or uses[0] < ends:
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


def _guarded(tokens: list[Token], function: Function) -> Iterator[_Guarded]:
    """What stands under conditions, in loops and in lambdas, in the order in which it begins."""
    begin, end = function.braces(tokens)
    for i in range(begin + 1, end - 1):
        text = tokens[i].text
        if text in ("if", "for", "while", "switch") and tokens[i + 1].text == "(":
            first = closing(tokens, i + 1) + 1
            last = min(statement_end(tokens, first, end), end)
            loads = any(t.text in ("[", "*", "->") for t in tokens[i + 2 : first])
            sure = text == "for" and _surely_runs(tokens, i + 2, first - 1, function)
            yield _Guarded(first, last, text in LOOPS, sure, loads and tokens[first - 1].line == tokens[last].line)
        elif text == "else" and tokens[i + 1].text != "if":
            yield _Guarded(i + 1, min(statement_end(tokens, i + 1, end), end))
        elif text == "]" and tokens[i + 1].text == "(":
            first = closing(tokens, i + 1) + 1
            if first < end and tokens[first].text == "{":
                yield _Guarded(first, closing(tokens, first), loop=True)
        elif text == "?":
            colon = expression_end(tokens, i + 1, end, ":;")
            yield _Guarded(i + 1, colon, blind=True)
            yield _Guarded(colon + 1, expression_end(tokens, colon + 1, end, ";,)]}"), blind=True)


def _surely_runs(tokens: list[Token], first: int, last: int, function: Function) -> bool:
    """Whether a loop's length is one of constants: then it has a turn."""
    begin, end = function.braces(tokens)
    start = expression_end(tokens, first, last, ";")
    header = tokens[first : expression_end(tokens, start + 1, last, ";")]
    names = {t.text for t in header if t.kind == "name"} - {
        tokens[k].text for k in range(first, start) if tokens[k + 1].text == "="
    }
    given = INDICES | {name_of(p) for p in function.parameters(tokens)} | {
        tokens[k].text for k in range(begin, end) if tokens[k + 1].text == "=" and tokens[k].kind == "name"
    }
    return not names & given
