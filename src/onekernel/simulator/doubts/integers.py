"""Integers as their tokens spell them: numbers and their names, the widths of types, and what masks, shifts and
remainders leave."""

from __future__ import annotations

import re
from collections.abc import Iterable

from onekernel.simulator.facts import Facts
from onekernel.simulator.facts.names import INTEGERS, is_integer
from onekernel.simulator.facts.tokens import Token

Bytes = tuple[int, int]  # of an integer: the first, and how many
_MASKS = {0xFF: 1, 0xFFFF: 2, 0xFFFFFFFF: 4}  # what leaves whole bytes, and how many
_NUMBER = re.compile(r"(0[xX][0-9a-fA-F]+|[0-9]+)[uUlL]*")
UNSIGNED = ("unsigned", "uint", "uint32_t", "uint64_t", "size_t")
_TYPE = re.compile(r"\busing[ \t]+(\w+)[ \t]*=[ \t]*([\w \t]+);|\btypedef[ \t]+([\w \t]+?)[ \t]+(\w+)[ \t]*;")


def left(tokens: list[Token], i: int, width: int, unsigned: bool) -> Bytes | None:
    """What of a value that ends with the token at `i` is left by the signs behind it: the first byte, and how many."""
    sign, number = tokens[i + 1].text, value_of(tokens[i + 2])
    if sign == "&" and number in _MASKS and _MASKS[number] < width:
        return 0, _MASKS[number]
    if sign == "%" and number in (1 << 8, 1 << 16) and (unsigned or "u" in tokens[i + 2].text.lower()):
        return 0, 1 if number == 1 << 8 else 2
    if sign == "/" and number == 1 << 16 and unsigned:
        return 2, 2
    if width == 8 and not unsigned and re.match("<0|>=0", "".join(t.text for t in tokens[i + 1 : i + 4])):
        return 4, 4  # its sign
    by = value_of(tokens[i + 3]) if sign == tokens[i + 2].text == ">" else None
    if by is not None and by % 8 == 0 and by < 8 * width:
        behind = i + 5 if tokens[i + 4].text == ")" else i + 4
        mask = value_of(tokens[behind + 1]) if tokens[behind].text == "&" else None
        if mask in _MASKS and by // 8 % _MASKS[mask] == 0:
            return by // 8, _MASKS[mask]
        return (by // 8, width - by // 8) if by >= 16 else None
    up = value_of(tokens[i + 3]) if sign == tokens[i + 2].text == "<" else None
    down = "".join(t.text for t in tokens[i + 4 : i + 7]) == ")>>" and up == value_of(tokens[i + 7])  # (v << 24) >> 24
    return (0, width - up // 8) if up and down and up % 8 == 0 and up < 8 * width else None


def masked(tokens: list[Token], first: int, width: int) -> Bytes | None:
    """What a mask before a value leaves of it: 0xFF & v."""
    number = value_of(tokens[first - 2]) if tokens[first - 1].text == "&" else None
    return (0, _MASKS[number]) if number in _MASKS and _MASKS[number] < width else None


def integer(tokens: list[Token], end: int) -> int:
    """The bytes of the type of integers that stands before a token; 0 for another."""
    first = end
    while first > 0 and tokens[first - 1].text in (*INTEGERS, "const"):
        first -= 1
    return bytes_of([token.text for token in tokens[first:end]])


def bytes_of(words: Iterable[str]) -> int:
    """The bytes of the type of integers that these words are; 0 for another."""
    if not is_integer(words := [*words]):
        return 0
    narrow = [INTEGERS[word] for word in words if word in ("long", "short", "char")]  # long int, unsigned char
    return (narrow or [INTEGERS[word] for word in words if word in INTEGERS])[0]


def value_of(token: Token) -> int | None:
    number = _NUMBER.fullmatch(token.text)
    return int(number[1], 16 if "x" in number[1].lower() else 10) if number else None


def spelled_out(facts: Facts) -> list[Token]:
    """The tokens of a file, names of numbers and of types of integers put back into what they stand for: `x[i] & MASK`
    is `x[i] & 0xFF`. A name is taken to mean the same in the whole file."""
    meant = {name: [number] for name, number in facts.numbers.items()}
    for m in _TYPE.finditer(facts.text):
        words = (m[2] or m[3]).split()
        if all(word in INTEGERS for word in words):
            meant[m[1] or m[4]] = words
    out: list[Token] = []
    for token in facts.code:
        words = meant.get(token.text, []) if token.kind == "name" else []
        out += [Token("number" if word[0].isdigit() else "name", word, token.line) for word in words] or [token]
    return out
