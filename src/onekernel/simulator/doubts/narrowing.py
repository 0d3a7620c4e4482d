"""Loads of which the kernel uses only a part: NVIDIA's compiler loads that part alone, as two floats of a float4. So it
does with the bytes of an integer that a mask, a shift, a remainder or a narrower type leaves, where it is loaded or in
all uses of a variable that is given it.

Read from the tokens alone: a value that is passed on as a whole is taken to be used as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from onekernel.simulator.doubts.integers import UNSIGNED, Bytes, bytes_of, integer, left, masked, spelled_out, value_of
from onekernel.simulator.doubts.uses import Given, Lines, Parts, named_in
from onekernel.simulator.facts import Facts
from onekernel.simulator.facts.declarations import functions_in
from onekernel.simulator.facts.names import INTEGERS, after_brackets, named
from onekernel.simulator.facts.statements import expression_end, scope_end
from onekernel.simulator.facts.tokens import Token, closing, opening

# What gives one half of an element.
_HALVES = re.compile(r"__(?:low|high)2(?:half|float|bfloat16)|__double2(?:hi|lo)int")
_WIDTHS = {**INTEGERS, "float": 4, "double": 8}
# The bits of a float, or half of a double's; the type says whether what they become has a sign.
_FLOAT_BITS = re.compile(r"__(?:float_as_(u?)int|double_as_longlong)")
_HALF = {"__double2hiint": (4, 4), "__double2loint": (0, 4)}
_PUNNED = re.compile(r"[&*()<>]|const|unsigned|u?int(?:32_t|64_t)?|long|float|double|reinterpret_cast")
# Four bytes that stand for one vector are loaded as they are, if more than one of them is used.
_BYTES = re.compile(r"u?char[234]")
_PADDING = [Token("sign", "", 0)] * 4


def narrowed_of(facts: Facts) -> list[Lines]:
    """The lines of such loads."""
    tokens = spelled_out(facts) + _PADDING
    given, pointers = Given(tokens), _Pointers(tokens)
    found = [*_integers(given, pointers), *_arrays(given), *_arguments(given, pointers)]
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
        after = after_brackets(tokens, k)
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


def _arguments(given: Given, pointers: _Pointers) -> Iterator[Lines]:
    """What is loaded where a function is given it, which uses a part; and a member of what a function returns."""
    tokens = given.tokens
    for call, arguments in given.calls():
        behind = closing(tokens, call + 1) + 1
        if tokens[behind].text == "." and tokens[behind + 1].kind == "name" and tokens[behind + 2].text != "(":
            yield from list(given.loads(call, behind))[1:]
        for number, (first, last) in enumerate(arguments):
            if tokens[last].text not in ("]", ")") and tokens[first].text != "*":
                continue  # no load
            for parameter, body in given.declared(tokens[call].text, number):
                if _takes_a_part(given, last, pointers, parameter, body):
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
                after = after_brackets(tokens, k)
                if tokens[after].text == "=" and tokens[after + 1].text != "=":
                    if value_of(tokens[k + 2]) is None:  # else the C++ compiler leaves it out itself
                        lines.append((tokens[k].line, tokens[expression_end(tokens, after, end, ";")].line))
                else:
                    read.add(value_of(tokens[k + 2]) if tokens[k + 1].text == "[" and after == k + 4 else None)
            if read and None not in read and len(read) < count:
                yield from lines


def _is_part(used: Parts, members: Parts, kind: str) -> bool:
    return bool(used) and used < members and (len(used) == 1 or not _BYTES.fullmatch(kind))


def _integers(given: Given, pointers: _Pointers) -> Iterator[Lines]:
    """The lines of loads of integers."""
    yield from _cut(given.tokens, pointers)
    yield from _converted(given.tokens, pointers)
    yield from _of_brackets(given.tokens, pointers)
    yield from _variables(given)


class _Pointers:
    """What pointers to integers point to: the bytes of each, and whether they have no sign."""

    def __init__(self, tokens: list[Token]) -> None:
        self._declared: dict[str, list[tuple[int, int, bool]]] = {}
        for one in (one for one in named(tokens, functions_in(tokens)) if "*" in one.type):
            each = bytes_of(one.type[: one.type.index("*")]) if one.type.count("*") == 1 else 0
            unsigned = any(word in UNSIGNED for word in one.type)
            self._declared.setdefault(one.name, []).append((one.at, each, unsigned))

    def knows(self, name: str) -> bool:
        return name in self._declared

    def of(self, name: str, before: int) -> tuple[int, bool]:
        """Of the pointer of that name that was declared last."""
        known = [(each, unsigned) for at, each, unsigned in self._declared.get(name, ()) if at < before]
        return known[-1] if known else (0, False)

    def at(self, tokens: list[Token], last: int) -> tuple[int, bool]:
        """Of the one whose element ends with the bracket at `last`."""
        of = tokens[opening(tokens, last, "[", "]") - 1].text if tokens[last].text == "]" else ""
        return self.of(of, last)


def _takes_a_part(
    given: Given, last: int, pointers: _Pointers, parameter: list[Token], body: tuple[int, int]
) -> bool:
    """Whether of the element that ends with the token at `last` a parameter of integers takes some bytes alone."""
    tokens = given.tokens
    named = next((k for k in range(len(parameter) - 1, 0, -1) if parameter[k].kind == "name"), 0)
    width = integer(parameter, named)
    wide, _ = pointers.at(tokens, last)
    if tokens[last].text != "]" or not width or not wide:
        return False
    unsigned = any(t.text in UNSIGNED for t in parameter)
    uses = [_left_of(given, k, width, unsigned) for k in named_in(tokens, parameter[named].text, *body)]
    return width < wide or (bool(uses) and uses[0] is not None and len({*uses}) == 1)


def _cut(tokens: list[Token], pointers: _Pointers) -> Iterator[Lines]:
    """An element of which whole bytes are left. What a `switch` masks has two at most."""
    for i, token in enumerate(tokens[:-4]):
        if token.text == "]":
            width, unsigned = pointers.at(tokens, i)
            first = opening(tokens, i, "[", "]") - 1
            some = left(tokens, i, width or 4, unsigned) or masked(tokens, first, width)
            if some or (tokens[i + 1].text == "&" and _in_switch(tokens, i)):
                yield (token.line, token.line)
        elif _HALVES.fullmatch(token.text) and tokens[i + 1].text == "(":
            last = closing(tokens, i + 1) - 1
            if tokens[last].text == "]" and not _other_half(tokens, i, last):
                yield (token.line, tokens[last].line)
        elif (bits := _FLOAT_BITS.fullmatch(token.text)) and tokens[i + 1].text == "(":
            last = closing(tokens, i + 1)
            some = left(tokens, last, 4 if "float" in token.text else 8, bool(bits[1]))
            if some and not some[0]:  # a shift is made of a register
                yield (token.line, tokens[last].line)


def _other_half(tokens: list[Token], i: int, last: int) -> bool:
    """Whether another function is asked for the other half of the same element."""
    of = [t.text for t in tokens[i + 1 : last + 1]]
    return any(
        [t.text for t in tokens[k + 1 : k + 1 + len(of)]] == of and tokens[k].text != tokens[i].text
        for k, t in enumerate(tokens) if _HALVES.fullmatch(t.text)
    )  # fmt: skip


def _converted(tokens: list[Token], pointers: _Pointers) -> Iterator[Lines]:
    """An element of integers that becomes a narrower one: by a cast, or where it is given to one."""
    for i, token in enumerate(tokens[:-4]):
        if tokens[i + 2].text != "[" or not (wide := pointers.of(tokens[i + 1].text, i)[0]):
            continue
        behind = closing(tokens, i + 2) + 1
        alone = behind < len(tokens) and tokens[behind].text in (";", ",")
        to = 0
        if token.text == ")" or tokens[i - 1].text + token.text == ">(":  # (T)x[i], static_cast<T>(x[i])
            ends = i if token.text == ")" else i - 1
            of = ends - 1
            while of > 0 and tokens[of].text in INTEGERS:
                of -= 1
            to = integer(tokens, ends) if tokens[of].text == {")": "(", ">": "<"}[tokens[ends].text] else 0
            if tokens[of - 1].text == "=" and alone and wide < 8 and not _computes(tokens, of - 1, pointers, to):
                to = 0  # of a register the lower bytes are stored as they are
        elif token.text == "=" and alone and (wide == 8 or tokens[i - 1].text != "]"):  # y[i] = x[i], T v = x[i]
            to = _given(tokens, i, pointers)
        else:  # T v = 3 * x[i] + 1
            to = _of_sum(tokens, i)
        if 0 < to < wide:
            yield (tokens[i + 1].line, tokens[i + 1].line)


def _of_brackets(tokens: list[Token], pointers: _Pointers) -> Iterator[Lines]:
    """Elements in a sum, a product or a mask between brackets, of which a cast leaves some bytes: (char)(x[i] + 5)."""
    for i, token in enumerate(tokens[:-4]):
        if token.text not in (")", ">") or tokens[i + 1].text != "(" or not (to := integer(tokens, i)):
            continue
        end = closing(tokens, i + 1)
        within = tokens[i + 2 : end]
        if any(t.text in ("?", "<", ">", "/", "%", "!", "=", "(") for t in within):
            continue
        for k in range(i + 2, end):
            if tokens[k + 1].text == "[" and to < pointers.of(tokens[k].text, k)[0]:
                yield (tokens[k].line, tokens[k].line)


def _computes(tokens: list[Token], i: int, pointers: _Pointers, to: int) -> bool:
    """Whether what the `=` at `i` gives a value is not that integer of `to` bytes: a float, a wider one."""
    given = _given(tokens, i, pointers)
    named = tokens[opening(tokens, i - 1, "[", "]") - 1].text if tokens[i - 1].text == "]" else ""
    return given > to or (not given and pointers.knows(named))


def _of_sum(tokens: list[Token], i: int) -> int:
    """The bytes of the integer that is declared with an expression of sums and products around the element at `i`: its
    lower bytes need no more than the operands' lower ones."""
    begin = i
    while begin > 0 and tokens[begin].text not in (";", "{", "}", "=", "(", "?", "<", ">", "/", "%", "!"):
        begin -= 1
    end = expression_end(tokens, i + 1, len(tokens), ";,)")
    narrow = all(t.text not in ("?", "<", ">", "/", "%", "!", "(") for t in tokens[begin + 1 : end])
    return integer(tokens, begin - 1) if narrow and tokens[begin].text == "=" and tokens[end].text in ";," else 0


