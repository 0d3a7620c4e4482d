"""The macros of a `.cu`: their parameters and texts, and which hold CUDA's qualifiers or whole declarations."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from onekernel.simulator.facts.functions import MEMORY, QUALIFIERS, WHOLE
from onekernel.simulator.facts.tokens import (
    Token,
    previous_solid,
    solid,
    tokenize,
)

DEFINE = re.compile(r"#\s*define\s+(?P<name>\w+)(?P<arguments>\([^)]*\))?(?P<body>(?:[^\n\\]|\\[\s\S])*)")
_DEFINED = re.compile(r"#\s*define\s+(?P<name>\w+)(?P<list>\((?P<parameters>[^)]*)\))?(?P<body>.*)", re.DOTALL)
_REST = "__VA_ARGS__"


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


def body_tokens(body: str) -> list[Token]:
    """The tokens of a macro's text, where no `#` begins a directive."""
    return tokenize(f";{body}")[1:]
