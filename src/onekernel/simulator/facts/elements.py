"""The elements that a text names, `v[i]`, `*p`, `soa.x[i]`, and the stores into variables and elements: `=`, `+=`, `++`
and their kin. Tokens are those without spaces and directives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from onekernel.simulator.facts.statements import expression_end
from onekernel.simulator.facts.tokens import Token, closing, opening, text_of

_PAIRS = {")": "(", "]": "[", "}": "{"}
STEPS = ("++", "--")
_COMPOUND = ("+", "-", "*", "/", "%", "&", "|", "^")
_MEMBER = (".", "->", "::")
_NO_OPERANDS = frozenset(("return", "else", "do", "case", "throw", "delete", "co_return"))


@dataclass(frozen=True)
class Element:
    """What stands from the token `begin` up to `end`; `name`: of the array or the pointer; `base`: the same with the
    object that it is a member of, `soa.x` of `soa.x[i]`; `text` has no spaces."""

    name: str
    base: str
    text: str
    begin: int
    end: int
    groups: tuple[tuple[int, int], ...]  # its brackets: where each opens and closes

    @property
    def is_variable(self) -> bool:
        """Whether it is all of a variable."""
        return self.text == self.base


@dataclass(frozen=True)
class Store:
    """What is changed, on the line where that begins, by which sign, `=`, `+=`, `<<=` or `++`; `value`: the first token
    of what it is given and the one behind it, the same of a step."""

    target: Element
    line: int
    sign: str
    value: tuple[int, int]
    declares: bool = False  # what it gives its first value

    @property
    def sets(self) -> bool:
        """Whether what was there before is gone."""
        return self.sign == "="


def stores(code: list[Token]) -> Iterator[Store]:
    """In the order of their signs; what a declaration gives a variable, and a default argument, are among them."""
    commas: dict[int, bool] = {}
    given = end = 0
    for i, token in enumerate(code):
        if token.kind != "sign" or i + 1 >= len(code):
            continue
        before, after = code[i - 1].text if i else "", code[i + 1].text
        if token.text == "=" and after != "=" and before not in ("", "=", "!", "[", "operator"):
            sign = _sign(code, i)
            target = _ending(code, i - len(sign) + 1) if sign else None
            if target is not None:
                if target.begin != given:  # of `a = b = c` the values end alike
                    end = expression_end(code, i + 1, len(code), (";", ",", ")", "]", "}"))
                given = i + 1
                declares = _is_declared(code, target.begin - 1, commas)
                yield Store(target, code[target.begin].line, sign, (i + 1, end), declares)
        elif token.text in "+-" and after == token.text and before != token.text:
            target = _stepped(code, i)
            if target is not None:
                yield Store(target, code[target.begin].line, token.text * 2, (i + 2, i + 2))


def _is_declared(code: list[Token], before: int, commas: dict[int, bool]) -> bool:
    """Whether a type ends there: what stands behind it is declared. So is what a comma parts from such a name; `commas`
    that are known to do so, or not, are not looked behind again."""
    while before > 0 and code[before].text in ("*", "&", ">"):
        before -= 1
    if before < 0 or code[before].text != ",":
        return before >= 0 and code[before].kind == "name" and code[before].text not in _NO_OPERANDS
    comma = before
    while before >= 0 and code[before].text not in (";", "{", "(", "[") and before not in commas:
        if code[before].text == "}" and code[before + 1].text != ",":
            break  # of a block, and not of values
        opens = _PAIRS.get(code[before].text)
        before = opening(code, before, opens, code[before].text) - 1 if opens else before - 1
    one, two = code[before + 1 : before + 3]
    typed = two.kind == "name" or two.text in ("*", "&", "::", "<")
    commas[comma] = commas.get(before, typed and one.kind == "name" and one.text not in _NO_OPERANDS)
    return commas[comma]


def _sign(code: list[Token], i: int) -> str:
    """The sign that ends with the `=` at `i`; "" of a comparison."""
    before = code[i - 1].text
    if before in ("<", ">"):
        return before * 2 + "=" if code[i - 2].text == before else ""
    return before + "=" if code[i - 1].kind == "sign" and before in _COMPOUND else "="


def _stepped(code: list[Token], i: int) -> Element | None:
    """What the `++` or `--` at `i` steps: before it, or behind it; nothing where the signs are a sum's."""
    ends = i + 2
    if is_operand(code, i - 1):
        behind = ends < len(code) and (code[ends].kind in ("name", "number") or code[ends].text == "(")
        return None if behind else _ending(code, i)
    while ends < len(code) and code[ends].text in ("*", "("):
        ends += 1
    if ends >= len(code) or code[ends].kind != "name":
        return None
    ends += 1
    while ends < len(code) and code[ends].text in ("[", ".", "->"):
        ends = closing(code, ends) + 1 if code[ends].text == "[" else ends + 2
    return _ending(code, min(ends, len(code)))


