"""Which lines a compiler will see: `#if` on what the simulated card decides, such as `__CUDA_ARCH__ >= 900`.

A condition that cannot be decided here (a learner's own macro) keeps both of its branches. nvcc compiles a file for the
host, too, and there `__CUDA_ARCH__` is no macro.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from onekernel.simulator.arch import ARCHITECTURES, DEFAULT, FEATURES
from onekernel.simulator.facts.tokens import Token

CARD = "__CUDA_ARCH__"
HOST_VIEW = "host"
"""Stands for a card in `active`: what nvcc compiles for the host."""
_DIRECTIVE = re.compile(r"#\s*(ifdef|ifndef|if|elif|else|endif)\b\s*(.*)", re.DOTALL)
_DEFINED = re.compile(r"\bdefined\s*(?:\(\s*(\w+)\s*\)|(\w+))")
_FEATURE = re.compile(r"__CUDA_ARCH_FEAT_\w+")  # of builds for one card alone, as sm_90a
_NO_MACRO = "OK_NO_CARD"
_ELSEWHERE = ("_WIN32", "_WIN64", "WIN32", "WIN64", "_MSC_VER")  # nothing is simulated on Windows
_DECIDABLE = re.compile(r"(?:\s|\d+|[<>=!]=|[<>()]|and|or|not)+")


def active(tokens: list[Token], arch: str = DEFAULT) -> list[Token]:
    """The tokens without those in branches that are certainly left out on the card `arch`, or on the host."""
    # Macros with a fixed value; None where there is no such macro.
    known: dict[str, int | None] = {CARD: ARCHITECTURES.get(arch), "__CUDACC__": 1, **dict.fromkeys(_ELSEWHERE)}
    if arch in FEATURES:
        known[FEATURES[arch]] = 1
    kept: list[Token] = []
    branches: list[tuple[bool | None, bool | None]] = []  # (this branch is seen, an earlier one was)
    for token in tokens:
        match = _DIRECTIVE.match(token.text) if token.kind == "directive" else None
        if match is None:
            if all(seen is not False for seen, _ in branches):
                kept.append(token)
            continue
        word, condition = match[1], re.sub(r"//.*|/\*.*?\*/", "", match[2], flags=re.DOTALL).strip()
        if word in ("if", "ifdef", "ifndef"):
            branches.append((_decide(word, condition, known), False))
        elif word == "endif" and branches:
            branches.pop()
        elif branches:
            seen, earlier = branches[-1]
            earlier = True if seen or earlier else None if seen is None or earlier is None else False
            now = True if word == "else" else _decide(word, condition, known)
            branches[-1] = (False if earlier else None if earlier is None and now is not False else now, earlier)
    return kept


def _decide(word: str, condition: str, known: Mapping[str, int | None]) -> bool | None:
    """Whether a condition holds; None where a name in it is not known."""

    def is_defined(name: str) -> bool | None:
        if name in known:
            return known[name] is not None
        return False if _FEATURE.fullmatch(name) else None

    if word != "if" and word != "elif":
        there = is_defined(condition)
        return None if there is None else there == (word == "ifdef")

    def defined(match: re.Match[str]) -> str:
        name = match[1] or match[2]
        there = is_defined(name)
        return name if there is None else str(int(there))  # an unknown name leaves the condition undecided

    text = _DEFINED.sub(defined, condition)
    for name, value in known.items():
        text = re.sub(rf"\b{name}\b", str(value or 0), text)
    text = re.sub(r"!(?!=)", " not ", text.replace("&&", " and ").replace("||", " or "))
    if len(text) > 200 or not _DECIDABLE.fullmatch(text):
        return None
    try:
        return bool(eval(text, {"__builtins__": {}}))  # digits, comparisons, brackets and and/or/not alone
    except (SyntaxError, TypeError):
        return None


def of_no_card(directive: str) -> str:
    """The directive with macros that nobody defines in the place of those that a card has."""
    return _FEATURE.sub(_NO_MACRO, directive).replace(CARD, _NO_MACRO)


def asks_for_the_card(token: Token) -> bool:
    """Whether the token is an `#if` or its kin that names `__CUDA_ARCH__`, or what one card alone defines."""
    named = CARD in token.text or _FEATURE.search(token.text) is not None
    return token.kind == "directive" and named and _DIRECTIVE.match(token.text) is not None
