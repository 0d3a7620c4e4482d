"""The declarations of a `.cu`: where each stands, in the file, its namespaces and its classes.

Found by their shape; what is not recognised is left out, so that nothing is said about it.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice

from onekernel.simulator.rewrite.declarators import declared
from onekernel.simulator.rewrite.functions import KERNEL, NO_NAMES, WHOLE, Declarations, Function, after_attributes
from onekernel.simulator.rewrite.tokens import Token, closing, is_sign, next_solid, previous_solid, solid


def declarations(tokens: list[Token], defined: Mapping[str, frozenset[str]]) -> Declarations:
    """Every function and device variable at namespace and class scope. `defined`: what `macros` gives."""
    found = Declarations([], [])
    _scope(tokens, 0, len(tokens), "", defined, found)
    found.functions = _of_one_mind(found.functions)
    return found


def _of_one_mind(functions: list[Function]) -> list[Function]:
    """Without those whose declarations disagree: the first may have said what the second leaves out."""
    sides: dict[str, set[str]] = {}
    declared = {f.name for f in functions if f.body is None}
    for f in functions:
        sides.setdefault(f.name, set()).add(f.side)
    return [f for f in functions if f.name not in declared or len(sides[f.name]) == 1 or f.side == KERNEL]


def _scope(
    tokens: list[Token], start: int, end: int, owner: str, defined: Mapping[str, frozenset[str]], found: Declarations
) -> None:
    """Reads the declarations between two tokens: of a file, a namespace, a class."""
    i = begin = start
    while i < end:
        token = tokens[i]
        if token.kind == "directive":
            if next_solid(tokens, begin) == i:
                begin = i + 1
        elif token.kind == "name" and WHOLE in defined.get(token.text, ()) and next_solid(tokens, begin) == i:
            if after := _after_whole(tokens, i):
                begin = after
                i = after - 1
        elif token.kind == "sign" and token.text == ";":
            declared(tokens, begin, i, None, owner, defined, found)
            begin = i + 1
        elif token.kind == "sign" and token.text == ":" and _labels(tokens, begin, i):
            begin = i + 1
        elif token.kind == "sign" and token.text in "([":
            i = closing(tokens, i)
        elif token.kind == "sign" and token.text == "{":
            close = closing(tokens, i)
            inner = _opens_scope(tokens, begin, i, owner)
            if inner is not None:
                _scope(tokens, i + 1, min(close, end), inner, defined, found)
                begin = close + 1
            elif _is_body(tokens, begin, i):
                if tokens[next_solid(tokens, begin)].text != "catch":  # of the function before it: `int main() try {`
                    declared(tokens, begin, i, close, owner, defined, found)
                begin = close + 1
            i = close
        i += 1


def _after_whole(tokens: list[Token], i: int) -> int:
    """Behind a macro that stands for whole declarations, with what it is given; 0 where it is given a body."""
    bracket = next_solid(tokens, i + 1)
    end = closing(tokens, bracket) + 1 if is_sign(tokens, bracket, "(") else i + 1
    return 0 if is_sign(tokens, next_solid(tokens, end), "{") else end


def _labels(tokens: list[Token], begin: int, colon: int) -> bool:
    said = (tokens[i].text for i in range(begin, colon) if tokens[i].kind not in ("space", "directive"))
    words = list(islice(said, 2))  # not all of them for each colon of a long line
    return words in (["public"], ["private"], ["protected"])


def _opens_scope(tokens: list[Token], begin: int, brace: int, owner: str) -> str | None:
    """The owner of what stands in these braces if they are a namespace's, extern "C"'s or a class's, else None."""
    words = [t.text for _, t in solid(tokens, begin, brace)]
    if "namespace" in words or words == ["extern", '"C"']:
        return owner
    for kind in ("struct", "class", "union"):
        if kind in words and "(" not in after_attributes(words[words.index(kind) + 1 :]) and "=" not in words:
            names = [w for w in words[words.index(kind) + 1 :] if w[:1].isalpha() or w[:1] == "_"]
            return next((w for w in names if w not in NO_NAMES), "?")
    return None


def _is_body(tokens: list[Token], begin: int, brace: int) -> bool:
    """Whether these braces hold a function's statements, and not values or a list of names."""
    words = [(i, t) for i, t in solid(tokens, begin, brace)]
    texts = [t.text for _, t in words]
    if "enum" in texts or not any(t == "(" and not (n and texts[n - 1] in NO_NAMES) for n, t in enumerate(texts)):
        return False
    if "=" in texts and "operator" not in texts:
        return False
    bracket = next(n for n, t in enumerate(texts) if t == "(" and not (n and texts[n - 1] in NO_NAMES))
    if ":" not in texts[bracket:]:
        return True
    before = previous_solid(tokens, brace - 1)  # of P(float a) : m{a} {}: the last braces alone are the body
    return not (tokens[before].kind == "name" or is_sign(tokens, before, ">"))