def _given(tokens: list[Token], i: int, pointers: _Pointers) -> int:
    """The bytes of an integer that the `=` at `i` gives a value: an element's, or a variable's that it declares."""
    if tokens[i - 1].text == "]":
        return pointers.at(tokens, i - 1)[0]
    return integer(tokens, i - 1) if tokens[i - 1].kind == "name" else 0


def _in_switch(tokens: list[Token], i: int) -> bool:
    while i > 0 and tokens[i].text not in (";", "{", "}", "switch"):
        i -= 1
    return tokens[i].text == "switch"


def _variables(given: Given) -> Iterator[Lines]:
    """The lines that give variables their elements, all of whose uses leave the same bytes. Of what changes a variable
    in place, the first change decides."""
    tokens = given.tokens
    for begin, end in given.bodies:
        for i in range(begin + 1, min(end, len(tokens) - 4)):
            name = tokens[i + 1]
            if _WIDTHS.get(tokens[i].text, 0) < 4 or name.kind != "name" or name.text in INTEGERS:
                continue
            width = integer(tokens, i + 1) or _WIDTHS[tokens[i].text]
            if lines := list(_loads_of(given, i + 1, begin, end)):
                unsigned = any(t.text in UNSIGNED for t in tokens[i - 1 : i + 1])
                if _leave_the_same(given, i + 1, scope_end(tokens, i, end), width, unsigned):
                    yield from lines


