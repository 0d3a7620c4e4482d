"""A file as it would be without what a compiler, or a lint, suspects: right then, it had that cause.

A warning tells what stands in a line, not that results are wrong because of it. So the line is fixed, and the file is
run again on the inputs that were wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice, product

from onekernel.backends.base import Finding
from onekernel.grading.time_limit import within_time

MOST = 4  # versions of a file that are tried

Lines = list[str]
_NARROW = "__half|half|__nv_bfloat16|nv_bfloat16"
_INTEGERS = r"\b(?:unsigned |signed )?(?:int|long long|long|short|char|u?int\d+_t|size_t|unsigned)\b"


def fixed(text: str, warnings: Sequence[Finding]) -> Iterator[str]:
    """The text without what the warnings name, in each way there is to fix it; nothing where one has none."""
    nothing: list[list[_Change]] = [[]]
    ways = within_time(lambda: [list(_ways(text.split("\n"), w)) for w in warnings], nothing)
    for chosen in islice(product(*ways), MOST):
        lines = dict(enumerate(text.split("\n")))
        for change in chosen:
            lines |= change
        yield "\n".join(lines.values())


def _ways(lines: Lines, warning: Finding) -> Iterator[_Change]:
    """Lines by their index, as they are to be instead."""
    rule = _RULES.get(warning.code.removeprefix("warning-"))
    at = (warning.line or 0) - 1
    if rule and 0 <= at < len(lines):
        found = rule(lines, at, {k: str(v) for k, v in warning.message.values.items()})
        changes = [{n: line for n, line in way.items() if line != lines[n]} for way in found]
        yield from (way for k, way in enumerate(changes) if way and way not in changes[:k])


_Change = Mapping[int, str]
_Rule = Callable[[Lines, int, Mapping[str, str]], Iterator[_Change]]


def _in_line(pattern: str, instead: str) -> _Rule:
    """A pattern and what stands for it; {name} in both is a value of the warning."""

    def rule(lines: Lines, at: int, values: Mapping[str, str]) -> Iterator[_Change]:
        known = {name: re.escape(value) for name, value in values.items()}
        found = re.sub(r"<(\w+)>", lambda m: known.get(m[1], "$."), pattern)
        yield {at: re.sub(found, re.sub(r"<(\w+)>", lambda m: values.get(m[1], ""), instead), lines[at], count=1)}

    return rule


def _uninitialised(lines: Lines, at: int, values: Mapping[str, str]) -> Iterator[_Change]:
    declared = re.compile(rf"\b{re.escape(values['name'])}\b((?:\s*\[[^\]]*\])*)(?=\s*[,;])")
    array = declared.search(lines[at])
    for first in ("{}",) if array and array[1] else ("0", "-INFINITY"):
        yield {at: declared.sub(rf"\g<0> = {first}", lines[at], count=1)}


def _other_type(lines: Lines, at: int, values: Mapping[str, str]) -> Iterator[_Change]:
    """The cast left out; with it, pointers of that type that a kernel takes."""
    cast = re.compile(rf"\(\s*(?:const\s+)?{re.escape(values['type'])}\s*\*\s*\)")
    yield {at: cast.sub("", lines[at])}
    pointer = re.compile(rf"\b{re.escape(values['type'])}(?=\s*\*)")
    yield {n: pointer.sub("float", cast.sub("", line)) for n, line in enumerate(lines)}


def _cuts(lines: Lines, at: int, values: Mapping[str, str]) -> Iterator[_Change]:
    """The integer in the declaration of what is set on the line, the last of it first; or any on the line itself."""
    targets = re.findall(r"(\w+)\s*(?:\[[^=]*\]\s*)*[-+*/]?=[^=]", lines[at])
    for target in reversed(targets):
        declared = re.compile(rf"{_INTEGERS}(?=[^;()]*\b{target}\b)")
        n = max((n for n in range(at + 1) if declared.search(lines[n])), default=None)
        if n is not None:
            yield {n: declared.sub("float", lines[n], count=1)}
    yield {at: re.sub(_INTEGERS, "float", lines[at])}


def _shadows(lines: Lines, at: int, values: Mapping[str, str]) -> Iterator[_Change]:
    """The declaration as an assignment, without its type; as one that adds; or left out, where it only begins anew."""
    declared = rf"\b(?:const\s+)?(?:float|double|auto|{_INTEGERS})\s+(?={re.escape(values['name'])}\b"
    yield {at: re.sub(rf"{declared})", "", lines[at], count=1)}
    yield {at: re.sub(rf"{declared}\s*=)(\w+\s*)=", r"\1+=", lines[at], count=1)}
    yield {at: re.sub(rf"{declared}\s*=)[^;,]*;", "", lines[at], count=1)}


def _narrow_sum(lines: Lines, at: int, values: Mapping[str, str]) -> Iterator[_Change]:
    """The variable declared float, and what is set to it computed in float."""
    name, sums = re.escape(values["name"]), {"add": "(a) + (float)(b)", "fma": "(a) * (float)(b) + (float)(c)"}
    changed = {at: re.sub(rf"\b{re.escape(values['type'])}(?=\s+{name}\b)", "float", lines[at], count=1)}
    narrow = rf"(?:{re.escape(values['type'])}|{_NARROW})"
    call = rf"\b(?:static_cast<\s*{narrow}\s*>|__float2(?:half|bfloat16)\w*)(?=\()"
    cast = re.compile(rf"\(\s*{narrow}\s*\)(?=\s*[\w(])|{call}")
    back = re.compile(rf"\b__(?:half2|bfloat162)float(?=\(\s*{name}\b)")
    for n, line in enumerate(lines):
        line = back.sub("(float)", changed.get(n, line))
        if n == at or re.search(rf"(?<![\w.]){name}\s*(?:\[[^\]]*\]\s*)?\+?=(?!=)", line):
            line = re.sub(r"\b__h(add|fma)\w*(?=\()", r"ok_\1", cast.sub("(float)", line))
        changed[n] = line
    defined = "".join(f"#define ok_{k}({'a, b' if k == 'add' else 'a, b, c'}) ((float){v})\n" for k, v in sums.items())
    yield changed | {0: defined + changed[0]}


_RULES: Mapping[str, _Rule] = {
    "own-array": _in_line(r"^(\s*)", r"\1__shared__ "),
    "assignment": _in_line(r"((?:if|while)\s*\(.*?[^=!<>+*/%&|^-])=(?!=)", r"\1=="),
    "uninitialised": _uninitialised,
    "maybe-uninitialised": _uninitialised,
    "no-call": _in_line(r"\b<name>\s*;", "<name>();"),
    "empty-body": _in_line(r"\)\s*;\s*$", ")"),
    "cuts": _cuts,
    "float-counter": _in_line(r"\b(?:float|__half)(?=\s+<name>\b)", "long long"),
    "bytes": _in_line(r"(\(\s*([^,]+),[^,]+,\s*)<count>", r"\1(<count>) * sizeof(*(\2))"),
    "other-type": _other_type,
    "quotient": _in_line(r"<quotient>", "<instead>"),
    "chained": _in_line(r"([^()<>=!&|]+<=?)\s*([\w.]+)\s*(<=?[^()<>=!&|]+)", r"\1 \2 && \2 \3"),
    "decimal-comma": _in_line(r"<number>", "<instead>"),
    "unsigned-below": _in_line(r"\b(?:unsigned(?: int| long)*|u?int\d+_t|size_t)(?=\s+\w+\s*=)", "long long"),
    "float-bits": _in_line(  # the order that bits have: from below for positive numbers, from above for negative ones
        r"atomicMax\s*\(\s*([^,;]+),\s*__float_as_int\s*\(([^()]*)\)\s*\)",
        r"(\2 >= 0 ? (void)atomicMax(\1, __float_as_int(\2)) : (void)atomicMin((unsigned*)(\1), __float_as_uint(\2)))",
    ),
    "no-address": _in_line(r"(\(\s*(?:\(\s*void\s*\*\*\s*\)\s*)?)<name>", r"\1&<name>"),
    "narrow-index": _in_line(r"\b<type>(?=\s+<name>\b)", "long long"),
    "own-output": _in_line(r"\b(?:\w+\s*\(\s*)?cudaMalloc\w*\s*\([^;]*\);", ";"),
    "masked-index": _in_line(r"([^\[\](),;=&|?:]+?)\s*&\s*\(\s*<name>\s*-\s*1\s*\)", r"(\1) % <name>"),
    "shadows": _shadows,
    "narrow-sum": _narrow_sum,
    "shuffle-lane": _in_line(r"\b__shfl_sync\b", "__shfl_xor_sync"),
    "shuffle-width": _in_line(r",\s*<width>\s*\)", ")"),
    "set-bytes": _in_line(r"(cudaMemset\w*\s*\([^,]+,)\s*[^,]+", r"\1 0"),
}
