"""The kernels of a file by their declarations, with the parameters of each and of its template, and their launches,
`kernel<<<grid, block, shared, stream>>>(arguments)`: where each part stands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from onekernel.simulator.facts.functions import NO_NAMES, default_at, parameters
from onekernel.simulator.facts.tokens import (
    Token,
    closing,
    is_sign,
    next_solid,
    opening,
    previous_solid,
    split_commas,
)


@dataclass(frozen=True)
class Head:
    """A declaration with `__global__`: where it begins, its name, where the bracket of its parameters opens.
    `template`: what stands between the angle brackets of its header, nothing in a specialization's; None without."""

    begin: int
    name_at: int
    bracket: int
    template: tuple[int, int] | None
    friend: bool


def heads(tokens: list[Token]) -> Iterator[Head]:
    """Of every kernel that is declared, in any scope and by any macro that says `__global__`."""
    for i, token in enumerate(tokens):
        bracket = _bracket(tokens, i) if token.kind == "name" and token.text == "__global__" else None
        if bracket is None:
            continue
        begin = i
        while begin > 0 and tokens[begin - 1].kind != "directive" and tokens[begin - 1].text not in (";", "{", "}"):
            begin -= 1
        begin = next_solid(tokens, begin)
        words = [t.text for t in tokens[begin:i]]
        template = _header(tokens, begin + words.index("template")) if "template" in words else None
        yield Head(begin, previous_solid(tokens, bracket - 1), bracket, template, "friend" in words)


def _bracket(tokens: list[Token], i: int) -> int | None:
    """Where the parameters of the kernel open whose `__global__` stands at `i`."""
    while i < len(tokens) and not (tokens[i].kind == "sign" and tokens[i].text in (";", "{", "}")):
        if is_sign(tokens, i, "("):
            before = tokens[previous_solid(tokens, i - 1)]
            if before.text not in NO_NAMES:
                return i if before.kind == "name" else None
            i = closing(tokens, i)
        i += 1
    return None


def _header(tokens: list[Token], template: int) -> tuple[int, int]:
    """What stands between the angle brackets behind `template`."""
    opens = next_solid(tokens, template + 1)
    depth, end = 0, opens
    for end in range(opens, len(tokens)):
        depth += any(is_sign(tokens, end, sign) for sign in "<(") - any(is_sign(tokens, end, sign) for sign in ">)")
        if depth == 0:
            break
    return opens + 1, end


def kernels(tokens: list[Token]) -> tuple[dict[str, int], dict[str, int]]:
    """Template parameters of each kernel template, and how often each kernel name is defined, or declared otherwise, or
    has default arguments, which no pointer to it has."""
    arity: dict[str, int] = {}
    names: dict[str, int] = {}
    taken: dict[str, set[str]] = {}  # the types of its parameters
    for head in heads(tokens):
        name, close = tokens[head.name_at].text, closing(tokens, head.bracket)
        types = _types(tokens[head.bracket + 1 : close])
        is_other = types not in taken.setdefault(name, {types})
        taken[name].add(types)
        inside = parameters(tokens[head.bracket + 1 : close])
        has_default = any(default_at(piece) < len(piece) for piece in inside)
        defined = is_sign(tokens, next_solid(tokens, close + 1), "{")
        names[name] = names.get(name, 0) + defined + is_other + 2 * has_default
        if head.template is not None:
            arity[name] = len(list(parameters(tokens[slice(*head.template)])))
    return arity, names


def _types(parameters: list[Token]) -> str:
    """The parameters without spaces and their own names, so that a declaration is known as its definition's."""
    out = []
    for piece in split_commas(parameters):
        words = [t.text for t in piece if t.kind not in ("space", "directive")]
        named = len(words) > 1 and words[-1].isidentifier() and words[-2] != "unsigned"
        out.append("".join(words[:-1] if named else words))
    return ",".join(out)


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
