"""The declarations of a `.cu`: every function and variable in the file, its namespaces and its classes, and on which
side CUDA has it.

Found by their shape; what is not recognised is left out, so that nothing is said about it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice
from types import MappingProxyType

from onekernel.simulator.facts.functions import (
    BOTH,
    DEVICE,
    HOST,
    KERNEL,
    MEMORY,
    NO_NAMES,
    WHOLE,
    Declarations,
    Function,
    Member,
    Variable,
    after_attributes,
    qualifiers_in,
)
from onekernel.simulator.facts.tokens import Token, closing, is_sign, next_solid, previous_solid, solid

# Functions of <math.h> that g++ computes while it compiles and nvcc does not, not even for a constexpr.
MATH = re.compile(
    r"(?:sqrt|cbrt|exp|exp2|exp10|expm1|log|log2|log10|log1p|pow|sin|cos|tan|asin|acos|atan|atan2|sinh|cosh|tanh|erf|erfc"
    r"|floor|ceil|round|trunc|rint|fmod|fabs|fmin|fmax|fma|hypot|ldexp)f?"
)
_NO_VARIABLES = frozenset(("struct", "class", "union", "enum", "extern", "template", "using", "typedef", "friend"))


def declarations(tokens: list[Token], defined: Mapping[str, frozenset[str]]) -> Declarations:
    """Every function and device variable at namespace and class scope. `defined`: what `macros` gives."""
    found = Declarations([], [])
    _scope(tokens, 0, len(tokens), "", defined, found)
    found.definitions = [f for f in found.functions if f.body is not None]
    found.functions = _of_one_mind(found.functions)
    return found


def functions_in(tokens: list[Token], defined: Mapping[str, frozenset[str]] = MappingProxyType({})) -> list[Function]:
    """Every function that is defined among the tokens, in their order."""
    return declarations(tokens, defined).definitions


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
            _declared(tokens, begin, i, None, owner, defined, found)
            begin = i + 1
        elif token.kind == "sign" and token.text == ":" and _labels(tokens, begin, i):
            begin = i + 1
        elif token.kind == "sign" and token.text in "([":
            i = closing(tokens, i)
        elif token.kind == "sign" and token.text == "{":
            close = closing(tokens, i)
            head = _after_templates(tokens, begin)
            inner = _opens_scope(tokens, head, i, owner)
            if inner is not None:
                _scope(tokens, i + 1, min(close, end), inner, defined, found)
                begin = close + 1
            elif _is_body(tokens, head, i):
                if tokens[next_solid(tokens, begin)].text != "catch":  # of the function before it: `int main() try {`
                    _declared(tokens, begin, i, close, owner, defined, found)
                begin = close + 1
            i = close
        i += 1


def _after_whole(tokens: list[Token], i: int) -> int:
    """Behind a macro that stands for whole declarations, with what it is given; 0 where it is given a body."""
    bracket = next_solid(tokens, i + 1)
    end = closing(tokens, bracket) + 1 if is_sign(tokens, bracket, "(") else i + 1
    return 0 if is_sign(tokens, next_solid(tokens, end), "{") else end


def _after_templates(tokens: list[Token], begin: int) -> int:
    """Behind `template <int N = 4>`, whose `=` gives no variable a value."""
    i = next_solid(tokens, begin)
    while i < len(tokens) and tokens[i].kind == "name" and tokens[i].text == "template":
        i = angle_end(tokens, next_solid(tokens, i + 1))
    return i


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
    texts = [t.text for _, t in solid(tokens, begin, brace)]
    if "enum" in texts or not any(t == "(" and not (n and texts[n - 1] in NO_NAMES) for n, t in enumerate(texts)):
        return False
    if "=" in texts and "operator" not in texts:
        return False
    bracket = next(n for n, t in enumerate(texts) if t == "(" and not (n and texts[n - 1] in NO_NAMES))
    if ":" not in texts[bracket:]:
        return True
    before = previous_solid(tokens, brace - 1)  # of P(float a) : m{a} {}: the last braces alone are the body
    return not (tokens[before].kind == "name" or is_sign(tokens, before, ">"))



def _declared(
    tokens: list[Token], begin: int, end: int, close: int | None, owner: str,
    defined: Mapping[str, frozenset[str]], found: Declarations,
) -> None:  # fmt: skip
    """Adds the function or the variable that is declared from `begin` to `end`: its semicolon or opening brace."""
    begin = _after_prefixes(tokens, begin)
    words = [(i, t) for i, t in solid(tokens, begin, end)]
    texts = [t.text for _, t in words]
    if not texts or texts[0] in ("using", "typedef", "friend", "template", "static_assert", "namespace", "return"):
        return
    if close is None and (pointer := _pointer(tokens, words)) is not None:
        texts = [*texts[: pointer[0]], *pointer[1], *(t for t in texts[pointer[0] + 1 :] if t != "(")]
        _variable(texts, words, begin, owner, defined, found, bracketed=True)
        return
    named = _name(texts, defined)
    if named is None or ("=" in texts and texts.index("=") < named and "operator" not in texts):
        if close is None:
            _variable(texts, words, begin, owner, defined, found)
        return
    if close is None and not _declares(texts, named):
        return
    if close is None and qualifiers_in(texts[:named], defined) & MEMORY and _is_value(tokens, words[named + 1][0]):
        _variable(texts[: named + 1], words, begin, owner, defined, found)
        return
    qualifiers = qualifiers_in(texts, defined)
    side = _side(qualifiers)
    if (side == HOST and qualifiers & {"constexpr", "consteval"}) or _defaulted(texts):
        side = BOTH
    at = words[named][0]
    last = tokens[close].line if close is not None and close < len(tokens) else tokens[min(end, len(tokens) - 1)].line
    qualified = named >= 1 and texts[named - 1] == "::"
    if qualified and side == HOST:
        side = BOTH  # the class's own declaration says where it runs
    body = end if close is not None else None
    member = bool(owner) or qualified
    head = tuple(texts[:named])
    asked = _asked(tokens, at, end, close or end) if side == KERNEL else frozenset()
    found.functions.append(
        Function(texts[named], side, tokens[begin].line, last, begin, at, body, member, head, asked)
    )


def _asked(tokens: list[Token], at: int, end: int, close: int) -> frozenset[tuple[str, int]]:
    """The names between a function's own and its body, where its default arguments stand, which the body has not."""
    used = {(t.text, t.line) for t in tokens[end:close] if t.kind == "name"}
    return frozenset((t.text, t.line) for t in tokens[at + 1 : end] if t.kind == "name") - used


