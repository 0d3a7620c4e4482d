"""What a compiler only warns of, and a lint of our own, as findings of severity "warning", for wrong results.

A warning is no error, and right programs have some. Those chosen here name a slip that explains a wrong result.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from onekernel.backends.base import Finding
from onekernel.messages import Message

CHAPTER = "01-cuda-programming-model#compile-errors"
MOST = 5
FLAGS = (
    "-Wparentheses", "-Wuninitialized", "-Wmaybe-uninitialized", "-Wunused-value", "-Wunused-result", "-Waddress",
    "-Wfloat-conversion", "-Wempty-body", "-Wunused-but-set-variable", "-Wmisleading-indentation",
)  # fmt: skip
_WARNING = re.compile(
    r"^(?P<file>[^\s:][^:\n]*):(?P<line>\d+):(?:\d+:)? warning: (?P<what>.*?) \[-W(?P<flag>[\w-]+)=?\]$", re.MULTILINE
)
# The flag of a warning, what it says (named groups are values of the sentence), the sentence.
_KNOWN = (
    ("parentheses", r"assignment used as truth value|using the result of an assignment", "assignment"),
    ("address", r"statement is a reference, not call, to function '(?P<name>\w+)'", "no-call"),
    ("uninitialized", r"'(?P<name>\w+)' is (?:used )?uninitialized", "uninitialised"),
    ("maybe-uninitialized", r"'(?P<name>\w+)' (?:may|might) be used uninitialized", "uninitialised"),
    ("unused-result", r"return value of '.*?\b(?P<name>__\w+_sync)", "unused-result"),
    ("unused-value", r"(?:statement|value computed|expression|right operand|left operand)", "no-effect"),
    ("unused-but-set-variable", r"'(?P<name>\w+)'", "never-used"),
    ("float-conversion", r"conversion from", "cuts"),
    ("empty-body", r"empty body in an '(?P<word>\w+)'", "empty-body"),
    ("misleading-indentation", r"this '(?P<word>\w+)' clause does not guard", "indented"),
)  # fmt: skip
_ARRAY = re.compile(r"^\s*(?:float|double|int|unsigned|float4|__half|__nv_bfloat16|\w+_t)\s+(\w+)\s*\[[^\]]*\]\s*;")
_OF_THREAD = re.compile(r"\b(\w+)\s*=\s*[^;=]*\bthreadIdx\b")
_EMPTY_FOR = re.compile(r"\b(for|while|if)\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\s*;\s*$")


def warnings_in(log: str, files: Mapping[str, str]) -> tuple[Finding, ...]:
    """The first findings in a compiler's `log`, and in the texts of the learner's `files`, each line once."""
    found: dict[tuple[str, int], Finding] = {}
    for file, line, key, values in (*_lint(files), *_said(log, files)):
        message = Message(f"compile.warning-{key}", values)
        found.setdefault((file, line), Finding(f"warning-{key}", message, file, line, "warning", CHAPTER))
    return tuple(found.values())[:MOST]


Seen = Iterator[tuple[str, int, str, dict[str, object]]]


def _said(log: str, files: Mapping[str, str]) -> Seen:
    for match in _WARNING.finditer(re.sub("[\u2018\u2019]", "'", log)):
        if match["file"] not in files:
            continue
        for flag, pattern, key in _KNOWN:
            said = re.search(pattern, match["what"]) if flag == match["flag"] else None
            if said:
                values: dict[str, object] = dict(said.groupdict())
                line = int(match["line"])
                if key == "uninitialised":
                    line = _declared(files[match["file"]].splitlines(), line, said["name"])
                yield match["file"], line, key, values
                break


def _declared(lines: list[str], line: int, name: str) -> int:
    """The line that declares the variable and gives it no value: the last one up to `line`, else the first (the use may
    stand in a function that was inlined); `line` where there is none."""
    declares = re.compile(rf"\b\w+[ \t]+(?:\w+[ \t]*(?:=[^,;]*)?,[ \t]*)*{name}[ \t]*[,;]")
    found = [n for n, text in enumerate(lines, 1) if declares.search(text) and "return" not in text]
    return max((n for n in found if n <= line), default=min(found, default=line))


def _lint(files: Mapping[str, str]) -> Seen:
    for file, text in files.items():
        lines = [re.sub(r"//.*", "", line) for line in text.splitlines()]
        for n, name in _own_arrays(lines):
            yield file, n, "own-array", {"name": name}
        for n, line in enumerate(lines, 1):
            empty = _EMPTY_FOR.search(line)
            if empty and n < len(lines) and lines[n].strip().startswith("{") and not re.match(r"\s*\}", line):
                yield file, n, "empty-body", {"word": empty[1]}


def _own_arrays(lines: list[str]) -> Iterator[tuple[int, str]]:
    """Arrays of a thread's own that are indexed by the thread, in a file whose threads meet at barriers: __shared__ may
    be missing."""
    text = "\n".join(lines)
    if "__syncthreads" not in text:
        return
    of_thread = "|".join({"threadIdx", *_OF_THREAD.findall(text)})
    for n, line in enumerate(lines, 1):
        array = _ARRAY.match(line)
        if array and re.search(rf"\b{array[1]}\s*\[[^\]]*\b(?:{of_thread})\b[^\]]*\]\s*=[^=]", text):
            yield n, array[1]
