"""`kernel<<<grid, block, shared, stream>>>(arguments)` becomes a call that keeps their names and, once,
makes the kernel's parameters of them on the host."""

from __future__ import annotations

from onekernel.simulator.facts.launches import next_launch
from onekernel.simulator.facts.tokens import (
    Token,
    is_sign,
    one_line,
    previous_solid,
    split_commas,
    text_of,
)
from onekernel.simulator.rewrite.stubs import stub_name


def rewrite_launches(tokens: list[Token], template_arity: dict[str, int], names: dict[str, int]) -> list[Token]:
    """Replaces every launch. `template_arity`: template parameters of each kernel template; `names`: how often each
    kernel's name is defined."""
    i = 0
    while launch := next_launch(tokens, i):
        begin, close = launch.begin, launch.close
        kernel, config = tokens[begin : launch.chevrons], tokens[launch.chevrons + 3 : launch.end]
        arguments = tokens[launch.bracket + 1 : close]
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
