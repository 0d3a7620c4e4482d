"""Variables of numbers that are given an element, and all of whose uses leave the same bytes of it: NVIDIA's compiler
loads those.

Read from the tokens alone: of what changes a variable in place, the first change decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from onekernel.simulator.facts.tokens import Token
from onekernel.simulator.rewrite.early import expression_end, scope_end
from onekernel.simulator.rewrite.given import INTEGERS, Given, Lines, named_in
from onekernel.simulator.rewrite.integers import UNSIGNED, Bytes, integer, left, masked
from onekernel.simulator.rewrite.loops import functions

_WIDTHS = {**INTEGERS, "float": 4, "double": 8}
# The bits of a float, or half of a double's; the type says whether what they become has a sign.
FLOAT_BITS = re.compile(r"__(?:float_as_(u?)int|double_as_longlong)")
_HALF = {"__double2hiint": (4, 4), "__double2loint": (0, 4)}
_PUNNED = re.compile(r"[&*()<>]|const|unsigned|u?int(?:32_t|64_t)?|long|float|double|reinterpret_cast")


def narrowed_variables(given: Given) -> Iterator[Lines]:
    """The lines that give such variables their elements."""
    tokens = given.tokens
    for function in functions(tokens):
        begin, end = function.body
        for i in range(begin + 1, min(end, len(tokens) - 4)):
            name = tokens[i + 1]
            if _WIDTHS.get(tokens[i].text, 0) < 4 or name.kind != "name" or name.text in INTEGERS:
                continue
            width = integer(tokens, i + 1) or _WIDTHS[tokens[i].text]
            if lines := list(_given(given, i + 1, begin, end)):
                unsigned = any(t.text in UNSIGNED for t in tokens[i - 1 : i + 1])
                if _leave_the_same(given, i + 1, scope_end(tokens, i, end), width, unsigned):
                    yield from lines


def _given(given: Given, k: int, begin: int, end: int) -> Iterator[Lines]:
    """The lines that load what the variable declared at `k` is given: its own, where it is the bits of another variable
    that one's, where a function writes it that function's."""
    tokens = given.tokens
    if tokens[k + 1].text == ";":
        for use in named_in(tokens, tokens[k].text, k + 1, scope_end(tokens, k, end)):
            yield from given.written(use)
        return
    last = expression_end(tokens, k + 2, end, ";,")
    value = tokens[k + 2 : last]
    if tokens[k + 1].text != "=" or not value:
        return
    if any(t.text == "[" for t in value) or value[-1].text == ")":
        yield (tokens[k].line, tokens[last].line)
    elif value[0].text == "*" and all(_PUNNED.fullmatch(t.text) for t in value if t is not value[-1]):
        for other in named_in(tokens, value[-1].text, begin, k):  # *(unsigned*)&v
            if tokens[other + 1].text == "=":
                yield (tokens[other].line, tokens[expression_end(tokens, other, end, ";,")].line)


def _leave_the_same(given: Given, k: int, scope: int, width: int, unsigned: bool) -> bool:
    tokens, uses = given.tokens, list[Bytes | None]()
    begin = expression_end(tokens, k + 1, scope, ";,")
    for use in named_in(tokens, tokens[k].text, begin, scope):
        if any(given.written(use)):
            continue
        if not uses and (changed := _in_place(tokens, use, width, unsigned)):
            return changed != (0, width)
        if not uses and "".join(t.text for t in tokens[use + 1 : use + 4]) == ">>=":
            continue  # what comes after it decides
        uses.append(of_variable(given, use, width, unsigned))
    return bool(uses) and uses[0] is not None and len({*uses}) == 1


def _in_place(tokens: list[Token], k: int, width: int, unsigned: bool) -> Bytes | None:
    """What `v &= 0xFF`, `v >>= 16` or `v = v & 0xFF` leaves of a variable."""
    if tokens[k + 1].text == "=" and tokens[k + 2].text == tokens[k].text:
        return left(tokens, k + 2, width, unsigned)
    ends = next((n for n in (k + 2, k + 3) if tokens[n].text == "="), 0)
    if not ends or tokens[ends + 1].text == "=":
        return None
    return left([*tokens[k:ends], *tokens[ends + 1 : ends + 6]], 0, width, unsigned)


def of_variable(given: Given, k: int, width: int, unsigned: bool) -> Bytes | None:
    """The bytes that the use of a variable at `k` leaves of it; None: all."""
    tokens = given.tokens
    if some := left(tokens, k, width, unsigned) or masked(tokens, k, width):
        return some
    to = 0
    if tokens[k - 1].text == "(" and tokens[k + 1].text == ")":
        if half := _HALF.get(tokens[k - 2].text):
            return half
        if bits := FLOAT_BITS.fullmatch(tokens[k - 2].text):
            some = left(tokens, k + 1, width, bool(bits[1]))
            return some if some and not some[0] else None
        to = integer(tokens, k - (2 if tokens[k - 2].text in (")", ">") else 1))  # T(v), (T)(v), static_cast<T>(v)
    if tokens[k - 1].text in ("(", ",") and tokens[k + 1].text in (")", ",") and not to:
        to = min((given.narrowest(k) or width), width)
    elif tokens[k - 1].text == ")":  # (T)v
        to = integer(tokens, k - 1)
    elif tokens[k - 1].text == "=" and tokens[k + 1].text == ";":  # T a = v;
        to = integer(tokens, k - 2)
    return (0, to) if 0 < to < width else None
