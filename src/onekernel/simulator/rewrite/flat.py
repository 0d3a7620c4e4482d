"""An array of arrays that is walked as one, `a[0][i]` with an `i` beyond the first row, as a GPU has it: its rows lie
behind each other. The compiler's check of an index would know the extent of the row alone."""

from __future__ import annotations

from onekernel.simulator.facts.tokens import Token, closing, is_sign, next_solid, one_line, previous_solid


def walk_flat(tokens: list[Token]) -> list[Token]:
    """Puts `a[0]` of such elements between the brackets of a function that makes a pointer of a row."""
    i = 0
    while i < len(tokens):
        end = _end_of_zeros(tokens, i) if tokens[i].kind == "name" else None
        before = tokens[previous_solid(tokens, i - 1)].text if i else ""
        if end is not None and before not in (".", "->", "::"):
            tokens.insert(end, Token("flat", ")", tokens[end - 1].line))
            tokens.insert(i, Token("flat", "::__ok::flat(", tokens[i].line))
            i += 1
        i += 1
    return tokens


def _end_of_zeros(tokens: list[Token], i: int) -> int | None:
    """Where the subscripts `[0]` of the name end, if another that is no number follows."""
    end = None
    bracket = next_solid(tokens, i + 1)
    while is_sign(tokens, bracket, "["):
        close = closing(tokens, bracket)
        inside = one_line(tokens[bracket + 1 : close])
        if inside != "0":
            return end if not inside.isdigit() else None
        end, bracket = close + 1, next_solid(tokens, close + 1)
    return None
