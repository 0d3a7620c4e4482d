"""`kernel<<<grid, block, shared, stream>>>(arguments)` becomes a call that keeps their names and, once,
makes the kernel's parameters of them on the host."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from onekernel.simulator.rewrite.stubs import stub_name
from onekernel.simulator.rewrite.tokens import (
    Token,
    closing,
    is_sign,
    next_solid,
    one_line,
    opening,
    previous_solid,
    split_commas,
    text_of,
)


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
    while (i := _chevrons(tokens, i, "<")) < len(tokens):
        begin = _kernel_begin(tokens, i)
        end = _end(tokens, begin, i)
        bracket = next_solid(tokens, end + 3)
        if begin is not None and is_sign(tokens, bracket, "("):
            yield Launch(begin, i, end, bracket, closing(tokens, bracket))
        i += 3


def rewrite_launches(tokens: list[Token], template_arity: dict[str, int], names: dict[str, int]) -> list[Token]:
    """Replaces every launch. `template_arity`: template parameters of each kernel template; `names`: how often each
    kernel's name is defined."""
    i = 0
    while (i := _chevrons(tokens, i, "<")) < len(tokens):
        begin = _kernel_begin(tokens, i)
        end = _end(tokens, begin, i)
        bracket = next_solid(tokens, end + 3)
        if begin is None or not is_sign(tokens, bracket, "("):
            i += 3
            continue
        close = closing(tokens, bracket)
        kernel, config, arguments = tokens[begin:i], tokens[i + 3 : end], tokens[bracket + 1 : close]
        arguments = rewrite_launches(arguments, template_arity, names)
        for token in arguments:
            if token.kind == "name" and token.text == "NULL":
                token.text = "nullptr"
        pieces = split_commas(arguments)
        name = one_line(kernel)
        text = "\\n".join(_escaped(one_line(piece)) for piece in pieces)
        how = (
            f'::__ok::LaunchSite{{"{_escaped(name)}", "{text}", nullptr, ::__ok::Site()}}, '
            f"::__ok::Config({text_of(config)})"
        )
        if not _is_one_function(name, template_arity, names):
            chosen = f"[&](auto ok_type) OK_QUIET {{ return static_cast<decltype(ok_type)>({text_of(kernel)}); }}"
            launcher = f"::__ok::ok_stub_launcher<::__ok::__how>({how}, {chosen})"
            call = f"({_stub_of(kernel)}({launcher}{', ' if pieces else ''}{text_of(arguments)}))"
        else:
            call = f"(::__ok::ok_launcher<::__ok::__how>({how}, {text_of(kernel)}).ok_run({text_of(arguments)}))"
        tokens[begin : close + 1] = [Token("call", call, tokens[begin].line)]
        i = begin + 1
    return tokens


def _stub_of(kernel: list[Token]) -> str:
    """`name::kernel<float>` with the name of the kernel's stub."""
    end = next((i for i in range(len(kernel)) if is_sign(kernel, i, "<")), len(kernel))
    at = previous_solid(kernel, end - 1)
    return f"{text_of(kernel[:at])}{stub_name(kernel[at].text)}{text_of(kernel[at + 1 :])}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")


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


def _is_one_function(name: str, template_arity: dict[str, int], names: dict[str, int]) -> bool:
    """Does the text alone name one function? Not a template whose arguments are deduced, nor an overloaded name."""
    if name.endswith("]"):
        return True  # of an array of kernels
    base = name.split("<")[0].split("::")[-1].strip()
    if names.get(base, 0) > 1:
        return False
    if base not in template_arity:
        return True
    if "<" not in name:
        return False
    inside = name[name.index("<") + 1 : name.rindex(">")]
    depth = count = 0
    for c in inside:
        depth += (c in "<([{") - (c in ">)]}")
        count += c == "," and depth == 0
    return count + 1 >= template_arity[base]
