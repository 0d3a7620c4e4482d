"""What a `.cu` declares, read without a compiler: a C ABI carries no types, so a wrong signature links and then lies.

But: macros and templates are not expanded. What cannot be read is not judged.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from onekernel.backends.base import BuildError, Finding
from onekernel.messages import Message

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL)
_FUNCTION = re.compile(r"\b([A-Za-z_]\w*)\s*\(([^(){};]*)\)\s*\{")
_ALIASES = {
    **dict.fromkeys(("long long", "long long int", "long", "long int", "ptrdiff_t", "ssize_t", "size_t", "uint64_t",
                     "unsigned long long", "unsigned long"), "int64_t"),
    "half": "__half", "nv_bfloat16": "__nv_bfloat16", "CUstream": "cudaStream_t", "int32_t": "int",
}  # fmt: skip
_KNOWN = {"int64_t", "int", "unsigned", "unsigned int", "uint32_t", "short", "float", "double", "bool", "char",
          "__half", "__nv_bfloat16", "cudaStream_t", *_ALIASES}  # fmt: skip


@dataclass(frozen=True)
class Declared:
    """A function defined in the file: its name, line, return type, parameters as written, and linkage."""

    name: str
    line: int
    returns: str
    parameters: tuple[str, ...]
    extern_c: bool


def functions(source: str) -> list[Declared]:
    """Every host function that the file defines outside a macro, in order."""
    text = re.sub(r"\bextern\s+_C\b", "extern_C", _COMMENT.sub(_blank, source))
    text = re.sub(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", _spaces, text, flags=re.MULTILINE)
    blocks = _extern_c_blocks(text)
    found = []
    for match in _FUNCTION.finditer(text):
        start = match.start()
        head = text[max(text.rfind(sign, 0, start) for sign in ";{}") + 1 : start].split()
        if not head or {"__global__", "__device__", "else"} & set(head):
            continue
        extern_c = "extern_C" in head or any(a < start < b for a, b in blocks)
        parameters = tuple(" ".join(p.split()) for p in match[2].split(",") if p.strip() and p.strip() != "void")
        found.append(Declared(match[1], text.count("\n", 0, start) + 1, head[-1], parameters, extern_c))
    return found


def exported(path: Path) -> list[str]:
    """The names of the functions of a file that C may call, in order: its launchers, and whatever else is so marked."""
    return [d.name for d in functions(path.read_text(encoding="utf-8")) if d.extern_c]


def prototype(text: str) -> Declared:
    """A C prototype, read as a definition is. Raises ValueError for text that is none."""
    found = functions(text.strip().rstrip(";") + " {}")
    if len(found) != 1:
        raise ValueError(f"not one prototype: {text!r}")
    return found[0]


def hold_to(prototypes: Sequence[str], declared: Sequence[Declared], path: Path) -> None:
    """Raises BuildError for the first launcher of the file at `path` that is not as its prototype says.

    A launcher that the file does not define is not judged here: only the library knows what it exports.
    """
    by_name = {d.name: d for d in declared}
    for expected in map(prototype, prototypes):
        found = by_name.get(expected.name)
        wrong = mismatch(found, expected) if found else None
        if found and wrong:
            message = Message(f"cuda.{wrong[0]}", wrong[1])
            chapter = "01-03-launch#launch"
            raise BuildError([Finding("wrong-signature", message, str(path), found.line, "error", chapter)])


def mismatch(declared: Declared, expected: Declared) -> tuple[str, dict[str, str]] | None:
    """The first way in which a launcher cannot be called as `expected`: a message key of area cuda and its values.

    What the C ABI passes alike is alike: `long long` for int64_t, a pointer without its const or with __restrict__.
    """
    values = {"function": declared.name}
    if declared.returns != expected.returns:
        return "wrong-return", values | {"returns": declared.returns}
    if len(declared.parameters) != len(expected.parameters):
        counts = {"found": str(len(declared.parameters)), "expected": str(len(expected.parameters))}
        return "wrong-count", values | counts
    for number, (mine, theirs) in enumerate(zip(declared.parameters, expected.parameters, strict=True), start=1):
        if not _compatible(mine, theirs):
            return "wrong-parameter", values | {"number": str(number), "found": mine, "expected": theirs}
    return None


def _compatible(mine: str, theirs: str) -> bool:
    """False only for two types that are known and differ; a typedef of the learner's is not judged."""
    if ("*" in mine or "[" in mine) != ("*" in theirs):
        return _base(mine) not in _KNOWN
    a, b = _base(mine), _base(theirs)
    return a not in _KNOWN or a == b or _ALIASES.get(a, a) == _ALIASES.get(b, b)


def _base(text: str) -> str:
    """The type of a parameter without qualifiers, stars and name: `const float* __restrict__ x` -> `float`."""
    words = re.sub(r"[*&\[\]]|\b(?:const|volatile|std::|__restrict__|__restrict|restrict)\b|std::", " ", text).split()
    while len(words) > 1 and " ".join(words) not in _KNOWN:
        words = words[:-1]
    return " ".join(words)


def _blank(match: re.Match[str]) -> str:
    """Keeps the lines; `extern "C"` becomes one word so that it outlives the removal of strings."""
    if match[0] == '"C"':
        return "_C"
    return _spaces(match)


def _spaces(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])


def _extern_c_blocks(text: str) -> list[tuple[int, int]]:
    blocks = []
    for match in re.finditer(r"extern_C\s*\{", text):
        depth = 0
        for at in range(match.end() - 1, len(text)):
            depth += {"{": 1, "}": -1}.get(text[at], 0)
            if depth == 0:
                blocks.append((match.start(), at))
                break
    return blocks
