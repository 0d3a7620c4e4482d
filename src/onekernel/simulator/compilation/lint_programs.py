"""The slips that are seen in the text of whole programs, too, where nobody knows what the result should be: only what
cannot be meant."""

from __future__ import annotations

import re

from onekernel.simulator.compilation.lint_numbers import Found
from onekernel.simulator.facts.arrays import OF_DEVICE
from onekernel.simulator.facts.file import Facts
from onekernel.simulator.facts.statements import counted, expression_end
from onekernel.simulator.facts.tokens import text_of

_WIDE = re.compile(
    r".*\bsizeof\s*\([\w\s]*\b(?:int|long|short|float|double|unsigned|(?:u?int(?:16|32|64)|size)_t)[\s*]*\)"
)
_NO_BYTE = re.compile(r"(?=.*[1-9])(?:[1-9]\d?|1[01]\d|-?\d*\.\d*f?)")  # 127 and 255 are meant as bytes
_RESERVED = re.compile(r"^\s+(\w+)\s*\.\s*reserve\s*\(")
_READS = r"\s*(?:\[|\.\s*(?:data|size|reserve|capacity|empty|c?begin|c?end)\b)"  # leaves a vector's size as it is
_COPIES = ("cudaMemcpy", "cudaMemcpyAsync")
# A place within a tile, made of a lane's number.
_OF_LANE = re.compile(
    r"\b(\w+)\s*=\s*[^;=]*\b(?:lane\w*|threadIdx\s*\.\s*x)[^;]*?(?:[/%&]|>>)\s*(?:[248]|16|[137]|15)\b"
)
_QUOTIENT = re.compile(r"(\w+)\s*/\s*(\w+)")


def _set_bytes(facts: Facts) -> Found:
    """Fills of wide elements by a byte that is not 0."""
    for call in facts.called("cudaMemset", "cudaMemsetAsync"):
        _, value, *count = (*call.given, "", "")
        if _NO_BYTE.fullmatch(value) and _WIDE.match("".join(count)):
            yield call.line, "set-bytes", {"call": call.name, "value": value}


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
    vectors = {(one.name, facts.function_at(one.line)) for one in facts.named if "vector" in one.type}
    for call in facts.called(*_COPIES):
        for given in call.given[:2]:
            name = given.removeprefix("&")
            if given != name and (name, facts.function_at(call.line)) in vectors:
                yield call.line, "vector-address", {"name": name}


def _empty_vector(facts: Facts) -> Found:
    """Copies to or from the elements of a std::vector that has room reserved, and in the whole file no elements."""
    text = "\n".join(facts.lines)
    for name in dict.fromkeys(match[1] for match in map(_RESERVED.match, facts.lines) if match):
        declared = [one for one in facts.named if one.name == name and "vector" in one.type]
        none = len(declared) == 1 and facts.code[declared[0].at + 1].text in (";", ",")
        if none and len(re.findall(rf"\b{name}\b(?!{_READS})", text)) == 1:
            for call in facts.called(*_COPIES):
                if {f"{name}.data()", f"&{name}[0]"} & {*call.given[:2]}:
                    yield call.line, "vector-empty", {"name": name}


def _ceiling_of_integers(facts: Facts) -> Found:
    """ceil(n / threads) of two integers: the quotient is rounded down before."""
    integers = {one.name: one.line for one in facts.named if one.is_integer}
    integers |= {name: 0 for name, text in facts.numbers.items() if text.isdigit()}
    for call in facts.called("ceil", "ceilf"):
        quotient = _QUOTIENT.fullmatch(call.given[0]) if len(call.given) == 1 else None
        if quotient and all(q.isdigit() or integers.get(q, call.line + 1) <= call.line for q in quotient.groups()):
            yield call.line, "ceiling", {"one": quotient[1], "other": quotient[2]}


def fragment_order(facts: Facts) -> Found:
    """The first line for each wmma fragment whose elements are told apart by their number: one that is set to something
    else through a pointer of another type, or at a number of its own, or that stands beside a row or a column made of
    the lane's number. What all of them go through alike, in a loop, depends on no order."""
    text = "\n".join(facts.plain_lines)
    names = {name: rf"\b{name}\s*(?:\[[^\]]*\]\s*)*\.\s*x\b" for name in _fragments(facts)}
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


def _fragments(facts: Facts) -> list[str]:
    """The names of variables that are fragments, or arrays of them."""
    code, kinds = facts.code, {"fragment"}
    for i, word in enumerate(code):
        end = expression_end(code, i, len(code), ";") if word.text in ("using", "typedef") else i
        if any(t.text == "fragment" for t in code[i:end]):
            kinds.add(code[i + 1 if word.text == "using" else end - 1].text)
    return sorted({one.name for one in facts.named if kinds & {*one.type} and not one.is_parameter})


RULES = (
    fragment_order, _set_bytes, _same_shared, _past_the_end, _address_of_vector, _empty_vector, _ceiling_of_integers,
)  # fmt: skip
