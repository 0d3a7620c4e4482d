"""The kernels of a file by their declarations, with the parameters of each and of its template, and their launches,
`kernel<<<grid, block, shared, stream>>>(arguments)`: where each part stands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from onekernel.simulator.facts.functions import default_at, parameters
from onekernel.simulator.facts.tokens import (
    Token,
    closing,
    is_sign,
    next_solid,
    one_line,
    opening,
    previous_solid,
    split_commas,
)


def kernels(tokens: list[Token]) -> tuple[dict[str, int], dict[str, int]]:
    """Template parameters of each kernel template, and how often each kernel name is defined, or declared otherwise, or
    has default arguments, which no pointer to it has."""
    arity: dict[str, int] = {}
    names: dict[str, int] = {}
    taken: dict[str, set[str]] = {}  # the types of its parameters
    for i, token in enumerate(tokens):
        if token.kind != "name" or token.text != "__global__":
            continue
        k = i
        while k < len(tokens) and not is_sign(tokens, k, ";") and not is_sign(tokens, k, "{"):
            if is_sign(tokens, k, "("):
                before = previous_solid(tokens, k - 1)
                if tokens[before].text in ("__launch_bounds__", "__maxnreg__", "__cluster_dims__", "__attribute__"):
                    k = closing(tokens, k) + 1
                    continue
                name = tokens[before].text
                close = next_solid(tokens, closing(tokens, k) + 1)
                types = _types(tokens[k + 1 : closing(tokens, k)])
                is_other = types not in taken.setdefault(name, {types})
                taken[name].add(types)
                inside = parameters(tokens[k + 1 : closing(tokens, k)])
                has_default = any(default_at(piece) < len(piece) for piece in inside)
                names[name] = names.get(name, 0) + is_sign(tokens, close, "{") + is_other + 2 * has_default
                if (count := _template_parameters(tokens, i)) is not None:
                    arity[name] = count
                break
            k += 1
    return arity, names


def _types(parameters: list[Token]) -> str:
    """The parameters without spaces and their own names, so that a declaration is known as its definition's."""
    out = []
    for piece in split_commas(parameters):
        words = [t.text for t in piece if t.kind not in ("space", "directive")]
        named = len(words) > 1 and words[-1].isidentifier() and words[-2] != "unsigned"
        out.append("".join(words[:-1] if named else words))
    return ",".join(out)


def _template_parameters(tokens: list[Token], i: int) -> int | None:
    """How many parameters the template header before token `i` has; None without one."""
    k = previous_solid(tokens, i - 1)
    while k >= 0 and tokens[k].kind == "name" and tokens[k].text in ("static", "inline", "extern"):
        k = previous_solid(tokens, k - 1)
    if not is_sign(tokens, k, ">"):
        return None
    end, depth, count = k, 0, 1
    while k >= 0:
        depth += is_sign(tokens, k, ">") - is_sign(tokens, k, "<")
        if depth == 0:
            break
        count += depth == 1 and is_sign(tokens, k, ",")
        k -= 1
    before = previous_solid(tokens, k - 1)
    if before < 0 or tokens[before].text != "template":
        return None
    return count if one_line(tokens[k + 1 : end]) else 0


@dataclass(frozen=True)
class Launch:
    """The tokens of one launch: where the kernel's name begins, <<< and >>> begin, and the arguments' brackets."""

    begin: int
    chevrons: int
    end: int
    bracket: int
    close: int


def joined(tokens: list[Token]) -> list[Token]:
    """The tokens with `<< <` and `>> >`, as some editors write them, in one piece; nvcc takes them for that."""
    out = list(tokens)
    for i in range(len(out) - 3):
        if out[i].text not in ("<", ">"):
            continue
        one, other, space, last = out[i : i + 4]
        if space.kind == "space" and one.text == other.text == last.text:
            out[i + 2], out[i + 3] = last, space
    return out


def launches(tokens: list[Token]) -> Iterator[Launch]:
    """Every launch in the text, those in arguments of others included."""
    i = 0
    while launch := next_launch(tokens, i):
        yield launch
        i = launch.chevrons + 3


def next_launch(tokens: list[Token], i: int) -> Launch | None:
    """The first launch whose chevrons stand at `i` or behind it."""
    while (i := _chevrons(tokens, i, "<")) < len(tokens):
        if (begin := _kernel_begin(tokens, i)) is not None:  # else a thousand in a row would each look for their end
            end = _chevrons(tokens, i + 3, ">", outside_brackets=True)
            bracket = next_solid(tokens, end + 3)
            if is_sign(tokens, bracket, "("):
                return Launch(begin, i, end, bracket, closing(tokens, bracket))
        i += 3
    return None


def _chevrons(tokens: list[Token], start: int, sign: str, outside_brackets: bool = False) -> int:
    """The index of the next three `sign`s in a row, len(tokens) if there is none."""
    i = start
    while i < len(tokens):
        if outside_brackets and tokens[i].kind == "sign" and tokens[i].text in "([{":
            i = closing(tokens, i)
        elif tokens[i].text == sign and all(is_sign(tokens, i + k, sign) for k in range(3)):
            return i
        i += 1
    return len(tokens)


def _kernel_begin(tokens: list[Token], chevrons: int) -> int | None:
    """Where the expression that names the kernel begins: a::b<c, d> or (pointer)."""
    i = previous_solid(tokens, chevrons - 1)
    if is_sign(tokens, i, ")"):
        i = opening(tokens, i, "(", ")")
        return i if i >= 0 else None
    while is_sign(tokens, i, "]"):  # kernels[k]<<<...>>>
        i = previous_solid(tokens, opening(tokens, i, "[", "]") - 1)
    while i >= 0:
        if is_sign(tokens, i, ">"):
            depth = 0
            while i >= 0:
                depth += is_sign(tokens, i, ">") - is_sign(tokens, i, "<")
                if depth == 0:
                    break
                i -= 1
            i = previous_solid(tokens, i - 1)
        if i < 0 or tokens[i].kind != "name":
            return None
        before = previous_solid(tokens, i - 1)
        if is_sign(tokens, before, "::"):
            i = previous_solid(tokens, before - 1)
            if i < 0 or not (tokens[i].kind == "name" or is_sign(tokens, i, ">")):
                return before
            if tokens[i].text in ("return", "else", "do"):
                return before
            continue
        if is_sign(tokens, before, ".") or is_sign(tokens, before, "->"):
            i = previous_solid(tokens, before - 1)
            continue
        return i
    return None
