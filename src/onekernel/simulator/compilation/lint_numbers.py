"""Numbers that come out as others than they are written: read as another type, cut, or compared by their bits; and
indices and lanes that are right for some sizes alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from onekernel.simulator.facts.file import Facts
from onekernel.simulator.facts.names import INDICES, Named, changes
from onekernel.simulator.facts.statements import counted, expression_end
from onekernel.simulator.facts.tokens import text_of

Found = Iterator[tuple[int, str, dict[str, object]]]
"""The line, the message's name in messages/compile.toml behind `warning-`, its values."""

_OF_TYPE = re.compile(
    r"\(\s*(?:const\s+)?(?P<type>double)\s*\*\s*\)\s*(?P<given>\(+\s*\w+|\w+)?|"
    r"\(\(\s*(?:const\s+)?(?P<whole>int|long|short)\s*\*\s*\)\s*(?P<array>\w+)\)\s*\["
)
_GIVES_BYTES = re.compile(r"\(\s*(?:unsigned|const|char|u?int8_t|void|byte)$|\w*alloc$")
_QUOTIENT = re.compile(r"(?<![\w.])(1 ?/ ?[2-9])(?![\w.])(?!\s*;)")
_COMMA = re.compile(r"(?:[-=*/+]|\breturn)\s*(?P<number>\d+,\d+)(?=\s*[-*/+;])")
_ADDED = (  # v += w, v[i] = v[i] + w, v = __hadd(v, w)
    r"(?<![\w.])<name>\s*(?:\[[^\]]*\]\s*)?(?:\+=|=(?!=)[^;]*\b<name>\b[^;]*\+|=(?!=)[^;]*\+[^;]*\b<name>\b"
    r"|=(?!=)\s*__h(?:add|fma)\w*\([^;]*\b<name>\b)"
)
_NARROW_TYPES = frozenset(("__half", "half", "__nv_bfloat16", "nv_bfloat16"))
_BYTES = frozenset(("char", "int8_t", "uint8_t", "void", "byte"))  # have no type of their own: a row of cudaMallocPitch
_MOST = {"short": 32767, "int16_t": 32767, "uint16_t": 65535, "char": 127, "int8_t": 127, "uint8_t": 255}
_AS_FLOAT = re.compile(r"\(\s*(?:const\s+)?float\s*\*\s*\)\s*\(?\s*(\w+)")
_MASKED = re.compile(r"[^&\s]\s*&\s*\(\s*(?P<name>[a-z]\w*)\s*-\s*1\s*\)")
_SHUFFLES = ("__shfl_sync", "__shfl_up_sync", "__shfl_down_sync", "__shfl_xor_sync")
_IN_GRID = frozenset(INDICES) - {"threadIdx"}
WHOLE_WARP = ("32", "warpSize")


def _counters(facts: Facts) -> Found:
    """Loops over as many turns as a size in 64 bits says, counted in float."""
    floats = {one.at: one.name for one in facts.named if {*one.type} & {"float", "__half"}}
    sizes = {one.name for one in _sizes(facts) if "int64_t" in one.type}
    for loop in facts.statements:
        turns = counted(facts.code, loop)
        name = floats.get(loop.begin + 3, "")
        end = re.fullmatch(rf"{name}<=?(\w+)", text_of(turns.condition)) if turns and name == turns.name else None
        if end and end[1] in sizes:
            yield loop.first_line, "float-counter", {"name": name}


def _sizes(facts: Facts) -> Iterator[Named]:
    """The parameters that are whole numbers."""
    return (one for one in facts.named if one.is_parameter and one.is_integer)


def _types(facts: Facts) -> Found:
    bytes_ = {one.name for one in facts.named if "*" in one.type and {*one.type} & _BYTES}
    for n, line in enumerate(facts.lines, 1):
        for cast in _OF_TYPE.finditer(line):
            given = (cast["given"] or cast["array"] or "").lstrip("( ")
            if given not in bytes_ and not _GIVES_BYTES.search(cast["given"] or ""):
                yield n, "other-type", {"type": cast["type"] or cast["whole"]}


