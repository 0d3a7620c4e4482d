"""What a compiler only warned of, told where results are wrong: as their cause, where the file is right without it.

A warning tells what stands in a line, not that results are wrong because of it. So the line is `fixed`, and the file is
run again on the inputs that were wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice, product

from onekernel.backends.base import Finding
from onekernel.grading.submission import SYMPTOMS
from onekernel.grading.time_limit import within_time
from onekernel.grading.verdicts import FAILED, MAX_FAILURES, PASSED, Failure, Verdict
from onekernel.messages import Message

# What is written there cannot be meant, whatever else is wrong: it comes first.
NEVER_MEANT = (
    "assignment", "no-call", "empty-body", "unused-result", "float-counter", "own-output", "uninitialised", "chained",
    "decimal-comma", "sizeof-pointer", "unsigned-below", "extern-twice", "half-as-float",
    "no-address",
)  # fmt: skip
# What right kernels do as well: told where the file is right without it, and not at all where it is not.
PERHAPS = (
    "own-array", "bytes", "other-type", "set-bytes", "narrow-index", "float-bits", "masked-index", "shuffle-width",
    "shuffle-lane", "shadows", "narrow-sum",
)  # fmt: skip
# Where the numbers themselves have not told it: it is what many right kernels have, and takes a build and a run.
UNNAMED = ("narrow-sum",)
# What the symptom is told before, where the file without it is wrong as well.
BEHIND = ("maybe-uninitialised", "cuts", "quotient")

Cured = Callable[[str], int]
"""Of a text of the file: how many inputs that were wrong are right with it; 0 where one stays wrong."""
MOST = 4  # versions of a file that are tried

Lines = list[str]
_NARROW = "__half|half|__nv_bfloat16|nv_bfloat16"
_INTEGERS = r"\b(?:unsigned |signed )?(?:int|long long|long|short|char|u?int\d+_t|size_t|unsigned)\b"


def with_warnings(verdicts: Sequence[Verdict], warnings: Sequence[Finding], text: str, cured: Cured) -> list[Verdict]:
    """The verdicts, the first of those that failed with the compiler's warnings on `text`: the cause, or all."""
    if not any(_unexplained(v) for v in verdicts):
        warnings = [w for w in warnings if _kind(w) not in UNNAMED]
    cause = _cause(warnings, text, cured) if any(v.status == FAILED for v in verdicts) else None
    out, told = [], not warnings
    for verdict in _beyond_inputs(verdicts, warnings):
        if verdict.status == FAILED and verdict.failures and not told:
            told = True
            verdict = _warned(verdict, warnings, cause)
        out.append(verdict)
    return out


def _unexplained(verdict: Verdict) -> bool:
    """Whether values are wrong there, and no mistake made on purpose has given them."""
    first = verdict.failures[0] if verdict.failures else None
    return (
        first is not None
        and first.code in SYMPTOMS
        and first.message.key not in ("replay.named", "replay.named-some", "replay.same-cause")
    )


def _kind(warning: Finding) -> str:
    return warning.code.removeprefix("warning-")


def _cause(warnings: Sequence[Finding], text: str, cured: Cured) -> tuple[Finding, int] | None:
    """The warning without which the file is right, and on how many inputs: all of a kind are fixed together, then the
    kinds."""
    suspected = [w for w in warnings if _kind(w) in (*NEVER_MEANT, *PERHAPS, *BEHIND)]
    kinds = list(dict.fromkeys(map(_kind, suspected)))
    for chosen in (*([kind] for kind in kinds), *([kinds] if len(kinds) > 1 else [])):
        mine = [w for w in suspected if _kind(w) in chosen]
        for version in fixed(text, mine):
            if inputs := cured(version):
                return mine[0], inputs
    return None


def _beyond_inputs(verdicts: Sequence[Verdict], warnings: Sequence[Finding]) -> Sequence[Verdict]:
    """The verdicts, those that ask for large tensors failed by a loop that counts in float: it goes wrong beyond 2^24
    elements of a row or a vector, more than the simulator walks through."""
    counter = next((w for w in warnings if w.code == "warning-float-counter"), None)
    if counter is None:
        return verdicts
    why = Failure(counter.message, counter.chapter or "", file=counter.file, line=counter.line, code="warning")
    return [
        replace(v, status=FAILED, earned=0, failures=(why,))
        if v.status == PASSED and "large" in v.check.options.get("groups", ())
        else v
        for v in verdicts
    ]


def _warned(verdict: Verdict, warnings: Sequence[Finding], cause: tuple[Finding, int] | None) -> Verdict:
    first = verdict.failures[0]
    sure, inputs = cause or (next((w for w in warnings if _kind(w) in NEVER_MEANT), None), 0)
    if sure is not None and first.code not in ("told-at-first", "no-kernel"):
        told = first.code in SYMPTOMS  # a finding may be but what follows: the slip is fixed first
        symptom = first.message.values.get("symptom", first.message) if told else ""
        values = {"why": sure.message, "symptom": symptom, "inputs": inputs}
        message = Message("compile.warning-fixed" if inputs else "compile.warning", values)
        named = replace(first, message=message, file=sure.file, line=sure.line, code="warning")
        return replace(verdict, failures=(replace(named, chapter=sure.chapter or named.chapter),))
    if first.code in SYMPTOMS:
        others = [w for w in warnings if _kind(w) not in PERHAPS]
        more = [Failure(w.message, w.chapter or "", file=w.file, line=w.line, code="warning") for w in others]
        return replace(verdict, failures=(*verdict.failures, *more)[:MAX_FAILURES])
    return verdict


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
