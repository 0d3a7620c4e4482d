"""CUDA's vectors made in round brackets, `float4(1, 2, 3, 4)`, as in shading languages; CUDA has none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from onekernel.simulator.facts.tokens import Token, closing, is_sign, next_solid, previous_solid, split_commas

_VECTOR = re.compile(r"u?(?:char|short|int|long|longlong)[1-4]|(?:float|double)[1-4]")


def vector_calls(tokens: list[Token], body: range) -> Iterator[tuple[str, int]]:
    """Name and line of each vector in a function's body that is made of several values in round brackets, or of one
    number: `float2(1, 2)`, `float2 v(1, 2)`, `float4(0.0f)`, `(float4)0`. Of one value that is no number, it may be a
    vector itself, or a class that becomes one."""
    for i in body:
        if tokens[i].kind != "name" or not _VECTOR.fullmatch(tokens[i].text):
            continue
        at = next_solid(tokens, i + 1)
        if is_sign(tokens, at, ")") and is_sign(tokens, previous_solid(tokens, i - 1), "("):
            if tokens[next_solid(tokens, at + 1)].kind == "number":
                yield tokens[i].text, tokens[i].line
            continue
        if tokens[at].kind == "name":  # the variable's
            at = next_solid(tokens, at + 1)
        if is_sign(tokens, at, "("):
            values = [_solid(piece) for piece in split_commas(tokens[at + 1 : closing(tokens, at)])]
            number = len(values) == 1 and [t.kind for t in values[0]] == ["number"]
            if number or (len(values) > 1 and not any(map(_declares, values))):
                yield tokens[i].text, tokens[i].line


def _solid(piece: list[Token]) -> list[Token]:
    return [t for t in piece if t.kind not in ("space", "directive")]


def _declares(value: list[Token]) -> bool:
    """Whether it is no value but a parameter, of a function that is declared here: a type alone, or before a name."""
    types = ("int", "float", "double", "char", "bool", "unsigned", "const")
    named = any(a.kind == b.kind == "name" for a, b in pairwise(value))
    return named or not value or value[0].text in types or _VECTOR.fullmatch(value[0].text) is not None
