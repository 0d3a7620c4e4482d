"""Values that CUDA wants to know when it compiles: of the device's variables, of static and constexpr ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from onekernel.simulator.facts.declarations import MATH
from onekernel.simulator.facts.tokens import Token, is_sign, next_solid, previous_solid

_OF_CONSTANTS = frozenset(("constexpr", "static", "__device__", "__constant__"))


def computed(tokens: list[Token], on_device: Sequence[range]) -> Iterator[tuple[str, str, int]]:
    """Constants whose values call a function of <math.h>: name, function, line. Of static ones, those in
    the bodies `on_device`."""
    for i, token in enumerate(tokens):
        if token.kind != "name" or token.text not in _OF_CONSTANTS:
            continue
        if token.text == "static" and not any(i in body for body in on_device):
            continue
        equals = _first(tokens, i, "=({;})")
        if equals is None or not is_sign(tokens, equals, "="):
            continue
        value = range(equals, _first(tokens, equals, ";") or len(tokens))
        names = (k for k in value if tokens[k].kind == "name" and MATH.fullmatch(tokens[k].text))
        call = next((k for k in names if is_sign(tokens, next_solid(tokens, k + 1), "(")), None)
        if call is not None:
            yield tokens[previous_solid(tokens, equals - 1)].text, tokens[call].text, token.line


def asked_value(tokens: list[Token], i: int) -> str:
    """What asks for a constant value in the declaration that begins at `i`, by whether a value is written there."""
    first = _first(tokens, i, "={;")
    return "OK_CONSTANT_START " if first is None or tokens[first].text == ";" else "OK_CONSTANT_VALUE "


def is_plain_static(tokens: list[Token], i: int) -> bool:
    """Whether `static` declares a variable that is neither __shared__ nor constexpr, and not a function."""
    while not (tokens[i].kind == "sign" and tokens[i].text in "(=;[{"):
        if tokens[i].text in ("__shared__", "constexpr", "consteval"):
            return False
        i += 1
    return tokens[i].text != "("


def _first(tokens: list[Token], i: int, signs: str) -> int | None:
    """The first of these signs from `i` on."""
    return next((k for k in range(i, len(tokens)) if tokens[k].kind == "sign" and tokens[k].text in signs), None)
