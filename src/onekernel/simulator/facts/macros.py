"""The macros of a `.cu`: which hold CUDA's qualifiers or whole declarations, and what a use of one stands for, as the
preprocessor would write it out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from onekernel.simulator.facts.functions import MEMORY, QUALIFIERS, WHOLE
from onekernel.simulator.facts.tokens import (
    Token,
    closing,
    is_sign,
    next_solid,
    one_line,
    previous_solid,
    solid,
    split_commas,
    tokenize,
)

DEFINE = re.compile(r"#\s*define\s+(?P<name>\w+)(?P<arguments>\([^)]*\))?(?P<body>(?:[^\n\\]|\\[\s\S])*)")
_DEFINED = re.compile(r"#\s*define\s+(?P<name>\w+)(?P<list>\((?P<parameters>[^)]*)\))?(?P<body>.*)", re.DOTALL)
_UNDEFINED = re.compile(r"#\s*undef\s+(?P<name>\w+)")
_REST = "__VA_ARGS__"
_MOST = 300_000
"""Tokens that are read for what macros are given, or written for what they stand for. Beyond, the compiler has them as
they are: a text of few lines may stand for a million."""


def macros(tokens: Iterable[Token]) -> dict[str, frozenset[str]]:
    """CUDA's qualifiers in the text of each macro that the file defines, those of macros in it included, and WHOLE."""
    bodies: dict[str, set[str]] = {}
    whole: set[str] = set()
    for token in tokens:
        match = DEFINE.match(token.text) if token.kind == "directive" else None
        if match and match["name"] not in QUALIFIERS:  # an editor is told that they are nothing
            body = tokenize(match["body"])
            bodies.setdefault(match["name"], set()).update(t.text for t in body if t.kind == "name")
            if _is_whole(body, match["arguments"] or "", whole):
                whole.add(match["name"])
    known: dict[str, frozenset[str]] = {}

    def of(name: str, seen: frozenset[str]) -> frozenset[str]:
        words = bodies[name]
        inner = (of(w, seen | {w}) for w in words if w in bodies and w not in seen)
        return frozenset(words & (QUALIFIERS | MEMORY)).union(*inner)

    for name in bodies:
        known[name] = of(name, frozenset((name,))) | ({WHOLE} if name in whole else set())
    return known


def _is_whole(body: list[Token], arguments: str, whole: set[str]) -> bool:
    """Whether a macro stands for declarations from their first word to their end: `void f() { }`, or a list for a macro
    that is given, `#define TYPES(X) X(float) X(double)`."""
    last = previous_solid(body, len(body) - 1)
    if last >= 0 and body[last].kind == "sign" and body[last].text in ("}", ";"):
        return True
    given = whole.union(re.findall(r"\w+", arguments))
    words = [t for _, t in solid(body, 0, len(body))]
    return bool(words) and all(t.text in given if n % 2 == 0 else t.text == "(" for n, t in enumerate(words))


@dataclass(frozen=True)
class Macro:
    parameters: tuple[str, ...] | None  # the rest of the arguments last, by the name that the body has for it
    body: str
    takes_rest: bool

    def words(self) -> frozenset[str]:
        return frozenset(t.text for t in body_tokens(self.body) if t.kind == "name")


def macros_of(tokens: Iterable[Token]) -> dict[str, Macro]:
    known: dict[str, Macro] = {}
    for token in tokens:
        if token.kind == "directive" and (match := _DEFINED.match(token.text.replace("\\\n", " "))):
            known[match["name"]] = _macro(match)
    return known


def _macro(match: re.Match[str]) -> Macro:
    if match["list"] is None:
        return Macro(None, match["body"].strip(), False)
    parameters = [p.strip() for p in match["parameters"].split(",")]
    takes_rest = parameters[-1].endswith("...")
    if takes_rest:
        parameters[-1] = parameters[-1].removesuffix("...").strip() or _REST
    return Macro(tuple(p for p in parameters if p), match["body"].strip(), takes_rest)


Wanted = Callable[[str, Macro, Mapping[str, str]], bool]
"""Whether a macro is to be written out, by its name and by what stands for each of its parameters."""


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


def body_tokens(body: str) -> list[Token]:
    """The tokens of a macro's text, where no `#` begins a directive."""
    return tokenize(f";{body}")[1:]


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
