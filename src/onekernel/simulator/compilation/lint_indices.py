"""Indices and lanes that are right for some sizes alone: a remainder by `&`, a shuffle within a part of a warp, or by a
lane's number where a distance is meant."""

from __future__ import annotations

import re

from onekernel.simulator.compilation.lint_numbers import Found
from onekernel.simulator.facts.file import Facts

_MASKED = re.compile(r"[^&\s]\s*&\s*\(\s*(?P<name>[a-z]\w*)\s*-\s*1\s*\)")
_HALVED = r"\bfor\s*\([^;]*;[^;]*;[^)]*\b{name}\s*(?:/=|\*=|>>=|<<=)"
_SHUFFLE = re.compile(r"\b__shfl(?:_up|_down|_xor)?_sync\s*\(")
WHOLE_WARP = ("32", "warpSize")
NEAR = 4  # lines, of which one begins the loop around a shuffle


def _masked(facts: Facts) -> Found:
    """`i & (n - 1)` with a size that the function is given, which may be no power of two."""
    sizes = set(re.findall(r"\b(?:int|long|int64_t|unsigned|size_t)\s+(\w+)\s*[,)]", "\n".join(facts.lines)))
    for n, line in enumerate(facts.lines, 1):
        for name in (m["name"] for m in _MASKED.finditer(line) if m["name"] in sizes):
            yield n, "masked-index", {"name": name}


def _widths(facts: Facts) -> Found:
    """Shuffles whose fourth argument keeps them within fewer lanes than a warp has."""
    for n, line in enumerate(facts.lines, 1):
        for call in _SHUFFLE.finditer(line):
            given = _arguments(line[call.end() :])
            if len(given) == 4 and given[3] not in WHOLE_WARP:
                yield n, "shuffle-width", {"width": given[3]}


def _lanes(facts: Facts) -> Found:
    """`__shfl_sync` by a distance that a loop halves or doubles: it takes the number of a lane, one for all."""
    for n, line in enumerate(facts.lines, 1):
        for call in re.finditer(r"\b__shfl_sync\s*\(", line):
            given = _arguments(line[call.end() :])
            if len(given) < 3 or not given[2].isidentifier():
                continue
            loop = re.compile(_HALVED.format(name=given[2]))
            if any(map(loop.search, facts.lines[max(0, n - NEAR) : n])):
                yield n, "shuffle-lane", {"name": given[2]}


def _arguments(text: str) -> list[str]:
    """What stands between commas up to the bracket that closes the call; nothing where it closes on another line."""
    depth, given = 0, [""]
    for sign in text:
        if depth == 0 and sign == ")":
            return [one.strip() for one in given]
        depth += (sign in "([{") - (sign in ")]}")
        if depth == 0 and sign == ",":
            given.append("")
        else:
            given[-1] += sign
    return []


RULES = (_masked, _widths, _lanes)