def is_operand(code: list[Token], i: int, before_store: bool = False) -> bool:
    """Whether a value may end at `i`."""
    if i < 0 or code[i].text in _NO_OPERANDS:
        return False
    ends = code[i].text == "]" or (code[i].text == ")" and not before_store)
    return ends or code[i].kind in ("name", "number")


def _ending(code: list[Token], end: int) -> Element | None:
    """The variable or the element that ends before `end`; None of another expression."""
    i, groups = end - 1, list[tuple[int, int]]()
    while i > 0 and code[i].text == "]":
        opens = opening(code, i, "[", "]")
        groups.insert(0, (opens, i))
        i = opens - 1
    if i > 0 and code[i].text == ")":  # (*p)
        opens, named = opening(code, i, "(", ")"), i - 1
        inner = code[opens + 1 : i]
        if opens > 0 and code[opens - 1].text in (")", ">") and inner and inner[0].text == "&":
            return _ending(code, i)  # *(T*)(&v[i]), *reinterpret_cast<T*>(&v[i])
        if opens < 1 or len(inner) < 2 or inner[0].text != "*" or inner[-1].kind != "name":
            return None
        return _element(code, named, opens, end, groups)
    return _element(code, i, i, end, groups, stored=True) if i >= 0 and code[i].kind == "name" else None


def _element(
    code: list[Token], named: int, begin: int, end: int, groups: list[tuple[int, int]], stored: bool = False
) -> Element:
    """The one whose name stands at `named`, with the object before it, and the `*` that follows a pointer: of one that
    is `stored` into, a bracket before that is no factor's, but a test's."""
    first = named
    while first > 1 and code[first - 1].text in _MEMBER:
        first -= 2
        while first > 0 and code[first].text in ("]", ")"):
            first = opening(code, first, *("[", "]") if code[first].text == "]" else ("(", ")")) - 1
        if first < 0 or code[first].kind != "name":
            first = named
            break
    begin = min(begin, first)
    while begin > 0 and code[begin - 1].text == "*" and not is_operand(code, begin - 2, stored):
        begin -= 1
    return Element(
        code[named].text, text_of(code[first : named + 1]), text_of(code[begin:end]), begin, end, tuple(groups)
    )


def elements(code: list[Token], name: str, begin: int, end: int) -> Iterator[Element]:
    """What is named so between two tokens: its elements, and all of it where neither brackets nor `*` stand there. What
    stands between an element's own brackets is left out."""
    i = begin
    while i < end:
        if code[i].kind != "name" or code[i].text != name:
            i += 1
            continue
        groups, at = list[tuple[int, int]](), i + 1
        while at < end and code[at].text == "[":
            groups.append((at, closing(code, at)))
            at = groups[-1][1] + 1
        yield _element(code, i, i, at, groups)
        i = at


def changes(code: list[Token], name: str) -> list[str]:
    """The signs by which the tokens change a variable: `=`, `+=`, `++` and so on."""
    return [store.sign for store in stores(code) if store.target.name == name and store.target.is_variable]
