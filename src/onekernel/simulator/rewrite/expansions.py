"""Macros that are written out where they are used: those that declare shared memory, and those that launch,
`#define RUN(kernel, n, ...) kernel<<<1, n>>>(__VA_ARGS__)`: only there is it known which stub to call, and what the
kernel and its arguments are called."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from onekernel.simulator.facts.macros import Macro, body_tokens, macros_of
from onekernel.simulator.facts.tokens import Token, closing, is_sign, next_solid, one_line, split_commas

_UNDEFINED = re.compile(r"#\s*undef\s+(?P<name>\w+)")
_MOST = 300_000
"""Tokens that are read for what macros are given, or written for what they stand for. Beyond, the compiler has them as
they are: a text of few lines may stand for a million."""
Wanted = Callable[[str, Macro, Mapping[str, str]], bool]
"""Whether a macro is to be written out, by its name and by what stands for each of its parameters."""


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


class _TooMany(Exception):
    pass


class _Writing:
    """One text, and the macros in it that are written out."""

    def __init__(self, wanted: Wanted) -> None:
        self.wanted = wanted
        self.left = _MOST
        self.wrote = False

    def out(self, tokens: list[Token], known: Mapping[str, Macro]) -> list[Token]:
        here = dict(known)
        out: list[Token] = []
        i = 0
        while i < len(tokens):
            token = tokens[i]
            if token.kind == "directive":
                here.update(macros_of([token]))
                if undefined := _UNDEFINED.match(token.text):
                    here.pop(undefined["name"], None)
            macro = here.get(token.text) if token.kind == "name" else None
            end, given = _given(macro, tokens, i) if macro else (i + 1, None)
            self._takes(end - i)
            if macro is None or given is None or not self.wanted(token.text, macro, given):
                out.append(token)
                i += 1
                continue
            self.wrote = True
            pieces = [Token(t.kind, t.text, token.line) for t in body_tokens(_replaced(macro, given))]
            self._takes(len(pieces))
            # a macro in its own text is no macro
            out += self.out(pieces, {name: m for name, m in here.items() if name != token.text})
            lines = "\n" * sum(t.text.count("\n") for t in tokens[i:end])  # so that what follows stays where it is
            out.append(Token("space", lines or " ", token.line))
            i = end
        return out

    def _takes(self, tokens: int) -> None:
        self.left -= tokens
        if self.left < 0:
            raise _TooMany


def written_out(tokens: list[Token], known: Mapping[str, Macro], wanted: Wanted) -> list[Token]:
    """The tokens, wanted uses of macros replaced by what they stand for; the same list where there are none.

    `known`: the macros of the file."""
    writing = _Writing(wanted)
    try:
        out = writing.out(tokens, known)
    except (_TooMany, RecursionError):
        return tokens
    return out if writing.wrote else tokens


def _given(macro: Macro, tokens: list[Token], i: int) -> tuple[int, dict[str, str] | None]:
    """The end of a use, and what stands for each parameter; None where it is no use, or there are too few."""
    if macro.parameters is None:
        return i + 1, {}
    bracket = next_solid(tokens, i + 1)
    close = closing(tokens, bracket) if is_sign(tokens, bracket, "(") else len(tokens)
    if close == len(tokens):
        return i + 1, None
    pieces = [one_line(piece) for piece in split_commas(tokens[bracket + 1 : close])]
    if not pieces and len(macro.parameters) == 1 and not macro.takes_rest:
        pieces = [""]
    most = len(macro.parameters) - macro.takes_rest
    if len(pieces) < most or (len(pieces) > most and not macro.takes_rest):
        return close + 1, None
    rest = [", ".join(pieces[most:])] if macro.takes_rest else []
    return close + 1, dict(zip(macro.parameters, pieces[:most] + rest, strict=True))


def _replaced(macro: Macro, given: Mapping[str, str]) -> str:
    body = body_tokens(macro.body)
    out: list[str] = []
    i = 0
    while i < len(body):
        if is_sign(body, i, "#") and is_sign(body, i + 1, "#"):
            while out and not out[-1].strip():
                out.pop()
            i = next_solid(body, i + 2)
            comma = bool(out) and out[-1] == "," and i < len(body)
            if comma and macro.takes_rest and macro.parameters and not given.get(body[i].text, "?"):
                out.pop()  # `, ##__VA_ARGS__` of no arguments
        elif is_sign(body, i, "#") and (name := next_solid(body, i + 1)) < len(body) and body[name].text in given:
            text = given[body[name].text].replace("\\", "\\\\").replace('"', '\\"')
            out.append(f'"{text}"')
            i = name + 1
        else:
            out.append(given.get(body[i].text, body[i].text) if body[i].kind == "name" else body[i].text)
            i += 1
    return "".join(out)
