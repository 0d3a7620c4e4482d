"""The slips that are seen in the text of whole programs, too, where nobody knows what the result should be: only what
cannot be meant."""

from __future__ import annotations

import re

from onekernel.simulator.compilation.lint_numbers import Found
from onekernel.simulator.facts.arrays import OF_DEVICE
from onekernel.simulator.facts.file import Facts
from onekernel.simulator.facts.functions import Function
from onekernel.simulator.facts.statements import counted
from onekernel.simulator.facts.tokens import text_of

_WIDE = r"(?:unsigned\s+|long\s+|signed\s+)*(?:int|long|short|float|double|unsigned|(?:u?int(?:16|32|64)|size)_t)\s*\**"
_SET_WIDE = re.compile(
    rf"\b(?P<call>cudaMemset(?:Async)?)\s*\([^,;]+,\s*(?P<value>[^,;]+?)\s*,[^;]*\bsizeof\s*\(\s*{_WIDE}\s*\)"
)
_NO_BYTE = re.compile(r"(?=.*[1-9])(?:[1-9]\d?|1[01]\d|-?\d*\.\d*f?)")  # 127 and 255 are meant as bytes
_RESERVED = re.compile(r"^\s+(\w+)\s*\.\s*reserve\s*\(")
_READS = r"\s*(?:\[|\.\s*(?:data|size|reserve|capacity|empty|c?begin|c?end)\b)"  # leaves a vector's size as it is
_VECTOR = re.compile(r"\bvector\s*<[^;=(){}]*>\s+(\w+)\s*(?=[;({=,])")
_ADDRESS = re.compile(r"\bcudaMemcpy(?:Async)?\s*\(([^;]*)\)\s*;")
_INTEGER = re.compile(
    r"\b(?:int|unsigned|size_t|long|u?int(?:32|64)_t)\s+((?:\w+\s*(?:=[^;,()]*)?,\s*)*\w+)\s*[=;,)]"
    r"|#\s*define\s+(\w+)\s+\(?\d+\)?\s*$"
)
_FRAGMENT = r"\bfragment\s*<[^;{}()]*>"
_ALIAS = re.compile(rf"\busing\s+(\w+)\s*=[^;]*{_FRAGMENT}|\btypedef\b[^;]*{_FRAGMENT}\s*(\w+)")
# A place within a tile, made of a lane's number.
_OF_LANE = re.compile(
    r"\b(\w+)\s*=\s*[^;=]*\b(?:lane\w*|threadIdx\s*\.\s*x)[^;]*?(?:[/%&]|>>)\s*(?:[248]|16|[137]|15)\b"
)
_CEILING = re.compile(r"\bceilf?\s*\(\s*(\w+)\s*/\s*(\w+)\s*\)")


def _set_bytes(facts: Facts) -> Found:
    """Fills of wide elements by a byte that is not 0."""
    for n, line in enumerate(facts.lines, 1):
        for found in _SET_WIDE.finditer(line):
            if _NO_BYTE.fullmatch(found["value"]):
                yield n, "set-bytes", {"call": found["call"], "value": found["value"]}


def _same_shared(facts: Facts) -> Found:
    """A block's second extern __shared__ array, which is the first one under another name. Outside functions several
    kernels may have one each."""
    first: dict[int, str] = {}  # by where their block ends
    for array in facts.arrays:
        if array.is_dynamic and facts.function_at(array.line):
            name = first.setdefault(array.end, array.name)
            if array.name != name:
                yield array.line, "same-shared", {"name": array.name, "first": name}


def _past_the_end(facts: Facts) -> Found:
    """Loops up to and including an array's extent, which index it. Of one of the device the access itself is told."""
    known = [array for array in facts.arrays if not array.words & OF_DEVICE]
    for loop in facts.statements:
        turns = counted(facts.code, loop)
        index, _, extent = text_of(turns.condition).partition("<=") if turns else ("", "", "")
        if not turns or not extent or index != turns.name:
            continue
        body = text_of(facts.code[loop.first : loop.last + 1])
        for array in (a for a in known if a.begin <= loop.begin < a.end):
            if text_of(array.extents[0]) == extent and re.search(rf"\b{array.name}\[{index}\]", body):
                yield loop.first_line, "past-the-end", {"name": array.name, "extent": extent, "index": index}
                break


