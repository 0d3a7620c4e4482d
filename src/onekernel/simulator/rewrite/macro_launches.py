"""A macro that launches one of its parameters, `#define RUN(kernel, n, ...) kernel<<<1, n>>>(__VA_ARGS__)`, is written
out where it is given a kernel that its name alone does not tell: only there is it known which stub to call."""

from __future__ import annotations

import re
from dataclasses import dataclass

from onekernel.simulator.rewrite.launches import launches
from onekernel.simulator.rewrite.stubs import has_stub
from onekernel.simulator.rewrite.tokens import Token, closing, is_sign, next_solid, one_line, split_commas, tokenize

_DEFINED = re.compile(r"#\s*define\s+(?P<name>\w+)\((?P<parameters>[^)]*)\)(?P<body>.*)", re.DOTALL)
_REST = "__VA_ARGS__"


@dataclass(frozen=True)
class _Macro:
    parameters: tuple[str, ...]  # the rest of the arguments last, by the name that the body has for it
    body: str
    takes_rest: bool
    launched: frozenset[str]  # parameters that the body launches


def written_out(
    tokens: list[Token], everything: list[Token], template_arity: dict[str, int], names: dict[str, int]
) -> list[Token]:
    """The tokens, such uses of macros replaced by what they stand for. `everything`: those of included files, too."""
    macros = dict(filter(None, (_macro(t.text) for t in everything if t.kind == "directive" and "<<<" in t.text)))
    out: list[Token] = []
    i = 0
    while macros and i < len(tokens):
        bracket = next_solid(tokens, i + 1)
        macro = macros.get(tokens[i].text) if tokens[i].kind == "name" and is_sign(tokens, bracket, "(") else None
        given = _given(macro, tokens[bracket + 1 : closing(tokens, bracket)]) if macro else None
        if macro and given and any(_has_stub(given[p], template_arity, names) for p in macro.launched):
            end = closing(tokens, bracket) + 1
            lines = "\n" * sum(t.text.count("\n") for t in tokens[i:end])  # so that what follows stays where it is
            out += [Token(t.kind, t.text, tokens[i].line) for t in tokenize(_replaced(macro, given))]
            out.append(Token("space", lines, tokens[i].line))
            i = end
        else:
            out.append(tokens[i])
            i += 1
    return out if macros else tokens


def _macro(directive: str) -> tuple[str, _Macro] | None:
    match = _DEFINED.match(directive.replace("\\\n", " "))
    if not match or "#" in match["body"]:
        return None
    parameters = [p.strip() for p in match["parameters"].split(",")]
    takes_rest = parameters[-1].endswith("...")
    if takes_rest:
        parameters[-1] = parameters[-1].removesuffix("...").strip() or _REST
    body = tokenize(match["body"])
    launched = {one_line(body[at.begin : at.chevrons]) for at in launches(body)} & set(parameters)
    made = _Macro(tuple(parameters), match["body"].strip(), takes_rest, frozenset(launched))
    return (match["name"], made) if launched else None


def _given(macro: _Macro, inside: list[Token]) -> dict[str, str] | None:
    """What stands for each parameter; None where there are too few."""
    pieces = [one_line(piece) for piece in split_commas(inside)]
    most = len(macro.parameters) - macro.takes_rest
    if len(pieces) < most or (len(pieces) > most and not macro.takes_rest):
        return None
    rest = [", ".join(pieces[most:])] if macro.takes_rest else []
    return dict(zip(macro.parameters, pieces[:most] + rest, strict=True))


def _has_stub(kernel: str, template_arity: dict[str, int], names: dict[str, int]) -> bool:
    base = kernel.partition("<")[0].rpartition("::")[2].strip()
    return has_stub(base, template_arity, names)


def _replaced(macro: _Macro, given: dict[str, str]) -> str:
    return "".join(given.get(t.text, t.text) if t.kind == "name" else t.text for t in tokenize(macro.body))
