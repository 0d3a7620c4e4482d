"""Macros that are written out where they are used: those that declare shared memory, and those that launch,
`#define RUN(kernel, n, ...) kernel<<<1, n>>>(__VA_ARGS__)`: only there is it known which stub to call, and what the
kernel and its arguments are called."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from onekernel.simulator.facts.macros import Macro, body_tokens, macros_of, written_out
from onekernel.simulator.facts.tokens import Token


def with_arenas(tokens: list[Token], everything: Iterable[Token]) -> list[Token]:
    """The tokens, macros that declare shared memory or are given one that does written out: `__shared__` itself by
    another name, an array of any type, a whole kernel."""
    known = macros_of(everything)
    sharing = _using({"__shared__"}, known)

    def wanted(name: str, macro: Macro, given: Mapping[str, str]) -> bool:
        return name in sharing or any(t.text in sharing for text in given.values() for t in body_tokens(text))

    return written_out(tokens, known, wanted) if sharing else tokens


def with_launches(tokens: list[Token], everything: list[Token]) -> list[Token]:
    """The tokens, uses of macros that launch replaced by what they stand for: so the launch has the names given there.
    `everything`: the tokens of included files, too."""
    known = macros_of(everything)
    launching = _using({name for name, macro in known.items() if "<<<" in macro.body}, known)

    def wanted(name: str, macro: Macro, given: Mapping[str, str]) -> bool:
        return name in launching or not launching.isdisjoint(given.values())

    return written_out(tokens, known, wanted) if launching else tokens


def _using(names: set[str], known: Mapping[str, Macro]) -> set[str]:
    """The macros whose texts have one of these names, or that of a macro whose text has."""
    words = {name: macro.words() for name, macro in known.items()}
    found = names & known.keys()
    while more := {n for n, said in words.items() if n not in found and said & (found | names)}:
        found |= more
    return found