def _pointer(tokens: list[Token], words: list[tuple[int, Token]]) -> tuple[int, list[str]] | None:
    """Which of the words opens the brackets in which a variable that points to functions, or to arrays, has its name,
    and what stands in them: of `float (*const table[])(float)` the first ones."""
    for n, (i, token) in enumerate(words):
        if token.kind == "sign" and token.text in "=[{":
            return None
        first = next_solid(tokens, i + 1)
        if n and token.text == "(" and words[n - 1][1].text not in NO_NAMES:
            inner = [t.text for _, t in solid(tokens, first, closing(tokens, i))]
            return (n, inner) if inner[:1] in (["*"], ["&"]) and "(" not in inner else None
    return None


def _is_value(tokens: list[Token], bracket: int) -> bool:
    """Whether a number or a text stands first in a bracket: of a variable's initial value, not of a parameter."""
    first = next_solid(tokens, bracket + 1)
    sign = is_sign(tokens, first, "-") or is_sign(tokens, first, "+")
    return tokens[next_solid(tokens, first + 1) if sign else first].kind in ("number", "string")


def _after_prefixes(tokens: list[Token], begin: int) -> int:
    """Behind `template <...>`, `extern "C"`, `__extension__`, `alignas(...)` and [[attributes]]."""
    i = next_solid(tokens, begin)
    while i < len(tokens):
        if tokens[i].kind == "directive" or tokens[i].text == "__extension__":
            i = next_solid(tokens, i + 1)
        elif tokens[i].kind == "name" and tokens[i].text == "template":
            i = angle_end(tokens, next_solid(tokens, i + 1))
        elif tokens[i].text == "alignas":
            i = next_solid(tokens, closing(tokens, next_solid(tokens, i + 1)) + 1)
        elif tokens[i].text == "extern" and (k := next_solid(tokens, i + 1)) < len(tokens) and tokens[k].text == '"C"':
            i = next_solid(tokens, k + 1)
        elif is_sign(tokens, i, "[") and is_sign(tokens, i + 1, "["):
            i = next_solid(tokens, closing(tokens, i) + 1)
        else:
            return i
    return begin


