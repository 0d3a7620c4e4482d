"""The launches of a `.cu`, `kernel<<<grid, block, shared, stream>>>(arguments)`: where each part stands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from onekernel.simulator.facts.tokens import Token, closing, is_sign, next_solid, opening, previous_solid


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
        begin = _kernel_begin(tokens, i)
        end = _end(tokens, begin, i)
        bracket = next_solid(tokens, end + 3)
        if begin is not None and is_sign(tokens, bracket, "("):
            return Launch(begin, i, end, bracket, closing(tokens, bracket))
        i += 3
    return None


def _end(tokens: list[Token], begin: int | None, chevrons: int) -> int:
    """Where the chevrons of a launch close. Not looked for where no kernel stands before them: a thousand of them in a
    row would each walk to the end of the file."""
    return len(tokens) if begin is None else _chevrons(tokens, chevrons + 3, ">", outside_brackets=True)


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
