"""What a line that loads or stores a wmma fragment takes from memory: rows, or columns, at a distance that it is told.

Source: CUDA C++ Programming Guide, "Warp Matrix Functions".
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from onekernel.simulator.facts.file import facts_at

_CALL = re.compile(r"\b(?P<call>(?:load|store)_matrix_sync)\s*\(")
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
    """What the line's only call moves; None where it has none, several, or one that goes on below it."""
    line = facts_at(file).line(number)
    calls = [*_CALL.finditer(line)]
    arguments = _arguments(line, calls[0].end()) if len(calls) == 1 else None
    if arguments is None or len(arguments) < 3:
        return None
    name, apart = arguments[calls[0]["call"].startswith("store")], arguments[2]
    by_row = len(arguments) > 3 and "row" in arguments[3] if len(arguments) > 3 else None
    return Taken(calls[0]["call"], apart, _number(file, apart), *_shape(file, name, by_row))


def _arguments(line: str, begin: int) -> list[str] | None:
    """What stands between the bracket before `begin` and the one that closes it, divided at its own commas."""
    depth, found = 0, [""]
    for sign in line[begin:]:
        if sign in ")]}" and not depth:
            return [text.strip() for text in found]
        depth += (sign in "([{") - (sign in ")]}")
        if sign == "," and not depth:
            found.append("")
        else:
            found[-1] += sign
    return None


def _number(file: str | None, text: str) -> int:
    value = facts_at(file).numbers.get(text, text).rstrip("uUlL")
    return int(value) if value.isdigit() else 0


def _shape(file: str | None, name: str, by_row: bool | None) -> tuple[int, int]:
    """Of the fragment that the file declares by that name: how many rows, or columns, and the elements of one."""
    plain = " ".join(facts_at(file).plain_lines)
    word = re.match(r"\w+", name)
    declared = re.findall(rf"\bfragment\s*<([^;{{}}]*?)>\s*(?:\w+[^;<>(]*,\s*)?{word[0]}\b", plain) if word else []
    if len(set(declared)) != 1:
        return 0, 0
    use, *sizes = (part.strip().rpartition("::")[2] for part in declared[0].split(","))
    if use not in _EDGES or len(sizes) < 3:
        return 0, 0
    numbers = [_number(file, text) for text in sizes[:3]]
    rows, columns = (numbers[n] for n in _EDGES[use])
    by_row = "row" in sizes[-1] if by_row is None else by_row
    return (rows, columns) if by_row else (columns, rows)
