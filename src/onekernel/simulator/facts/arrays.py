"""The arrays of a file as they are declared, and the names that shared memory and the device's variables have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from onekernel.simulator.facts.statements import expression_end
from onekernel.simulator.facts.tokens import Token, closing

OF_DEVICE = frozenset(("__device__", "__constant__", "__managed__"))
IN_MEMORY = OF_DEVICE | {"__shared__"}
NO_TYPES = frozenset(("return", "else", "case", "new", "delete", "throw", "goto", "sizeof", "do", "operator"))


@dataclass(frozen=True)
class Array:
    """`words`: `extern` and those of memory that stand before the name in its declaration; `extents`: what stands
    between its brackets. It is seen from the token `begin` to the token `end`."""

    name: str
    words: frozenset[str]
    extents: tuple[list[Token], ...]
    line: int
    begin: int
    end: int

    @property
    def is_dynamic(self) -> bool:
        return {"extern", "__shared__"} <= self.words


def arrays(code: list[Token]) -> Iterator[Array]:
    """The arrays that are declared, those too that functions are given by reference. `code` has neither spaces nor
    directives."""
    open_braces: list[int] = []
    ends = {i: closing(code, i) for i, t in enumerate(code) if t.text == "{" and t.kind == "sign"}
    said = [set[str]()]  # in the statement, and in those around the brackets that are open
    declared = -1  # where another declarator of the same statement may begin
    for i, token in enumerate(code):
        if i in ends:
            open_braces.append(i)
        elif open_braces and i == ends[open_braces[-1]]:
            open_braces.pop()
        _take(said, code, i)
        if token.kind != "name" or i + 1 >= len(code) or i == 0:
            continue
        before = code[i - 1]
        by_reference = before.text == "&" and code[i - 2].text == "(" and code[i + 1].text == ")"
        at = i + 2 if by_reference else i + 1
        is_one = by_reference or i == declared or (before.kind == "name" and before.text not in NO_TYPES)
        if not is_one or at >= len(code):
            continue
        if code[at].text != "[":
            if not by_reference and code[at].text in (",", "="):
                declared = expression_end(code, at, len(code), ",;") + 1  # `float sum = 0, parts[4];`
            continue
        extents = []
        while at < len(code) and code[at].text == "[":
            end = closing(code, at)
            extents.append(code[at + 1 : end])
            at = end + 1
        outside = by_reference or not open_braces
        body = next((k for k in range(at, len(code)) if k in ends), len(code)) if outside else open_braces[-1]
        yield Array(token.text, frozenset(said[-1]), tuple(extents), token.line, i + 1, ends.get(body, 0))
        declared = -1 if by_reference else expression_end(code, at, len(code), ",;") + 1


def _take(said: list[set[str]], code: list[Token], i: int) -> None:
    """Keeps what is said of the statement that goes on at `i`."""
    text = code[i].text
    if text in IN_MEMORY or text == "extern":
        said[-1].add(text)
    elif text in ("(", "[", "{"):
        said.append(set())
    elif text in (")", "]", "}") and len(said) > 1:
        said.pop()
    if text == ";" or (text == "}" and (i + 1 == len(code) or code[i + 1].text != ",")):
        said[-1].clear()


def names_of_memory(tokens: Iterable[Token]) -> frozenset[str]:
    """What declarations of shared memory and of the device's variables declare. `__device__ Pair<float, int> f()`
    declares neither `float` nor `int`: commas in angle brackets part no names. Nor is `f` one, or what else stands
    before a `(`: a constructor, which has the name of its class, or the type in `__device__ float (*p)[4]`."""
    names: set[str] = set()
    inside = last = ""
    depth = 0
    for token in tokens:
        if token.kind == "space":
            continue
        ends = (";", "=", "{", "(") if inside == "__device__" else (";", "=", "{")
        if inside and depth <= 0 and token.text in ("[", ",", ";", "=", "{"):
            names.add(last)
        in_memory = token.text in IN_MEMORY
        depth = 0 if in_memory or token.text in ends else depth + (token.text == "<") - (token.text == ">")
        inside = token.text if in_memory else "" if token.text in ends else inside
        last = token.text
    return frozenset(names)