def _loads_of(given: Given, k: int, begin: int, end: int) -> Iterator[Lines]:
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
        uses.append(_left_of(given, use, width, unsigned))
    return bool(uses) and uses[0] is not None and len({*uses}) == 1


def _in_place(tokens: list[Token], k: int, width: int, unsigned: bool) -> Bytes | None:
    """What `v &= 0xFF`, `v >>= 16` or `v = v & 0xFF` leaves of a variable."""
    if tokens[k + 1].text == "=" and tokens[k + 2].text == tokens[k].text:
        return left(tokens, k + 2, width, unsigned)
    ends = next((n for n in (k + 2, k + 3) if tokens[n].text == "="), 0)
    if not ends or tokens[ends + 1].text == "=":
        return None
    return left([*tokens[k:ends], *tokens[ends + 1 : ends + 6]], 0, width, unsigned)


def _left_of(given: Given, k: int, width: int, unsigned: bool) -> Bytes | None:
    """The bytes that the use of a variable at `k` leaves of it; None: all."""
    tokens = given.tokens
    if some := left(tokens, k, width, unsigned) or masked(tokens, k, width):
        return some
    to = 0
    if tokens[k - 1].text == "(" and tokens[k + 1].text == ")":
        if half := _HALF.get(tokens[k - 2].text):
            return half
        if bits := _FLOAT_BITS.fullmatch(tokens[k - 2].text):
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
