"""The kernels of a file by their declarations: the parameters of each, and of its template."""

from __future__ import annotations

from onekernel.simulator.facts.functions import default_at, parameters
from onekernel.simulator.facts.tokens import Token, closing, is_sign, next_solid, one_line, previous_solid, split_commas


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
