"""What a compiler only warns of, and a lint of our own (lint.py), as findings of severity "warning", for wrong results.

A warning is no error, and right programs have some. Those chosen here name a slip that explains a wrong result.
Of a program it also tells where nothing looks at what a call of CUDA's runtime returns.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from onekernel.backends.base import Finding
from onekernel.messages import Message
from onekernel.simulator.compilation.lint import Seen, lint
from onekernel.simulator.facts import Facts, facts_of
from onekernel.simulator.facts.names import Named

CHAPTER = "01-07-compile-errors#compile-errors"
MOST = 5
FLAGS = (
    "-Wparentheses", "-Wuninitialized", "-Wmaybe-uninitialized", "-Wunused-value", "-Wunused-result", "-Waddress",
    "-Wfloat-conversion", "-Wempty-body", "-Wunused-but-set-variable", "-Wmisleading-indentation",
    "-Wsizeof-pointer-div", "-Wtype-limits", "-Wshadow",
)  # fmt: skip
_WARNING = re.compile(
    r"^(?P<file>[^\s:][^:\n]*):(?P<line>\d+):(?:\d+:)? warning: (?P<what>.*?) \[-W(?P<flag>[\w-]+)(?:=[\w-]*)?\]$",
    re.MULTILINE,
)
# The flag of a warning, what it says (named groups are values of the sentence), the sentence.
_INTEGER = r"(?:unsigned |long |short |signed )*(?:int|char|long|short|u?int\d+_t|size_t)\b"
_KNOWN = (
    ("parentheses", r"assignment used as truth value|using the result of an assignment", "assignment"),
    ("parentheses", r"comparisons like", "chained"),
    ("sizeof-pointer-div", r"division", "sizeof-pointer"),
    ("type-limits", r"unsigned expression in '>= 0' is always true", "unsigned-below"),
    ("address", r"statement is a reference, not call, to function '(?P<name>\w+)'", "no-call"),
    ("uninitialized", r"'(?P<name>\w+)' is (?:used )?uninitialized", "uninitialised"),
    ("maybe-uninitialized", r"'(?P<name>\w+)' (?:may|might) be used uninitialized", "maybe-uninitialised"),
    ("unused-result", r"return value of '.*?\b(?P<name>__\w+_sync)", "unused-result"),
    ("unused-value", r"(?:statement|value computed|expression|right operand|left operand)", "no-effect"),
    ("unused-but-set-variable", r"'(?P<name>\w+)'", "never-used"),
    ("float-conversion", rf"conversion from .* to '{_INTEGER}", "cuts"),
    ("deprecated-declarations", r"'(?:[^'(]*[ :*&])?(?P<name>\w+)(?:\(.*)?' is deprecated: ok-gone", "gone"),
    ("shadow", r"declaration (?:of '(?P<name>\w+)' )?shadows a (?:previous )?local", "shadows"),
    ("empty-body", r"empty body in an '(?P<word>\w+)'", "empty-body"),
    ("misleading-indentation", r"this '(?P<word>\w+)' clause does not guard", "indented"),
)  # fmt: skip


# What CUDA 13 has instead, by names that it has no more.
_INSTEAD = {
    "cudaMemPrefetchAsync": "place", "cudaMemAdvise": "place", "cudaThreadSynchronize": "synchronize",
    "clockRate": "cudaDevAttrClockRate", "memoryClockRate": "cudaDevAttrMemoryClockRate",
    "kernelExecTimeoutEnabled": "cudaDevAttrKernelExecTimeout", "computeMode": "cudaDevAttrComputeMode",
    "singleToDoublePrecisionPerfRatio": "cudaDevAttrSingleToDoublePrecisionPerfRatio",
}  # fmt: skip

# Right programs have these, too: told where a result is known to be wrong, not of a program that nobody has judged.
_OF_WRONG_RESULTS = ("maybe-uninitialised", "never-used", "cuts", "shadows")


def warnings_in(log: str, files: Mapping[str, str], program: bool = False) -> tuple[Finding, ...]:
    """The first findings in a compiler's `log`, and in the texts of the learner's `files`, each line once. Of a whole
    program, of which nobody knows what is right, those alone that right ones do not have (lint.py): 90 of 92 slips
    that are looked for in exercises were none in 600 public programs."""
    found: dict[tuple[str, int], Finding] = {}
    for file, line, key, values in (*lint(files, program), *_said(log, files)):
        if program and key in _OF_WRONG_RESULTS:
            continue
        message = Message(f"compile.warning-{key}", values)
        found.setdefault((file, line), Finding(f"warning-{key}", message, file, line, "warning", CHAPTER))
    return tuple(found.values())[:MOST]


def _said(log: str, files: Mapping[str, str]) -> Seen:
    for match in _WARNING.finditer(re.sub("[\u2018\u2019]", "'", log)):
        if match["file"] not in files:
            continue
        for flag, pattern, key in _KNOWN:
            said = re.search(pattern, match["what"]) if flag == match["flag"] else None
            if said:
                values: dict[str, object] = dict(said.groupdict())
                line, facts = int(match["line"]), facts_of(files[match["file"]])
                if key == "maybe-uninitialised" and not _is_set(facts, said["name"]):
                    key = "uninitialised"
                if key.endswith("uninitialised"):
                    declared = _declared(facts, line, said["name"])
                    line = declared.line if declared else line
                    values["create"] = _creates(declared.type if declared else ())
                    key = "uncreated" if values["create"] else key
                if key == "gone":
                    values["instead"] = _instead(said["name"])
                yield match["file"], line, key, values
                break


def _instead(name: str) -> object:
    """What to write in place of what CUDA 13 has no more; "" where nobody knows."""
    known = _INSTEAD.get(name, "")
    if known.startswith("cudaDevAttr"):
        return Message("compile.warning-gone-attribute", {"attribute": known})
    return Message(f"compile.warning-gone-{known}") if known else ""


def _creates(kind: Sequence[str]) -> str:
    """The call that makes what has this type: an event, a stream, the handle of a library; "" of numbers."""
    made = {"cudaEvent_t": "cudaEventCreate", "cudaStream_t": "cudaStreamCreate", "cublasHandle_t": "cublasCreate",
            "curandGenerator_t": "curandCreateGenerator"}  # fmt: skip
    return next((made[word] for word in kind if word in made), "")


def _is_set(facts: Facts, name: str) -> bool:
    """Whether anything gives the variable a value: an assignment, not one that adds, or its address."""
    stored = any(store.sets and store.target.base == name for store in facts.stores)
    return stored or any(sign.text == "&" and token.text == name for sign, token in pairwise(facts.code))


def _declared(facts: Facts, line: int, name: str) -> Named | None:
    """The declaration that gives the variable no value: the last one up to `line`, else the first (the use may stand in
    a function that was inlined)."""
    known = [one for one in facts.named if one.name == name and not one.is_parameter]
    bare = [one for one in known if facts.code[one.at + 1].text in (",", ";")]
    return next((one for one in reversed(bare) if one.line <= line), bare[0] if bare else None)


_LINE = re.compile(r"^(?P<file>[^\s:][^:\n]*):(?P<line>\d+):(?:\d+:)? (?P<kind>warning|note): (?P<what>.*)$")
_IGNORED = re.compile(r"ignoring returned? value .*\bcudaError")


def discarded_in(log: str) -> frozenset[tuple[str, int]]:
    """(file, line) of each such call in what the compiler said; of one in a macro also where that stands."""
    found = set()
    ignored = False
    for text in log.splitlines():
        said = _LINE.match(text)
        if said is None:
            continue
        if said["kind"] == "warning":
            ignored = bool(_IGNORED.search(said["what"]))
        if ignored:
            found.add((said["file"], int(said["line"])))
    return frozenset(found)
