"""Slips that compile without a word, seen in the text: what was written cannot be what is meant.

Nobody loses points by them: they are told where results are wrong (grading/suspicions.py). Comments are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from onekernel.simulator.compilation import lint_numbers, lint_programs
from onekernel.simulator.compilation.lint_numbers import Found
from onekernel.simulator.facts.file import Facts, facts_of
from onekernel.simulator.facts.functions import HOST, Function, name_of
from onekernel.simulator.facts.names import Named, after_brackets
from onekernel.simulator.facts.symbols import exports
from onekernel.simulator.facts.tokens import text_of

Seen = Iterator[tuple[str, int, str, dict[str, object]]]
"""File, line, the message's name in messages/compile.toml behind `warning-`, its values."""

_TYPE = re.compile(r"float|double|int|unsigned|float4|__half|__nv_bfloat16|\w+_t|T")
_OF_THREAD = re.compile(r"\b(\w+)\s*=\s*[^;=]*\bthreadIdx\b")
_BYTES = re.compile(r"sizeof|byte|size|\*|[4-9]|\d\d", re.IGNORECASE)
_COPIES = ("cudaMemcpy", "cudaMemcpyAsync", "cudaMemset", "cudaMemsetAsync")
ALLOCATES = ("cudaMalloc", "cudaMallocAsync", "cudaMallocManaged")


def lint(files: Mapping[str, str], program: bool = False) -> Seen:
    """What is seen in the texts of the learner's files, or of a whole program."""
    for file, text in files.items():
        facts = facts_of(text)
        for rule in lint_programs.RULES if program else _RULES:
            yield from ((file, n, key, values) for n, key, values in rule(facts))


def _own(facts: Facts) -> Iterator[Named]:
    """The arrays of a thread's own that are given no values, where nothing else is declared beside them."""
    code, arrays = facts.code, {one.at for one in facts.named if one.is_array}
    for one in (one for one in facts.named if one.is_array and one.type[1:] == () and _TYPE.fullmatch(one.type[0])):
        function, end = facts.function_around(one.at), after_brackets(code, one.at)
        if function is None or function.side == HOST or end == len(code):
            continue
        first = code[one.at - 1].text != "," or code[one.at - 2].text == "]"
        if first and (code[end].text == ";" or (code[end].text == "," and end + 1 in arrays)):
            yield one


def _own_arrays(facts: Facts) -> Found:
    """Arrays of a thread's own that are indexed by the thread, in a file whose threads meet at barriers: __shared__ may
    be missing."""
    text = "\n".join(facts.lines)
    if "__syncthreads" not in text:
        return
    of_thread = "|".join({"threadIdx", *_OF_THREAD.findall(text)})
    for one in _own(facts):
        if re.search(rf"(?<![.\w>]){one.name}\s*\[[^\]]*\b(?:{of_thread})\b[^\]]*\]\s*=[^=]", text):
            yield one.line, "own-array", {"name": one.name}


def _only_added(facts: Facts) -> Found:
    """Arrays of a thread's own whose elements are added to, and neither set before nor given to a function."""
    code = facts.code
    for one in _own(facts):
        uses = [k for k, token in enumerate(code) if token.text == one.name and k != one.at]
        behind = [code[after_brackets(code, k) :][:2] for k in uses]
        signs = ["".join(t.text for t in pair) for pair in behind]
        elsewhere = any(
            code[k + 1].text != "[" or code[k - 1].text == "&" or (sign[:1] == "=" and sign != "==")
            for k, sign in zip(uses, signs, strict=True)
        )
        if "+=" in signs and not elsewhere:
            yield one.line, "uninitialised", {"name": one.name}


def _set_bytes(facts: Facts) -> Found:
    """cudaMemset with another value than 0, or all bits: it sets bytes."""
    for call in facts.called("cudaMemset", "cudaMemsetAsync"):
        value = call.given[1] if len(call.given) > 2 else ""
        if re.fullmatch(r"[1-9]\d*|0x0*[1-9]|-?\d*\.\d*f?", value) and value not in ("255", "127"):
            yield call.line, "set-bytes", {"call": call.name, "value": value}


def _empty_bodies(facts: Facts) -> Found:
    """A `;` behind a head, above the braces that were meant for its body."""
    for one in facts.statements:
        body = facts.code[one.first : one.first + 2]
        ended = one.word in ("for", "while", "if") and [t.text for t in body] == [";", "{"]
        if ended and body[1].line == body[0].line + 1:
            yield body[0].line, "empty-body", {"word": one.word}


def _bytes(facts: Facts) -> Found:
    """Copies of a number of elements, where a number of bytes is meant."""
    text = "\n".join(facts.lines)
    for call in facts.called(*_COPIES):
        count = call.given[2] if len(call.given) > 2 else ""
        if not re.match(r"\w", count):
            continue
        names = "|".join(re.findall(r"[A-Za-z_]\w*", count)) or "$."
        made = re.findall(rf"\b(?:{names})\s*=\s*([^;]+);|#\s*define\s+(?:{names})\s+(.+)", text)
        if not _BYTES.search(count + " ".join(part for parts in made for part in parts)):
            yield call.line, "bytes", {"call": call.name, "count": count}


def _allocated(facts: Facts) -> Found:
    """An allocation that is given the pointer's value, which is nothing yet, for its address."""
    stars = {(one.name, one.type.count("*")) for one in facts.named if not one.is_array}
    for call in facts.called(*ALLOCATES):
        given = re.fullmatch(r"(?:\(\s*void\s*\*\*\s*\)\s*)?(\w+)", call.given[0] if call.given[1:] else "")
        if given and (given[1], 1) in stars and (given[1], 2) not in stars:
            yield call.line, "no-address", {"name": given[1]}


def _extern_twice(facts: Facts) -> Found:
    """The second dynamic array of a function."""
    before: set[Function] = set()
    for array in facts.arrays:
        if array.is_dynamic and (function := facts.function_at(array.line)):
            if function in before:
                yield array.line, "extern-twice", {}
            before.add(function)


def _own_outputs(facts: Facts) -> Found:
    """A tensor that the launcher was given, replaced by memory of its own."""
    known = exports(facts.tokens)
    launcher = next((f for f in facts.functions if f.name in known), None)
    given = {name_of(p) for p in launcher.parameters(facts.code) if "*" in text_of(p)} if launcher else set()
    for call in facts.called(*ALLOCATES):
        name = re.fullmatch(r".*&\s*(\w+)", call.given[0] if call.given[1:] else "")
        if name and name[1] in given:
            yield call.line, "own-output", {"name": name[1]}


_RULES = (
    *lint_numbers.RULES, _own_arrays, _only_added, _set_bytes, _empty_bodies, _bytes, _own_outputs,
    _extern_twice, _allocated, lint_programs.fragment_order,
)  # fmt: skip
