"""What a line that loads or stores a wmma fragment takes from memory: rows, or columns, at a distance that it is told;
and which fragments' elements are told apart by their numbers, whose order CUDA leaves open.

Source: CUDA C++ Programming Guide, "Warp Matrix Functions".
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from onekernel.simulator.facts import Facts, facts_at
from onekernel.simulator.facts.elements import Element, Store, elements
from onekernel.simulator.facts.statements import expression_end

_CALLS = ("load_matrix_sync", "store_matrix_sync")
_EDGES = {"matrix_a": (0, 2), "matrix_b": (2, 1), "accumulator": (0, 1)}  # rows and columns, of m, n and k
# A place within a tile, made of a lane's number.
_OF_LANE = re.compile(r"\b(?:lane\w*|threadIdx \. x)\b.*?(?:[/%&]|> >) (?:[248]|16|[137]|15)\b")
_ALIKE = ("lane", "warp", "warpId", "warp_id")  # the lane's own number, and its warp's
PAGE = "06-07-tensor-cores#tensor-cores"


@dataclass(frozen=True)
class Taken:
    """`lines` of `each` neighbouring elements, 0 where the fragment's shape is not known; `apart`, from one to the
    next, as the line says it, and as a number, 0 where it is none."""

    call: str
    apart: str
    distance: int
    lines: int = 0
    each: int = 0

    @property
    def need(self) -> int:
        """The elements from the first to the last; 0 where that is not known."""
        return (self.lines - 1) * self.distance + self.each if self.lines and self.distance else 0


def taken(file: str | None, number: int | None) -> Taken | None:
    """What the line's only call moves; None where it has none, or several."""
    calls = facts_at(file).called(*_CALLS, line=number)
    if len(calls) != 1 or len(arguments := calls[0].given) < 3:
        return None
    name, apart = arguments[calls[0].name.startswith("store")], arguments[2]
    by_row = len(arguments) > 3 and "row" in arguments[3] if len(arguments) > 3 else None
    return Taken(calls[0].name, apart, _number(file, apart), *_shape(file, name, by_row))


def _number(file: str | None, text: str) -> int:
    value = facts_at(file).numbers.get(text, text).rstrip("uUlL")
    return int(value) if value.isdigit() else 0


def _shape(file: str | None, name: str, by_row: bool | None) -> tuple[int, int]:
    """Of the fragment that the file declares by that name: how many rows, or columns, and the elements of one."""
    word = re.match(r"\w+", name)
    kinds = ("".join(one.type) for one in facts_at(file).named if word and one.name == word[0])
    declared = [found[1] for found in map(re.compile(r".*\bfragment<(.*)>").fullmatch, kinds) if found]
    if len(set(declared)) != 1:
        return 0, 0
    use, *sizes = (part.strip().rpartition("::")[2] for part in declared[0].split(","))
    if use not in _EDGES or len(sizes) < 3:
        return 0, 0
    numbers = [_number(file, text) for text in sizes[:3]]
    rows, columns = (numbers[n] for n in _EDGES[use])
    by_row = "row" in sizes[-1] if by_row is None else by_row
    return (rows, columns) if by_row else (columns, rows)


def told_apart(facts: Facts) -> list[tuple[int, str]]:
    """The first line for each fragment, and its name, whose elements are told apart by their number: one that is set to
    something else through a pointer of another type, or at a number of its own, or that stands beside a row or a column
    made of the lane's number. What all of them go through alike, in a loop, depends on no order."""
    names, places = _fragments(facts), {name for name in _places(facts) if name not in _ALIKE}
    found = {
        (s.line, _root(s.target)) for s in facts.stores
        if s.sets and s.target.name == "x" and s.target.groups and _tells_apart(facts, s)
    }  # fmt: skip
    for line in {token.line for token in facts.code if token.text in places}:
        found |= {(line, _root(e)) for e in facts.elements("x", line)}
    first: dict[str, int] = {}
    for line, name in sorted(found):
        if name in names:
            first.setdefault(name, line)
    return [(line, name) for name, line in first.items()]


def _root(element: Element) -> str:
    """The fragment of `f.x[i]` and of `f[j].x[i]`."""
    return re.split(r"\W", element.base)[0]


def _places(facts: Facts) -> set[str]:
    """What is given places within a tile, made of a lane's number."""
    given = ((s.target.name, " ".join(t.text for t in facts.code[slice(*s.value)])) for s in facts.stores if s.sets)
    return {name for name, value in given if _OF_LANE.search(value)}


def _tells_apart(facts: Facts, store: Store) -> bool:
    """Whether an element of a fragment is set to what is neither one of its own nor a number, by another type's pointer
    or at a number."""
    target, value = store.target, facts.code[slice(*store.value)]
    own = any(_root(e) == _root(target) for e in elements(facts.code, "x", *store.value))
    number = [t.kind for t in value if t.text != "-"] == ["number"]
    index = facts.code[target.groups[-1][0] + 1 : target.groups[-1][1]]
    numbered = [t.kind for t in index] == ["number"] or any(t.text in "*/%&^+" for t in index)
    return not own and not number and (numbered or facts.code[target.begin - 1].text == "&")


def _fragments(facts: Facts) -> list[str]:
    """The names of variables that are fragments, or arrays of them."""
    code, kinds = facts.code, {"fragment"}
    for i, word in enumerate(code):
        end = expression_end(code, i, len(code), ";") if word.text in ("using", "typedef") else i
        if any(t.text == "fragment" for t in code[i:end]):
            kinds.add(code[i + 1 if word.text == "using" else end - 1].text)
    return sorted({one.name for one in facts.named if kinds & {*one.type} and not one.is_parameter})
