"""The greater of two floats by their bits, `atomicMax((int*)p, __float_as_int(v))`, becomes a function of its own,
which sees when both are negative: their order is then the opposite."""

from __future__ import annotations

import re

from onekernel.simulator.facts.tokens import Token, closing, is_sign, next_solid, one_line, split_commas

_FUNCTIONS = {"atomicMax": "atomic_max_of_bits", "atomicMin": "atomic_min_of_bits"}
_BITS = re.compile(r"__float_as_int ?\(.*\)|\* ?\(? ?\( ?int ?\* ?\) ?&.*|\* ?reinterpret_cast ?< ?int ?\* ?>.*")


def watch_float_bits(tokens: list[Token]) -> list[Token]:
    """Renames such calls: the whole second argument is a float's bits."""
    for i, token in enumerate(tokens):
        if token.kind != "name" or token.text not in _FUNCTIONS:
            continue
        bracket = next_solid(tokens, i + 1)
        if not is_sign(tokens, bracket, "("):
            continue
        pieces = split_commas(tokens[bracket + 1 : closing(tokens, bracket)])
        if len(pieces) == 2 and _BITS.fullmatch(one_line(pieces[1]).strip()):
            tokens[i] = Token("name", f"__ok::{_FUNCTIONS[token.text]}", token.line)
    return tokens
