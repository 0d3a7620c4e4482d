"""Slips that compile without a word, seen in the text: what was written cannot be what is meant.

Nobody loses points by them: they are told where results are wrong (grading/suspicions.py). Comments are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from onekernel.simulator.compilation import lint_numbers, lint_programs
from onekernel.simulator.compilation.lint_numbers import Found
from onekernel.simulator.facts.file import Facts, facts_of
from onekernel.simulator.facts.functions import Function

Seen = Iterator[tuple[str, int, str, dict[str, object]]]
"""File, line, the message's name in messages/compile.toml behind `warning-`, its values."""

_TYPE = r"^\s*(?:float|double|int|unsigned|float4|__half|__nv_bfloat16|\w+_t|T)\s+"
_ARRAY = re.compile(rf"{_TYPE}(\w+\s*(?:\[[^\]]*\]\s*)+(?:,\s*\w+\s*(?:\[[^\]]*\]\s*)+)*);")
_SET = re.compile(r"\b(cudaMemset(?:Async)?)\s*\([^,;]+,\s*([^,;]+?)\s*,[^;]*;")
_OF_THREAD = re.compile(r"\b(\w+)\s*=\s*[^;=]*\bthreadIdx\b")
_EMPTY_FOR = re.compile(r"\b(for|while|if)\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\s*;\s*$")
_COPY = re.compile(r"\b(?P<call>cudaMem(?:cpy|set)(?:Async)?)\s*\((?P<given>(?:[^()]|\([^()]*\))*)\)")
_BYTES = re.compile(r"sizeof|byte|size|\*|[4-9]|\d\d", re.IGNORECASE)
_NO_ADDRESS = re.compile(r"\bcudaMalloc(?:Async|Managed)?\s*\(\s*(?:\(\s*void\s*\*\*\s*\)\s*)?(\w+)\s*,")
_LAUNCHER = re.compile(r'extern\s+"C"[^;{}()]*\(([^()]*)\)\s*\{')
_ALLOCATES = re.compile(r"\bcudaMalloc(?:Async|Managed)?\s*\(\s*(?:\(\s*void\s*\*\*\s*\)\s*)?&\s*(\w+)")


def lint(files: Mapping[str, str], program: bool = False) -> Seen:
    """What is seen in the texts of the learner's files, or of a whole program."""
    for file, text in files.items():
        facts = facts_of(text)
        for rule in lint_programs.RULES if program else _RULES:
            yield from ((file, n, key, values) for n, key, values in rule(facts))


def _own(facts: Facts) -> Iterator[tuple[int, str, str]]:
    """The arrays of a thread's own: number, line, name."""
    for n, line in enumerate(facts.lines, 1):
        if array := _ARRAY.match(line):
            yield from ((n, line, name) for name in re.findall(r"(\w+)\s*\[", array[1]))


def _own_arrays(facts: Facts) -> Found:
    """Arrays of a thread's own that are indexed by the thread, in a file whose threads meet at barriers: __shared__ may
    be missing."""
    text = "\n".join(facts.lines)
    if "__syncthreads" not in text:
        return
    of_thread = "|".join({"threadIdx", *_OF_THREAD.findall(text)})
    for n, _, name in _own(facts):
        if re.search(rf"(?<![.\w>]){name}\s*\[[^\]]*\b(?:{of_thread})\b[^\]]*\]\s*=[^=]", text):
            yield n, "own-array", {"name": name}


def _only_added(facts: Facts) -> Found:
    """Arrays of a thread's own whose elements are added to, and neither set before nor given to a function."""
    text = "\n".join(facts.lines)
    for n, line, name in _own(facts):
        element = rf"\b{name}\s*(?:\[[^\]]*\]\s*)+"
        given = re.search(rf"\b{name}\b\s*(?![\s\[])", text.replace(line, "", 1))
        elsewhere = given or re.search(rf"{element}=[^=]|&\s*{element}", text)
        if re.search(rf"{element}\+=", text) and not elsewhere:
            yield n, "uninitialised", {"name": name}


def _set_bytes(facts: Facts) -> Found:
    """cudaMemset with another value than 0, or all bits: it sets bytes."""
    for n, line in enumerate(facts.lines, 1):
        for call, value in _SET.findall(line):
            if re.fullmatch(r"[1-9]\d*|0x0*[1-9]|-?\d*\.\d*f?", value) and value not in ("255", "127"):
                yield n, "set-bytes", {"call": call, "value": value}


def _empty_bodies(facts: Facts) -> Found:
    for n, line in enumerate(facts.lines, 1):
        empty = _EMPTY_FOR.search(line)
        if empty and n < len(facts.lines) and facts.lines[n].strip().startswith("{") and not re.match(r"\s*\}", line):
            yield n, "empty-body", {"word": empty[1]}


def _bytes(facts: Facts) -> Found:
    """Copies of a number of elements, where a number of bytes is meant."""
    text = "\n".join(facts.lines)
    for n, line in enumerate(facts.lines, 1):
        for copy in _COPY.finditer(line):
            given = [part.strip() for part in copy["given"].split(",")]
            if len(given) < 3 or not re.match(r"\w", given[2]):
                continue
            names = "|".join(re.findall(r"[A-Za-z_]\w*", given[2])) or "$."
            made = re.findall(rf"\b(?:{names})\s*=\s*([^;]+);|#\s*define\s+(?:{names})\s+(.+)", text)
            if not _BYTES.search(given[2] + " ".join(part for parts in made for part in parts)):
                yield n, "bytes", {"call": copy["call"], "count": given[2]}


def _allocated(facts: Facts) -> Found:
    """An allocation that is given the pointer's value, which is nothing yet, for its address."""
    text = "\n".join(facts.lines)
    for n, line in enumerate(facts.lines, 1):
        given = _NO_ADDRESS.search(line)
        if given is None:
            continue
        name = given[1]
        if re.search(rf"\b\w+\s*\*\s*{name}\b(?!\s*\[)", text) and not re.search(rf"\*\s*\*\s*{name}\b", text):
            yield n, "no-address", {"name": name}


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
    text = "\n".join(facts.lines)
    launcher = _LAUNCHER.search(text)
    given = re.findall(r"\*\s*(\w+)", launcher[1]) if launcher else []
    for n, line in enumerate(facts.lines, 1):
        allocated = _ALLOCATES.search(line)
        if allocated and allocated[1] in given:
            yield n, "own-output", {"name": allocated[1]}


_RULES = (
    *lint_numbers.RULES, _own_arrays, _only_added, _set_bytes, _empty_bodies, _bytes, _own_outputs,
    _extern_twice, _allocated, lint_programs.fragment_order,
)  # fmt: skip