def angle_end(tokens: list[Token], i: int) -> int:
    """Behind the angle brackets that open at `i`."""
    depth = 0
    while i < len(tokens):
        if tokens[i].kind == "sign" and tokens[i].text in "([{":
            i = closing(tokens, i)
        elif is_sign(tokens, i, "<"):
            depth += 1
        elif is_sign(tokens, i, ">"):
            depth -= 1
            if depth == 0:
                return next_solid(tokens, i + 1)
        elif depth == 0 or is_sign(tokens, i, ";"):
            return i
        i += 1
    return i


def _name(texts: list[str], defined: Mapping[str, frozenset[str]]) -> int | None:
    """Where the function's name stands among the words of its declaration: before the first brackets that are its."""
    if "operator" in texts:
        return texts.index("operator")
    for n, text in enumerate(texts):
        if text == "(" and n and (texts[n - 1][:1].isalpha() or texts[n - 1][:1] == "_"):
            name = texts[n - 1]
            if name not in NO_NAMES and name not in defined:
                return n - 1
    return None


def _declares(texts: list[str], named: int) -> bool:
    """Whether a statement that ends in a semicolon declares a function: a type stands before its name."""
    return named >= 1 and texts[named - 1] not in ("=", "return", "::", ".", "->", "~") and "=" not in texts[:named]


def _defaulted(texts: list[str]) -> bool:
    return "=" in texts and texts[-1] in ("default", "delete", "0")


def _side(qualifiers: frozenset[str]) -> str:
    if "__global__" in qualifiers:
        return KERNEL
    if "__device__" in qualifiers:
        return BOTH if "__host__" in qualifiers else DEVICE
    return HOST


def _calls(texts: list[str], found: Declarations) -> bool:
    """Whether a value calls a function of the host, as those of <math.h> are: then nvcc does not know it."""
    of_host = {f.name for f in found.functions if f.side == HOST}
    before = (texts[n - 1] for n, text in enumerate(texts) if text == "(" and "=" in texts[:n])
    return any(name in of_host or MATH.fullmatch(name) for name in before)


def _variable(
    texts: list[str], words: list[tuple[int, Token]], begin: int, owner: str, defined: Mapping[str, frozenset[str]],
    found: Declarations, *, bracketed: bool = False,
) -> None:  # fmt: skip
    qualifiers = qualifiers_in(texts, defined)
    angle = end = 0
    names = []
    for text in texts:
        if text in ("=", "[", "{") or (text == "," and not angle):
            break
        end += 1
        angle += (text == "<") - (text == ">")
        if not angle and (text[:1].isalpha() or text[:1] == "_") and text not in NO_NAMES:
            names.append(text)
    if len(names) < 2 or names[0] in _NO_VARIABLES or "::" in texts[end - 2 : end]:
        return
    if "(" in after_attributes(texts[:end]):
        return
    if owner:
        found.members.append(Member(names[-1], words[0][1].line, tuple(texts[:end])))
    constant = "__constant__" in qualifiers
    star = max((n for n in range(end) if texts[n] == "*"), default=-1)  # of a pointer to constants none is said
    known = "constexpr" in texts or ("const" in texts[star + 1 :] and not constant and not _calls(texts, found))
    # A constant of the host may be used for its value; an array, by its address. The brackets of an initial value, as
    # in `constexpr int bytes = sizes[1] * 4`, make no array.
    value = known and texts[end : end + 1] != ["["]
    if "__shared__" in texts or (owner and (value or qualifiers & MEMORY or "static" not in texts)):
        return  # of a class, what is static is one variable, as outside of it
    usable = "__managed__" in texts or value or (known and bool(qualifiers & MEMORY))
    side = BOTH if usable else DEVICE if qualifiers & MEMORY else HOST
    found.variables.append(Variable(names[-1], side, words[0][1].line, begin, constant, owner, bracketed))
