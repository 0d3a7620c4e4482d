"""Which lines a compiler will see: `#if` on what the simulated card decides, such as `__CUDA_ARCH__ >= 900`.

A condition that cannot be decided here (a learner's own macro) keeps both of its branches.
"""

from __future__ import annotations

import re
from pathlib import Path

from onekernel.backends.simulator.tokens import Token

_RUNTIME = Path(__file__).with_name("runtime") / "include" / "cuda_runtime.h"
ARCH = int(re.findall(r"#define __CUDA_ARCH__ (\d+)", _RUNTIME.read_text(encoding="utf-8"))[0])
KNOWN = {"__CUDA_ARCH__": ARCH, "__CUDACC__": 1}
"""Macros with a fixed value."""

_DIRECTIVE = re.compile(r"#\s*(ifdef|ifndef|if|elif|else|endif)\b\s*(.*)", re.DOTALL)
_DEFINED = re.compile(r"\bdefined\s*(?:\(\s*(\w+)\s*\)|(\w+))")
_DECIDABLE = re.compile(r"(?:\s|\d+|[<>=!]=|[<>()]|and|or|not)+")


def active(tokens: list[Token]) -> list[Token]:
    """The tokens without those in branches that are certainly left out."""
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
            branches.append((_decide(word, condition), False))
        elif word == "endif" and branches:
            branches.pop()
        elif branches:
            seen, earlier = branches[-1]
            earlier = True if seen or earlier else None if seen is None or earlier is None else False
            now = True if word == "else" else _decide(word, condition)
            branches[-1] = (False if earlier else None if earlier is None and now is not False else now, earlier)
    return kept


def _decide(word: str, condition: str) -> bool | None:
    """Whether a condition holds; None where a name in it is not known."""
    if word != "if" and word != "elif":
        return (condition in KNOWN) == (word == "ifdef") if condition in KNOWN else None

    def defined(match: re.Match[str]) -> str:
        name = match[1] or match[2]
        return "1" if name in KNOWN else name  # an unknown name leaves the condition undecided

    text = _DEFINED.sub(defined, condition)
    for name, value in KNOWN.items():
        text = re.sub(rf"\b{name}\b", str(value), text)
    text = re.sub(r"!(?!=)", " not ", text.replace("&&", " and ").replace("||", " or "))
    if len(text) > 200 or not _DECIDABLE.fullmatch(text):
        return None
    try:
        return bool(eval(text, {"__builtins__": {}}))  # digits, comparisons, brackets and and/or/not alone
    except (SyntaxError, TypeError):
        return None
