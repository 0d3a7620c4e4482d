"""`__cluster_dims__(x, y, z)` and `__launch_bounds__(threads)` become calls at the start of the kernel, whose threads
tell them to the launch."""

from __future__ import annotations

from onekernel.simulator.facts.tokens import Token, closing, is_sign, next_solid, one_line

CALLS = {"__cluster_dims__": "ok_cluster_dims(dim3({}))", "__launch_bounds__": "ok_launch_bounds({})"}


def tell_attributes(tokens: list[Token]) -> list[Token]:
    """Puts the calls into every kernel that is defined with these attributes."""
    i = 0
    while i < len(tokens):
        if tokens[i].kind == "name" and tokens[i].text in CALLS:
            opening = next_solid(tokens, i + 1)
            close = closing(tokens, opening)
            values = one_line(tokens[opening + 1 : close])
            body = _body(tokens, close + 1)
            if body is not None:
                call = f" ::__ok::{CALLS[tokens[i].text].format(values)};"
                tokens.insert(body + 1, Token("call", call, tokens[body].line))
        i += 1
    return tokens


def _body(tokens: list[Token], i: int) -> int | None:
    """The brace that opens the function's body; None for a declaration."""
    while i < len(tokens) and not is_sign(tokens, i, ";"):
        if is_sign(tokens, i, "{"):
            return i
        i = closing(tokens, i) if is_sign(tokens, i, "(") else i
        i += 1
    return None