def _address_of_vector(facts: Facts) -> Found:
    """Copies to or from `&v` of a std::vector, which is where the vector's own three pointers lie."""
    vectors: set[tuple[str, Function | None]] = set()
    for n, line in enumerate(facts.lines, 1):
        function = facts.function_at(n)
        vectors.update((name, function) for name in _VECTOR.findall(line))
        for copy in _ADDRESS.findall(line):
            for argument in copy.split(",")[:2]:
                name = argument.strip().removeprefix("&")
                if argument.strip() == f"&{name}" and (name, function) in vectors:
                    yield n, "vector-address", {"name": name}


def _empty_vector(facts: Facts) -> Found:
    """Copies to or from the elements of a std::vector that has room reserved, and in the whole file no elements."""
    text = "\n".join(facts.lines)
    for name in dict.fromkeys(match[1] for match in map(_RESERVED.match, facts.lines) if match):
        declared = re.findall(rf"\bvector\s*<[^;=(){{}}]*>\s+(?:[^;]*[,)]\s*)?{name}\s*[;,]", text)
        if len(declared) == 1 and len(re.findall(rf"\b{name}\b(?!{_READS})", text)) == 1:
            for n, line in enumerate(facts.lines, 1):
                copied = [a.strip() for copy in _ADDRESS.findall(line) for a in copy.split(",")[:2]]
                if f"{name}.data()" in copied or f"&{name}[0]" in copied:
                    yield n, "vector-empty", {"name": name}


def _ceiling_of_integers(facts: Facts) -> Found:
    """ceil(n / threads) of two integers: the quotient is rounded down before."""
    integers: set[str] = set()
    for n, line in enumerate(facts.lines, 1):
        for declared, macro in _INTEGER.findall(line):
            integers.update([macro] if macro else re.findall(r"(\w+)\s*(?:=[^,]*)?(?:,|$)", declared))
        for one, other in _CEILING.findall(line):
            if all(name.isdigit() or name in integers for name in (one, other)):
                yield n, "ceiling", {"one": one, "other": other}


def fragment_order(facts: Facts) -> Found:
    """The first line for each wmma fragment whose elements are told apart by their number: one that is set to something
    else through a pointer of another type, or at a number of its own, or that stands beside a row or a column made of
    the lane's number. What all of them go through alike, in a loop, depends on no order."""
    text = "\n".join(facts.plain_lines)
    names = {name: rf"\b{name}\s*(?:\[[^\]]*\]\s*)*\.\s*x\b" for name in _fragments(text)}
    places = "|".join({*_OF_LANE.findall(text)} - {"lane", "warp", "warpId", "warp_id"}) or "$."
    told: set[str] = set()
    for n, line in enumerate(facts.plain_lines, 1):
        for name, element in names.items():
            set_to = re.search(rf"{element}\s*(\[[^\]]*\])[\s)]*=(?!=)\s*([^;]*)", line)
            other = bool(set_to) and not re.search(rf"{element}|^\s*-?[\d.]+f?\s*$", set_to[2]) if set_to else False
            cast = re.search(rf"\*\s*\)\s*\(?\s*&?\s*{element}|reinterpret_cast\s*<[^;]*{element}", line)
            numbered = set_to and re.search(r"\[\s*\d+\s*\]|[*/%&^+]", set_to[1])
            placed = re.search(element, line) and re.search(rf"\b(?:{places})\b", line)
            if name not in told and ((other and (cast or numbered)) or placed):
                told.add(name)
                yield n, "fragment-order", {"name": name}


def _fragments(text: str) -> list[str]:
    """The names of variables that are fragments, or arrays of them."""
    types = "|".join([_FRAGMENT, *(rf"\b{one or other}\b" for one, other in _ALIAS.findall(text))])
    declared = re.findall(rf"(?:{types})\s+(\w[\w\s,\[\]+*]*);", text)
    return sorted({name for names in declared for name in re.findall(r"(?:^|,)\s*(\w+)", names)})


RULES = (
    fragment_order, _set_bytes, _same_shared, _past_the_end, _address_of_vector, _empty_vector, _ceiling_of_integers,
)  # fmt: skip
