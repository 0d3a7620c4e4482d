"""What a line that loads or stores a wmma fragment takes from memory: rows, or columns, at a distance that it is told.

Source: CUDA C++ Programming Guide, "Warp Matrix Functions".
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from onekernel.simulator.facts import facts_at

_CALLS = ("load_matrix_sync", "store_matrix_sync")
_EDGES = {"matrix_a": (0, 2), "matrix_b": (2, 1), "accumulator": (0, 1)}  # rows and columns, of m, n and k
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
