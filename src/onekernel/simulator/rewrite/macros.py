"""Macros that are written out where they are used: those that declare shared memory, and those that launch a kernel
that they are given, `#define RUN(kernel, n, ...) kernel<<<1, n>>>(__VA_ARGS__)`: only there is it known which stub to
call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

from onekernel.simulator.facts.kernels import launches
from onekernel.simulator.facts.macros import Macro, body_tokens, macros_of, written_out
from onekernel.simulator.facts.tokens import Token, one_line, tokenize
from onekernel.simulator.rewrite.launches import has_stub


def with_arenas(tokens: list[Token], everything: Iterable[Token]) -> list[Token]:
    """The tokens, macros that declare shared memory or are given one that does written out: `__shared__` itself by
    another name, an array of any type, a whole kernel."""
    known = macros_of(everything)
    words = {name: macro.words() for name, macro in known.items()}
    sharing: set[str] = set()
    while more := {n for n, said in words.items() if n not in sharing and said & (sharing | {"__shared__"})}:
        sharing |= more

    def wanted(name: str, macro: Macro, given: Mapping[str, str]) -> bool:
        return name in sharing or any(t.text in sharing for text in given.values() for t in body_tokens(text))

    return written_out(tokens, known, wanted) if sharing else tokens


def with_launches(
    tokens: list[Token], everything: list[Token], template_arity: dict[str, int], names: dict[str, int]
) -> list[Token]:
    """The tokens, such uses of macros replaced by what they stand for. `everything`: those of included files, too."""

    def wanted(name: str, macro: Macro, given: Mapping[str, str]) -> bool:
        return any(_has_stub(given[p], template_arity, names) for p in _launched(macro) if p in given)

    known = {name: m for name, m in macros_of(everything).items() if "<<<" in m.body}
    return written_out(tokens, known, wanted) if known else tokens


@cache
def _launched(macro: Macro) -> frozenset[str]:
    """The parameters that a macro launches."""
    if macro.parameters is None or "<<<" not in macro.body:
        return frozenset()
    body = tokenize(macro.body)
    return frozenset(one_line(body[at.begin : at.chevrons]) for at in launches(body)) & frozenset(macro.parameters)


def _has_stub(kernel: str, template_arity: dict[str, int], names: dict[str, int]) -> bool:
    base = kernel.partition("<")[0].rpartition("::")[2].strip()
    return has_stub(base, template_arity, names)