def _quotients(facts: Facts) -> Found:
    """1 / 2 of two whole numbers, in a kernel's arithmetic."""
    for n, line in enumerate(facts.lines, 1):
        if quotient := _QUOTIENT.search(line):
            one, other = re.split(r" ?/ ?", quotient[1])
            yield n, "quotient", {"quotient": quotient[1], "instead": f"{one}.0f / {other}.0f"}


def _halves(facts: Facts) -> Found:
    """A pointer to 16-bit numbers, cast to a pointer to floats."""
    narrow = {one.name for one in facts.named if "*" in one.type and {*one.type} & _NARROW_TYPES}
    for n, line in enumerate(facts.lines, 1):
        for cast in _AS_FLOAT.finditer(line):
            if cast[1] in narrow:
                yield n, "half-as-float", {"name": cast[1]}


def _narrow_sums(facts: Facts) -> Found:
    """Variables of 16 bits, or of a template's type, that are added to."""
    text, code = "\n".join(facts.lines), facts.code
    generic = {t.text for word, t in pairwise(code) if word.text in ("typename", "class") and t.kind == "name"}
    members = {(member.name, member.line) for member in facts.declared.members}
    for one in (one for one in facts.named if not one.is_parameter and (one.name, one.line) not in members):
        kind = [word for word in one.type if word != "__shared__"]
        narrow = len(kind) == 1 and kind[0] in _NARROW_TYPES | generic
        if narrow and code[one.at - 1].text == kind[0] and re.search(_ADDED.replace("<name>", one.name), text):
            yield one.line, "narrow-sum", {"type": kind[0], "name": one.name}


def _commas(facts: Facts) -> Found:
    """A number written with a decimal comma: its two halves are two values, of which the first is thrown away."""
    for n, line in enumerate(facts.lines, 1):
        if comma := _COMMA.search(line):
            yield n, "decimal-comma", {"number": comma["number"], "instead": comma["number"].replace(",", ".") + "f"}


def _narrow(facts: Facts) -> Found:
    """The index of a thread in the grid, kept in 8 or 16 bits."""
    code = facts.code
    for one in facts.named:
        value, last = code[one.at + 1 : expression_end(code, one.at, len(code), ",;)")], one.type[-1]
        if last in _MOST and text_of(value[:1]) == "=" and _IN_GRID & {t.text for t in value}:
            kind = " ".join(word for word in one.type if word == "unsigned" or word == last)
            most = 2 * _MOST[last] + 1 if "unsigned" in one.type else _MOST[last]
            yield one.line, "narrow-index", {"type": kind, "name": one.name, "most": most}


def _float_bits(facts: Facts) -> Found:
    for call in facts.called("atomicMax", "atomicMin"):
        if any("__float_as_int" in given for given in call.given):
            yield call.line, "float-bits", {}


def _masked(facts: Facts) -> Found:
    """`i & (n - 1)` with a size that the function is given, which may be no power of two."""
    sizes = {one.name for one in _sizes(facts)}
    for n, line in enumerate(facts.lines, 1):
        for name in (m["name"] for m in _MASKED.finditer(line) if m["name"] in sizes):
            yield n, "masked-index", {"name": name}


def _widths(facts: Facts) -> Found:
    """Shuffles whose fourth argument keeps them within fewer lanes than a warp has."""
    for call in facts.called(*_SHUFFLES):
        if len(call.given) == 4 and call.given[3] not in WHOLE_WARP:
            yield call.line, "shuffle-width", {"width": call.given[3]}


def _lanes(facts: Facts) -> Found:
    """`__shfl_sync` by a distance that a loop halves or doubles: it takes the number of a lane, one for all."""
    for call in facts.called("__shfl_sync"):
        name = call.given[2] if len(call.given) > 2 else ""
        if any({*changes(loop.step, name)} & {"/=", "*=", ">>=", "<<="} for loop in facts.counted(call.line)):
            yield call.line, "shuffle-lane", {"name": name}


RULES = (
    _counters, _types, _quotients, _halves, _narrow_sums, _commas, _narrow, _float_bits, _masked, _widths, _lanes,
)  # fmt: skip
