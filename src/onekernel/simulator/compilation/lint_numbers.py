"""Numbers that come out as others than they are written: read as another type, cut, or compared by their bits; and
indices and lanes that are right for some sizes alone."""

from __future__ import annotations

import re
from collections.abc import Iterator

from onekernel.simulator.facts.file import Facts

Found = Iterator[tuple[int, str, dict[str, object]]]
"""The line, the message's name in messages/compile.toml behind `warning-`, its values."""

_FLOAT_COUNTER = re.compile(
    r"\bfor\s*\(\s*(?:float|__half)\s+(?P<name>\w+)\s*=[^;]*;\s*(?P=name)\s*<=?\s*(?P<bound>\w+)"
)
_OF_TYPE = re.compile(
    r"\(\s*(?:const\s+)?(?P<type>double)\s*\*\s*\)\s*(?P<given>\(+\s*\w+|\w+)?|"
    r"\(\(\s*(?:const\s+)?(?P<whole>int|long|short)\s*\*\s*\)\s*(?P<array>\w+)\)\s*\["
)
_BYTE = r"(?:char|u?int8_t|void|byte)"  # what is bytes has no type of its own, as a row of cudaMallocPitch
_GIVES_BYTES = re.compile(rf"\(\s*(?:unsigned|const|{_BYTE})$|\w*alloc$")
_QUOTIENT = re.compile(r"(?<![\w.])(1 ?/ ?[2-9])(?![\w.])(?!\s*;)")
_COMMA = re.compile(r"(?:[-=*/+]|\breturn)\s*(?P<number>\d+,\d+)(?=\s*[-*/+;])")
_NARROW = re.compile(
    r"\b(?P<type>(?:unsigned )?(?:short|char)|u?int(?:8|16)_t)\s+(?P<name>\w+)\s*="
    r"[^;=]*\b(?:blockIdx|blockDim|gridDim)\b"
)
_BITS = re.compile(r"\batomicM(?:ax|in)\s*\([^;]*__float_as_int\s*\(")
_ADDED = (  # v += w, v[i] = v[i] + w, v = __hadd(v, w)
    r"(?<![\w.])<name>\s*(?:\[[^\]]*\]\s*)?(?:\+=|=(?!=)[^;]*\b<name>\b[^;]*\+|=(?!=)[^;]*\+[^;]*\b<name>\b"
    r"|=(?!=)\s*__h(?:add|fma)\w*\([^;]*\b<name>\b)"
)
_TEMPLATE = re.compile(r"\btemplate\s*<([^>]*)>")
_NARROW_TYPE = r"__half|half|__nv_bfloat16|nv_bfloat16"
_AS_FLOAT = re.compile(r"\(\s*(?:const\s+)?float\s*\*\s*\)\s*\(?\s*(\w+)")
_MASKED = re.compile(r"[^&\s]\s*&\s*\(\s*(?P<name>[a-z]\w*)\s*-\s*1\s*\)")
_HALVED = r"\bfor\s*\([^;]*;[^;]*;[^)]*\b{name}\s*(?:/=|\*=|>>=|<<=)"
_SHUFFLE = re.compile(r"\b__shfl(?:_up|_down|_xor)?_sync\s*\(")
WHOLE_WARP = ("32", "warpSize")
NEAR = 4  # lines, of which one begins the loop around a shuffle


def _counters(facts: Facts) -> Found:
    """Loops over as many turns as a size in 64 bits says, counted in float."""
    sizes = set(re.findall(r"\bint64_t\s+(\w+)\s*[,)]", "\n".join(facts.lines)))
    for n, line in enumerate(facts.lines, 1):
        counter = _FLOAT_COUNTER.search(line)
        if counter and counter["bound"] in sizes:
            yield n, "float-counter", {"name": counter["name"]}


def _types(facts: Facts) -> Found:
    text = "\n".join(facts.lines)
    for n, line in enumerate(facts.lines, 1):
        for cast in _OF_TYPE.finditer(line):
            given = (cast["given"] or cast["array"] or "").lstrip("( ")
            declared = given and re.search(rf"\b{_BYTE}\s*(?:const\s*)?\*\s*(?:\w+\s+)?{given}\b", text)
            if not declared and not _GIVES_BYTES.search(cast["given"] or ""):
                yield n, "other-type", {"type": cast["type"] or cast["whole"]}


def _quotients(facts: Facts) -> Found:
    """1 / 2 of two whole numbers, in a kernel's arithmetic."""
    for n, line in enumerate(facts.lines, 1):
        if quotient := _QUOTIENT.search(line):
            one, other = re.split(r" ?/ ?", quotient[1])
            yield n, "quotient", {"quotient": quotient[1], "instead": f"{one}.0f / {other}.0f"}


def _halves(facts: Facts) -> Found:
    """A pointer to 16-bit numbers, cast to a pointer to floats."""
    text = "\n".join(facts.lines)
    for n, line in enumerate(facts.lines, 1):
        for cast in _AS_FLOAT.finditer(line):
            narrow = rf"\b(?:__half|half|__nv_bfloat16|nv_bfloat16)\s*(?:const\s*)?\*\s*(?:__restrict__\s+)?{cast[1]}\b"
            if re.search(narrow, text):
                yield n, "half-as-float", {"name": cast[1]}


def _narrow_sums(facts: Facts) -> Found:
    """Variables of 16 bits, or of a template's type, that are added to."""
    text = "\n".join(facts.lines)
    generic = [name for given in _TEMPLATE.findall(text) for name in re.findall(r"(?:typename|class)\s+(\w+)", given)]
    types = "|".join([_NARROW_TYPE, *map(re.escape, dict.fromkeys(generic))])
    declared = re.compile(rf"^\s*(?:__shared__\s+)?(?P<type>{types})\s+(?P<name>\w+)\s*(?:\[[^\]]*\]\s*)*[=;{{,]")
    for n, line in enumerate(facts.lines, 1):
        found = declared.match(line)
        if found and re.search(_ADDED.replace("<name>", found["name"]), text):
            yield n, "narrow-sum", {"type": found["type"], "name": found["name"]}


def _commas(facts: Facts) -> Found:
    """A number written with a decimal comma: its two halves are two values, of which the first is thrown away."""
    for n, line in enumerate(facts.lines, 1):
        if comma := _COMMA.search(line):
            yield n, "decimal-comma", {"number": comma["number"], "instead": comma["number"].replace(",", ".") + "f"}


def _narrow(facts: Facts) -> Found:
    """The index of a thread in the grid, kept in 8 or 16 bits."""
    for n, line in enumerate(facts.lines, 1):
        if narrow := _NARROW.search(line):
            most = 127 if re.search(r"char|8", narrow["type"]) else 32767
            if narrow["type"].startswith("u"):
                most = 2 * most + 1
            yield n, "narrow-index", {"type": narrow["type"], "name": narrow["name"], "most": most}


def _float_bits(facts: Facts) -> Found:
    for n, line in enumerate(facts.lines, 1):
        if _BITS.search(line):
            yield n, "float-bits", {}


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


RULES = (
    _counters, _types, _quotients, _halves, _narrow_sums, _commas, _narrow, _float_bits, _masked, _widths, _lanes,
)  # fmt: skip
