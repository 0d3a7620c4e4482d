"""Files changed as accident and malice change them: bytes, lines and brackets, lost, repeated, exchanged."""

from __future__ import annotations

import random
from collections.abc import Sequence

MOST_BYTES = 200_000
_SIGNS = (
    b'(', b')', b'{', b'}', b'[', b']', b'<', b'>', b'"', b"'", b'`', b'#', b'\\', b'/*', b'*/', b'//', b'\n',
    b'\r\n', b'\t', b' ', b'\x00', b'\x0c', b'\xef\xbb\xbf', b'\xff', b'\xc3(', b'\xf0\x9d\x84\x9e',
    b'\xe2\x80\xae', b'<<<', b'>>>', b'##', b'-', b'9', b'1e999', b'NaN', b'Infinity', b'null', b'__global__ ',
    b'__shared__ ', b'template<', b'R"(', b'elif a: ', b'lambda:', b'|', b'---', b'## ', b'- [ ] ', b',', b'.',
    b':', b'%', b'$', b'\\u0000', b'#include "a"\n', b'#define A A\n',
)  # fmt: skip


def mutated(data: bytes, others: Sequence[bytes], chance: random.Random) -> bytes:
    """`data` with one to eight changes, MOST_BYTES at most."""
    for _ in range(chance.choice((1, 1, 2, 3, 8))):
        data = chance.choice(_CHANGES)(data, others, chance)[:MOST_BYTES]
    return data


def _place(data: bytes, chance: random.Random) -> tuple[int, int]:
    start = chance.randrange(len(data) + 1)
    return start, min(len(data), start + chance.choice((1, 1, 4, 30, 400)))


def _insert(data: bytes, others: Sequence[bytes], chance: random.Random) -> bytes:
    at, _ = _place(data, chance)
    return data[:at] + chance.choice(_SIGNS) + data[at:]


def _repeat(data: bytes, others: Sequence[bytes], chance: random.Random) -> bytes:
    at, _ = _place(data, chance)
    return data[:at] + chance.choice(_SIGNS) * chance.choice((3, 100, 5_000, 60_000)) + data[at:]


def _lose(data: bytes, others: Sequence[bytes], chance: random.Random) -> bytes:
    start, end = _place(data, chance)
    return data[:start] + data[end:]


def _double(data: bytes, others: Sequence[bytes], chance: random.Random) -> bytes:
    start, end = _place(data, chance)
    return data[:end] + data[start:end] * chance.choice((1, 2, 50)) + data[end:]


def _flip(data: bytes, others: Sequence[bytes], chance: random.Random) -> bytes:
    if not data:
        return data
    at = chance.randrange(len(data))
    return data[:at] + bytes([chance.randrange(256)]) + data[at + 1 :]


def _cut(data: bytes, others: Sequence[bytes], chance: random.Random) -> bytes:
    return data[: _place(data, chance)[0]]


def _splice(data: bytes, others: Sequence[bytes], chance: random.Random) -> bytes:
    other = chance.choice(others)
    return data[: _place(data, chance)[0]] + other[_place(other, chance)[0] :]


def _exchange(data: bytes, others: Sequence[bytes], chance: random.Random) -> bytes:
    lines = data.split(b"\n")
    a, b = chance.randrange(len(lines)), chance.randrange(len(lines))
    lines[a], lines[b] = lines[b], lines[a]
    return b"\n".join(lines)


_CHANGES = (_insert, _insert, _repeat, _lose, _double, _flip, _flip, _cut, _splice, _exchange)
