"""Integers of which the kernel uses some bytes alone, by a mask, a shift, a remainder or a narrower type: NVIDIA's
compiler loads those.

Read from the tokens alone. What is changed in place, or read through a pointer to it, is taken to be used as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from onekernel.simulator.rewrite.early import expression_end, scope_end
from onekernel.simulator.rewrite.given import INTEGERS, Lines, named_in
from onekernel.simulator.rewrite.loops import functions
from onekernel.simulator.rewrite.tokens import Token, closing, opening

_BITS = {0xFF: 1, 0xFFFF: 2, 0xFFFFFFFF: 4}  # what leaves whole bytes, and how many
_NUMBER = re.compile(r"(0[xX][0-9a-fA-F]+|[0-9]+)[uUlL]*")
_UNSIGNED = ("unsigned", "uint32_t", "uint64_t", "size_t")
# What gives one half of an element.
_HALVES = re.compile(r"__(?:low|high)2(?:half|float|bfloat16)|__double2(?:hi|lo)int")


def narrowed_integers(tokens: list[Token]) -> Iterator[Lines]:
    """The lines of such loads."""
    pointers = Pointers(tokens)
    yield from _cut(tokens, pointers)
    yield from _converted(tokens, pointers)
    yield from _variables(tokens)


class Pointers:
    """What pointers to integers point to: the bytes of each, and whether they have no sign."""

    def __init__(self, tokens: list[Token]) -> None:
        self._declared: dict[str, list[tuple[int, int, bool]]] = {}
        for i, token in enumerate(tokens[:-4]):
            if token.text != "*":
                continue
            after = _named(tokens, i)
            if (each := _integer(tokens, i)) or tokens[after + 1].text in (",", ")", "="):  # and not a * x[i]
                unsigned = any(t.text in _UNSIGNED for t in tokens[max(0, i - 3) : i])
                self._declared.setdefault(tokens[after].text, []).append((i, each, unsigned))

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


def takes_a_part(
    tokens: list[Token], last: int, pointers: Pointers, parameter: list[Token], body: tuple[int, int]
) -> bool:
    """Whether of the element that ends with the token at `last` a parameter of integers takes some bytes alone."""
    named = next((k for k in range(len(parameter) - 1, 0, -1) if parameter[k].kind == "name"), 0)
    width = _integer(parameter, named)
    wide, _ = pointers.at(tokens, last)
    if tokens[last].text != "]" or not width or not wide:
        return False
    unsigned = any(t.text in _UNSIGNED for t in parameter)
    uses = [_of_integer(tokens, k, width, unsigned) for k in named_in(tokens, parameter[named].text, *body)]
    return width < wide or (bool(uses) and uses[0] is not None and len({*uses}) == 1)


def _cut(tokens: list[Token], pointers: Pointers) -> Iterator[Lines]:
    """An element of which whole bytes are left. What a `switch` masks has two at most."""
    for i, token in enumerate(tokens[:-4]):
        if token.text == "]":
            width, unsigned = pointers.at(tokens, i)
            if _left(tokens, i, width or 4, unsigned) or (tokens[i + 1].text == "&" and _in_switch(tokens, i)):
                yield (token.line, token.line)
        elif _HALVES.fullmatch(token.text) and tokens[i + 1].text == "(":
            last = closing(tokens, i + 1) - 1
            if tokens[last].text == "]" and not _other_half(tokens, i, last):
                yield (token.line, tokens[last].line)


def _other_half(tokens: list[Token], i: int, last: int) -> bool:
    """Whether another function is asked for the other half of the same element."""
    of = [t.text for t in tokens[i + 1 : last + 1]]
    return any(
        [t.text for t in tokens[k + 1 : k + 1 + len(of)]] == of and tokens[k].text != tokens[i].text
        for k, t in enumerate(tokens) if _HALVES.fullmatch(t.text)
    )  # fmt: skip


def _left(tokens: list[Token], i: int, width: int, unsigned: bool) -> tuple[int, int] | None:
    """What of a value that ends with the token at `i` is left by the signs behind it: the first byte, and how many."""
    sign, number = tokens[i + 1].text, value_of(tokens[i + 2])
    if sign == "&" and number in _BITS and _BITS[number] < width:
        return 0, _BITS[number]
    if sign == "%" and number in (1 << 8, 1 << 16) and (unsigned or "u" in tokens[i + 2].text.lower()):
        return 0, 1 if number == 1 << 8 else 2
    if sign == "/" and number == 1 << 16 and unsigned:
        return 2, 2
    by = value_of(tokens[i + 3]) if sign == tokens[i + 2].text == ">" else None
    if by is not None and by % 8 == 0 and by < 8 * width:
        behind = i + 5 if tokens[i + 4].text == ")" else i + 4
        mask = value_of(tokens[behind + 1]) if tokens[behind].text == "&" else None
        if mask in _BITS and by // 8 % _BITS[mask] == 0:
            return by // 8, _BITS[mask]
        return (by // 8, width - by // 8) if by >= 16 else None
    return None


def _variables(tokens: list[Token]) -> Iterator[Lines]:
    """A variable of integers that is given an element, and all of whose uses leave the same bytes of it."""
    for function in functions(tokens):
        begin, end = function.body
        for i in range(begin + 1, min(end, len(tokens) - 4)):
            name = tokens[i + 1]
            width = INTEGERS.get(tokens[i].text, 0)
            if width < 4 or name.kind != "name" or name.text in INTEGERS or tokens[i + 2].text != "=":
                continue
            last = expression_end(tokens, i + 3, end, ";,")
            if tokens[last - 1].text not in ("]", ")"):
                continue
            width = _integer(tokens, i + 1) or width
            unsigned = any(t.text in _UNSIGNED for t in tokens[i - 1 : i + 1])
            scope = scope_end(tokens, i, end)
            uses = [_of_integer(tokens, k, width, unsigned) for k in named_in(tokens, name.text, last, scope)]
            if uses and uses[0] and len({*uses}) == 1:
                yield (name.line, tokens[last].line)


def _of_integer(tokens: list[Token], k: int, width: int, unsigned: bool) -> tuple[int, int] | None:
    """The bytes that the use of a variable at `k` leaves of it; None: all."""
    if left := _left(tokens, k, width, unsigned):
        return left
    to = 0
    if tokens[k - 1].text == ")":  # (T)v
        to = _integer(tokens, k - 1)
    elif tokens[k - 1].text == "(" and tokens[k + 1].text == ")":  # T(v), (T)(v), static_cast<T>(v)
        to = _integer(tokens, k - (2 if tokens[k - 2].text in (")", ">") else 1))
    elif tokens[k - 1].text == "=" and tokens[k + 1].text == ";":  # T a = v;
        to = _integer(tokens, k - 2)
    return (0, to) if 0 < to < width else None


def _converted(tokens: list[Token], pointers: Pointers) -> Iterator[Lines]:
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
            to = _integer(tokens, ends) if tokens[of].text == {")": "(", ">": "<"}[tokens[ends].text] else 0
            if tokens[of - 1].text == "=" and alone and wide < 8 and not _computes(tokens, of - 1, pointers, to):
                to = 0  # of a register the lower bytes are stored as they are
        elif token.text == "=" and alone and (wide == 8 or tokens[i - 1].text != "]"):  # y[i] = x[i], T v = x[i]
            to = _given(tokens, i, pointers)
        elif wide == 8:  # T v = 3 * x[i] + 1
            to = _of_sum(tokens, i)
        if 0 < to < wide:
            yield (tokens[i + 1].line, tokens[i + 1].line)


def _computes(tokens: list[Token], i: int, pointers: Pointers, to: int) -> bool:
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
    return _integer(tokens, begin - 1) if narrow and tokens[begin].text == "=" and tokens[end].text in ";," else 0


def _given(tokens: list[Token], i: int, pointers: Pointers) -> int:
    """The bytes of an integer that the `=` at `i` gives a value: an element's, or a variable's that it declares."""
    if tokens[i - 1].text == "]":
        return pointers.at(tokens, i - 1)[0]
    return _integer(tokens, i - 1) if tokens[i - 1].kind == "name" else 0


def _named(tokens: list[Token], star: int) -> int:
    after = star + 1
    while after < len(tokens) - 2 and tokens[after].text in ("const", "__restrict__", "__restrict"):
        after += 1
    return after


def _in_switch(tokens: list[Token], i: int) -> bool:
    while i > 0 and tokens[i].text not in (";", "{", "}", "switch"):
        i -= 1
    return tokens[i].text == "switch"


def _integer(tokens: list[Token], end: int) -> int:
    """The bytes of the type of integers that stands before a token; 0 for another."""
    words = []
    while end > 0 and tokens[end - 1].text in (*INTEGERS, "const"):
        end -= 1
        words.append(tokens[end].text)
    widths = [INTEGERS[word] for word in words if word != "const"]
    if "long" in words or "short" in words or "char" in words:  # long int, unsigned char
        widths = [INTEGERS[word] for word in words if word in ("long", "short", "char")]
    return widths[0] if widths else 0


def value_of(token: Token) -> int | None:
    number = _NUMBER.fullmatch(token.text)
    return int(number[1], 16 if "x" in number[1].lower() else 10) if number else None
