"""The variables and parameters that a text declares, each with the words of its type, and how a text changes one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from onekernel.simulator.facts.declarations import angle_end
from onekernel.simulator.facts.functions import Function, name_of
from onekernel.simulator.facts.statements import expression_end
from onekernel.simulator.facts.tokens import Token, closing

INDICES = ("threadIdx", "blockIdx", "blockDim", "gridDim")
"""The places of a thread and a block, and their sizes: what CUDA declares in every kernel."""
INTEGERS = {
    "char": 1, "int8_t": 1, "uint8_t": 1, "short": 2, "int16_t": 2, "uint16_t": 2, "int": 4, "signed": 4, "unsigned": 4,
    "int32_t": 4, "uint32_t": 4, "uint": 4, "long": 8, "int64_t": 8, "uint64_t": 8, "size_t": 8, "ptrdiff_t": 8,
}  # fmt: skip
"""The words of whole types, and the bytes of each."""
_BESIDE = frozenset(("const", "volatile", "static", "constexpr", "extern", "inline", "register", "__shared__",
                     "struct", "class", "union", "enum"))  # fmt: skip
_NO_TYPES = frozenset(
    """
return else case new delete throw goto sizeof do operator using typedef namespace template break continue default if
for while switch public private protected
    """.split()  # noqa: SIM905
)
_BEHIND = ("=", ";", ",", "[", "{", ":", ")", "(")


@dataclass(frozen=True)
class Named:
    """`type`: the words before the name, `*` and `&` among them; `at`: the name's token, of those of Facts.code."""

    name: str
    type: tuple[str, ...]
    at: int
    line: int
    is_array: bool = False
    is_parameter: bool = False

    @property
    def is_integer(self) -> bool:
        """Whether it is one number of a whole type, or an array of them."""
        return is_integer(self.type)


def is_integer(words: Iterable[str]) -> bool:
    """Whether a type of these words is one whole number."""
    kind = {*words} - _BESIDE
    return bool(kind) and kind <= INTEGERS.keys()


def named(code: list[Token], functions: Sequence[Function]) -> list[Named]:
    """What statements declare, and the parameters of the functions, in their order."""
    bodies = [range(*function.braces(code)) for function in functions]
    found = [one for i in _begins(code) for one in _declared(code, i, bodies)]
    for function in functions:
        at = function.name_at
        for parameter in function.parameters(code):
            name = name_of(parameter)
            at = next((k for k in range(at + 1, len(code)) if code[k] is parameter[0]), at)
            k = next((k for k in range(len(parameter) - 1, 0, -1) if parameter[k].text == name), 0)
            if k:
                words = tuple(t.text for t in parameter[:k])
                array = parameter[k + 1 : k + 2] != [] and parameter[k + 1].text == "["
                found.append(Named(name, words, at + k, parameter[k].line, array, True))
    return sorted(found, key=lambda one: one.at)


def _begins(code: list[Token]) -> Iterator[int]:
    """Where a statement begins with a name, or the first part of a `for`."""
    depth = 0  # of round brackets: what a `;` in them begins is a condition
    for i, token in enumerate(code):
        before = code[i - 1].text if i else ";"
        depth = 0 if before in ("{", "}") else max(0, depth + (before == "(") - (before == ")"))
        label = before == ":" and i > 1 and code[i - 2].text in ("public", "private", "protected")
        starts = before in ("{", "}") or (before == ";" and not depth) or label
        if token.kind == "name" and (starts or (before == "(" and i > 1 and code[i - 2].text == "for")):
            yield i


def _has_value(code: list[Token], at: int) -> bool:
    """Whether the name is no function's: no brackets follow, or such as hold one value, `v(n)`."""
    inside = [t.text for t in code[at + 1 : at + 4]]
    return inside[:1] != ["("] or (inside[2:] == [")"] and inside[1] not in INTEGERS)


def _declared(code: list[Token], i: int, bodies: Sequence[range]) -> Iterator[Named]:
    words: list[str] = []
    k, name = i, -1
    while k < len(code) and (code[k].kind == "name" or code[k].text in ("::", "*", "&", "<", "(")):
        text = code[k].text
        if text in _NO_TYPES:
            return
        if text == "(" and code[k - 1].text not in ("alignas", "__align__"):
            break
        if text in ("<", "("):
            end = angle_end(code, k) if text == "<" else expression_end(code, k + 1, len(code), ")") + 1
            if text == "<":
                words += [t.text for t in code[k:end]]
            else:
                words.pop()  # an alignment is not the type's
            k = end
            continue
        name = k if code[k].kind == "name" else -1
        words.append(text)
        k += 1
    typed = words[:-1]
    if name < 0 or not any(w.isidentifier() and w not in _BESIDE for w in typed) or typed[-1] == "::":
        return
    if not _has_value(code, name) and not any(name in body for body in bodies):
        return  # a function
    while name < len(code) and code[name].kind == "name" and k < len(code) and code[k].text in _BEHIND:
        yield Named(code[name].text, tuple(typed), name, code[name].line, code[k].text == "[")
        comma = expression_end(code, k, len(code), ",;)")
        if comma >= len(code) or code[comma].text != ",":
            return
        name = comma + 1
        typed = [w for w in typed if w not in ("*", "&")]
        while name < len(code) and code[name].text in ("*", "&"):
            typed.append(code[name].text)
            name += 1
        k = name + 1


def after_brackets(code: list[Token], at: int) -> int:
    """Behind the name at `at` and the brackets of its element."""
    at += 1
    while at < len(code) and code[at].text == "[":
        at = closing(code, at) + 1
    return at
