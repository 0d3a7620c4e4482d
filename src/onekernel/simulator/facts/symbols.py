"""What a file offers by name: functions with the C ABI, variables of the device, aligned types."""

from __future__ import annotations

from collections.abc import Iterator

from onekernel.simulator.facts.tokens import Token, closing, is_sign, next_solid, one_line, previous_solid, split_commas

MANAGED, UNSET, CONSTANT = "managed", "unset", "constant"
"""Kinds of variables of the device: unset is a constant that its definition gives no value."""
KINDS = ("", MANAGED, UNSET, CONSTANT)
"""As the runtime counts them (ok_symbol)."""


def exports(tokens: list[Token]) -> dict[str, int]:
    """Functions defined with extern "C", and how many parameters each has."""
    out: dict[str, int] = {}
    for i, token in enumerate(tokens):
        if not (token.kind == "string" and token.text == '"C"'):
            continue
        k = next_solid(tokens, i + 1)
        if is_sign(tokens, k, "{"):
            end = closing(tokens, k)
            k += 1
            while k < end:
                if is_sign(tokens, k, "("):
                    _export(tokens, k, out)
                    k = closing(tokens, k)
                elif is_sign(tokens, k, "{"):
                    k = closing(tokens, k)
                k += 1
        else:
            while k < len(tokens) and not is_sign(tokens, k, "(") and not is_sign(tokens, k, ";"):
                k += 1
            if is_sign(tokens, k, "("):
                _export(tokens, k, out)
    return out


def _export(tokens: list[Token], bracket: int, out: dict[str, int]) -> None:
    name = tokens[previous_solid(tokens, bracket - 1)]
    close = closing(tokens, bracket)
    if name.kind == "name" and is_sign(tokens, next_solid(tokens, close + 1), "{"):
        pieces = split_commas(tokens[bracket + 1 : close])
        out[name.text] = 0 if [one_line(p) for p in pieces] == ["void"] else len(pieces)


def variables(tokens: list[Token]) -> list[tuple[str, str]]:
    """__device__, __constant__ and __managed__ variables: of declarations that reach [ = { ; or , before any bracket,
    each name and its kind."""
    out = []
    for i, token in enumerate(tokens):
        if token.kind != "name" or token.text not in ("__device__", "__constant__", "__managed__"):
            continue
        last = ""
        angle = 0
        kind = MANAGED if token.text == "__managed__" else ""
        for k in range(i + 1, len(tokens)):
            t = tokens[k]
            if t.kind == "name":
                kind = MANAGED if t.text == "__managed__" else kind
                last = t.text if not angle else last
            elif t.kind == "sign":
                angle += (t.text == "<") - (t.text == ">")
                if angle == 0 and t.text in "[={;," and t.text:
                    if last not in ("__device__", "__constant__", "__managed__", "__host__"):
                        if not kind and token.text == "__constant__":
                            kind = UNSET if _is_unset(tokens, i, k) else CONSTANT
                        out += [(name, kind) for name in (last, *_further(tokens, k))]
                    break
                if t.text in "()}":
                    break
    return out


def _is_unset(tokens: list[Token], first: int, k: int) -> bool:
    """Whether a definition that begins with token `first` gives no value to any of its names, the first of which ends
    before token `k`."""
    before = previous_solid(tokens, first - 1)
    while k < len(tokens) and not is_sign(tokens, k, ";"):
        if is_sign(tokens, k, "=") or is_sign(tokens, k, "{"):
            return False
        k = closing(tokens, k) + 1 if is_sign(tokens, k, "[") else k + 1
    return tokens[before].text != "extern"


def _further(tokens: list[Token], k: int) -> Iterator[str]:
    """The names of a declaration behind its first one, which ends before token `k`."""
    waits = False  # for a name
    while k < len(tokens) and not is_sign(tokens, k, ";"):
        if tokens[k].kind == "sign" and tokens[k].text in ("(", "[", "{"):
            k = closing(tokens, k)
        elif is_sign(tokens, k, ","):
            waits = True
        elif waits and tokens[k].kind == "name":
            waits = False
            after = next_solid(tokens, k + 1)
            if any(is_sign(tokens, after, sign) for sign in ",;=[{"):
                yield tokens[k].text
        k += 1


def declares_aligned_types(tokens: list[Token]) -> bool:
    """Is there a struct, class or union with an alignment of its own, before its body or behind it?"""
    for i, token in enumerate(tokens):
        if token.kind != "name" or token.text not in ("struct", "class", "union"):
            continue
        for k in range(i + 1, len(tokens)):
            if tokens[k].text in ("alignas", "__align__", "aligned"):
                return True
            if tokens[k].kind == "sign" and tokens[k].text in ";>,={":
                break
        behind = next_solid(tokens, closing(tokens, k) + 1) if is_sign(tokens, k, "{") else len(tokens)
        if behind < len(tokens) and tokens[behind].text in ("__attribute__", "__align__"):
            return True
    return False
