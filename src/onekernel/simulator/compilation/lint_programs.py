"""The slips that are seen in the text of whole programs, too, where nobody knows what the result should be: only what
cannot be meant."""

from __future__ import annotations

import re
from collections.abc import Sequence

from onekernel.simulator.compilation.lint_numbers import Found

_WIDE = r"(?:unsigned\s+|long\s+|signed\s+)*(?:int|long|short|float|double|unsigned|(?:u?int(?:16|32|64)|size)_t)\s*\**"
_SET_WIDE = re.compile(
    rf"\b(?P<call>cudaMemset(?:Async)?)\s*\([^,;]+,\s*(?P<value>[^,;]+?)\s*,[^;]*\bsizeof\s*\(\s*{_WIDE}\s*\)"
)
_NO_BYTE = re.compile(r"(?=.*[1-9])(?:[1-9]\d?|1[01]\d|-?\d*\.\d*f?)")  # 127 and 255 are meant as bytes
_EXTERN = re.compile(r"\bextern\s+(?:__align__\s*\(\w+\)\s*)?(?:volatile\s+)?__shared__[^;()]*?\b(\w+)\s*\[\s*\]\s*;")
_FUNCTION_ENDS = re.compile(r"^\}")
_DECLARED = re.compile(
    r"^\s*(?:static\s+|const\s+|unsigned\s+|__shared__\s+)*[A-Za-z_]\w*\s+(?:\w+(?:\[[^\]]*\])?\s*,\s*)*(\w+)\s*\[\s*(\w+)\s*\]\s*[;={,]"
)
_WIDE_LOOP = re.compile(r"\bfor\s*\([^;]*\b(\w+)\s*=\s*[^;]*;\s*\1\s*<=\s*(\w+)\s*;")
_RESERVED = re.compile(r"^\s+(\w+)\s*\.\s*reserve\s*\(")
_READS = r"\s*(?:\[|\.\s*(?:data|size|reserve|capacity|empty|c?begin|c?end)\b)"  # leaves a vector's size as it is
_VECTOR = re.compile(r"\bvector\s*<[^;=(){}]*>\s+((?:\w+\s*,\s*)*\w+)\s*;")
_NO_ELEMENTS = r"\b{name}\s*\.\s*reserve\s*\("
_VECTOR = re.compile(r"\bvector\s*<[^;=(){}]*>\s+(\w+)\s*(?=[;({=,])")
_ADDRESS = re.compile(r"\bcudaMemcpy(?:Async)?\s*\(([^;]*)\)\s*;")
_INTEGER = re.compile(
    r"\b(?:int|unsigned|size_t|long|u?int(?:32|64)_t)\s+((?:\w+\s*(?:=[^;,()]*)?,\s*)*\w+)\s*[=;,)]"
    r"|#\s*define\s+(\w+)\s+\(?\d+\)?\s*$"
)
_CEILING = re.compile(r"\bceilf?\s*\(\s*(\w+)\s*/\s*(\w+)\s*\)")
_BODY = 4  # lines of a loop that are looked at


def in_programs(lines: Sequence[str]) -> Found:
    """What is seen in lines without comments."""
    yield from _set_bytes(lines)
    yield from _same_shared(lines)
    yield from _past_the_end(lines)
    yield from _address_of_vector(lines)
    yield from _empty_vector(lines)
    yield from _ceiling_of_integers(lines)


def _set_bytes(lines: Sequence[str]) -> Found:
    """Fills of wide elements by a byte that is not 0."""
    for n, line in enumerate(lines, 1):
        for found in _SET_WIDE.finditer(line):
            if _NO_BYTE.fullmatch(found["value"]):
                yield n, "set-bytes", {"call": found["call"], "value": found["value"]}


def _same_shared(lines: Sequence[str]) -> Found:
    """A function's second extern __shared__ array, which is the first one under another name."""
    first = ""
    depth, declared_at = 0, 0
    for n, line in enumerate(lines, 1):
        for name in _EXTERN.findall(line):
            if not depth:
                continue  # outside functions several kernels may have one each
            if first and name != first and depth <= declared_at:
                yield n, "same-shared", {"name": name, "first": first}
            first, declared_at = first or name, declared_at or depth
        lowest = depth
        for sign in re.findall("[{}]", line):
            depth += 1 if sign == "{" else -1
            lowest = min(lowest, depth)
        if _FUNCTION_ENDS.match(line) or lowest < declared_at:
            first, declared_at = "", 0


def _past_the_end(lines: Sequence[str]) -> Found:
    """Loops up to and including an array's extent, which index it."""
    arrays: dict[str, set[str]] = {}
    for n, line in enumerate(lines, 1):
        if _FUNCTION_ENDS.match(line):
            arrays = {}
        if declared := _DECLARED.match(line):
            arrays.setdefault(declared[2], set()).add(declared[1])
        for index, extent in _WIDE_LOOP.findall(line):
            body = "\n".join(lines[n - 1 : n - 1 + (1 if ";" in line.partition(")")[2] else _BODY)])
            body = body[body.index("<=") :]
            for name in arrays.get(extent, ()):
                if re.search(rf"\b{name}\s*\[\s*{index}\s*\]", body):
                    yield n, "past-the-end", {"name": name, "extent": extent, "index": index}
                    break


def _address_of_vector(lines: Sequence[str]) -> Found:
    """Copies to or from `&v` of a std::vector, which is where the vector's own three pointers lie."""
    vectors: set[str] = set()
    for n, line in enumerate(lines, 1):
        if _FUNCTION_ENDS.match(line):
            vectors = set()
        vectors.update(_VECTOR.findall(line))
        for copy in _ADDRESS.findall(line):
            for argument in copy.split(",")[:2]:
                name = argument.strip().removeprefix("&")
                if argument.strip() == f"&{name}" and name in vectors:
                    yield n, "vector-address", {"name": name}


def _empty_vector(lines: Sequence[str]) -> Found:
    """Copies to or from the elements of a std::vector that has room reserved, and in the whole file no elements."""
    text = "\n".join(lines)
    for name in dict.fromkeys(match[1] for match in map(_RESERVED.match, lines) if match):
        declared = re.findall(rf"\bvector\s*<[^;=(){{}}]*>\s+(?:[^;]*[,)]\s*)?{name}\s*[;,]", text)
        if len(declared) == 1 and len(re.findall(rf"\b{name}\b(?!{_READS})", text)) == 1:
            for n, line in enumerate(lines, 1):
                copied = [a.strip() for copy in _ADDRESS.findall(line) for a in copy.split(",")[:2]]
                if f"{name}.data()" in copied or f"&{name}[0]" in copied:
                    yield n, "vector-empty", {"name": name}


def _ceiling_of_integers(lines: Sequence[str]) -> Found:
    """ceil(n / threads) of two integers: the quotient is rounded down before."""
    integers: set[str] = set()
    for n, line in enumerate(lines, 1):
        for declared, macro in _INTEGER.findall(line):
            integers.update([macro] if macro else re.findall(r"(\w+)\s*(?:=[^,]*)?(?:,|$)", declared))
        for one, other in _CEILING.findall(line):
            if all(name.isdigit() or name in integers for name in (one, other)):
                yield n, "ceiling", {"one": one, "other": other}
