"""`__cluster_dims__(x, y, z)` becomes a call at the start of the kernel, whose first thread tells it to the launch."""

from __future__ import annotations

from onekernel.simulator.rewrite.tokens import Token, closing, is_sign, next_solid, one_line


def tell_clusters(tokens: list[Token]) -> list[Token]:
    """Puts the call into every kernel that is defined with the attribute."""
    i = 0
    while i < len(tokens):
        if tokens[i].kind == "name" and tokens[i].text == "__cluster_dims__":
            opening = next_solid(tokens, i + 1)
            close = closing(tokens, opening)
            shape = one_line(tokens[opening + 1 : close])
            body = _body(tokens, close + 1)
            if body is not None:
                call = Token("call", f" ::__ok::ok_cluster_dims(dim3({shape}));", tokens[body].line)
                tokens.insert(body + 1, call)
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
