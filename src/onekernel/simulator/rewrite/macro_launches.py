"""A macro that launches one of its parameters, `#define RUN(kernel, n, ...) kernel<<<1, n>>>(__VA_ARGS__)`, is written
out where it is given a kernel that its name alone does not tell: only there is it known which stub to call."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from onekernel.simulator.rewrite.launches import launches
from onekernel.simulator.rewrite.macro_uses import Macro, macros_of, written_out
from onekernel.simulator.rewrite.stubs import has_stub
from onekernel.simulator.rewrite.tokens import Token, one_line, tokenize


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
