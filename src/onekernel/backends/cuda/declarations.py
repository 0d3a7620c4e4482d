"""What a `.cu` declares, read without a compiler: a C ABI carries no types, so a wrong signature links and then lies.

But: macros and templates are not expanded. What cannot be read is not judged.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from onekernel.backends.base import Arg, Buffer

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL)
_FUNCTION = re.compile(r"\b([A-Za-z_]\w*)\s*\(([^(){};]*)\)\s*\{")
_INT64 = {"int64_t", "long long", "long long int", "long", "long int", "ptrdiff_t", "ssize_t", "size_t", "uint64_t",
          "unsigned long long", "unsigned long"}  # fmt: skip
_NARROW = {"int", "unsigned", "unsigned int", "int32_t", "uint32_t", "short", "float", "double", "bool", "char"}
_SIZES = {"float": 4, "double": 8, "__half": 2, "half": 2, "__nv_bfloat16": 2, "nv_bfloat16": 2, "int": 4,
          "int32_t": 4, "int64_t": 8, "char": 1, "int8_t": 1, "uint8_t": 1, "unsigned char": 1}  # fmt: skip


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


def mismatch(declared: Declared, args: Sequence[Arg]) -> tuple[str, dict[str, str]] | None:
    """The first way in which a launcher cannot take `args` and a stream: a message key of area cuda and its values."""
    values = {"function": declared.name}
    if declared.returns != "cudaError_t":
        return "wrong-return", values | {"returns": declared.returns}
    if len(declared.parameters) != len(args) + 1:
        return "wrong-count", values | {"found": str(len(declared.parameters)), "expected": str(len(args) + 1)}
    for number, (text, arg) in enumerate(zip(declared.parameters, args, strict=False), start=1):
        expected = _expected(text, arg)
        if expected:
            return "wrong-parameter", values | {"number": str(number), "found": text, "expected": expected}
    if "*" in declared.parameters[-1] or _base(declared.parameters[-1]) in _INT64 | _NARROW:
        return "wrong-parameter", values | {
            "number": str(len(args) + 1), "found": declared.parameters[-1], "expected": "cudaStream_t stream",
        }  # fmt: skip
    return None


def _expected(text: str, arg: Arg) -> str | None:
    """What the parameter should have been, or None where it may be right."""
    pointer = "*" in text or "[" in text
    base = _base(text)
    if isinstance(arg, Buffer):
        size = _SIZES.get(base)
        if not pointer and base in _INT64 | _NARROW:
            return f"pointer ({arg.name})"
        if pointer and size is not None and size != arg.itemsize:
            return f"{arg.itemsize}-byte elements ({arg.name})"
        return None
    return "int64_t" if pointer or base in _NARROW else None


def _base(text: str) -> str:
    """The type of a parameter without qualifiers, stars and name: `const float* __restrict__ x` -> `float`."""
    words = re.sub(r"[*&\[\]]|\b(?:const|volatile|std::|__restrict__|__restrict|restrict)\b|std::", " ", text).split()
    while len(words) > 1 and " ".join(words) not in _INT64 | _NARROW:
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
