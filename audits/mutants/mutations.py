"""Small changes to a kernel file, each of which somebody makes by mistake: the mutants of mutation testing.

A mutation is a rule, a regular expression and what takes its place, applied at one place of one line. Comments, headers
and docstrings are left alone. Source of the method: DeMillo, Lipton and Sayward, "Hints on test data selection", 1978.
"""

from __future__ import annotations

import ast
import io
import random
import re
import tokenize
import zlib
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass
from pathlib import Path

Replace = str | Callable[[re.Match[str]], str]


@dataclass(frozen=True)
class Mutant:
    """One changed line of a file. `line` counts from 1; `before` and `after` are the line without its indentation."""

    rule: str
    line: int
    before: str
    after: str
    text: str  # the whole file


def _plus(amount: int) -> Replace:
    return lambda m: str(int(m[0]) + amount)


_NUMBER = r"(?<![\w.])\d+(?![\w.])"
_COMMON: tuple[tuple[str, str, Replace], ...] = (
    ("bound", r" < ", " <= "), ("bound", r" <= ", " < "), ("bound", r" > ", " >= "), ("bound", r" >= ", " > "),
    ("bound", r" == ", " != "), ("bound", r" != ", " == "),
    ("operator", r" \+ ", " - "), ("operator", r" - ", " + "), ("operator", r" \* ", " + "),
    ("operator", r" / ", " * "), ("operator", r" % ", " / "), ("operator", r" // ", " * "),
    ("operator", r" \+= ", " -= "), ("operator", r" [+*]= ", " = "),
    ("constant", _NUMBER, _plus(1)), ("constant", r"(?<![\w.])[1-9]\d*(?![\w.])", _plus(-1)),
)  # fmt: skip
_CUDA: tuple[tuple[str, str, Replace], ...] = (
    *_COMMON,
    ("operator", r" && ", " || "), ("operator", r" \|\| ", " && "),
    ("constant", r"\b0\.0f", "1.0f"), ("constant", r"\b1\.0f", "0.0f"), ("constant", r"-INFINITY", "0.0f"),
    ("barrier", r"__syncthreads\(\);", ";"), ("barrier", r"__syncwarp\(\);", ";"),
    ("barrier", r"\w+\.sync\(\);", ";"),
    ("mask", r"0xffffffff", "0x0000ffff"), ("mask", r"0xffffffff", "0x7fffffff"),
    ("type", r"\(int64_t\)", ""), ("type", r"\bint64_t (?=\w+ =)", "int "), ("type", r"\bfloat (?=\w+ =)", "int "),
    ("function", r"\bfmaxf\b", "fminf"), ("function", r"(?<!_)\bexpf\b", "exp2f"),
    ("function", r"shfl_xor_sync", "shfl_down_sync"),
    ("name", r"\bx_row_stride\b(?!,)", "y_row_stride"), ("name", r"\by_row_stride\b(?!,)", "x_row_stride"),
    ("name", r"\blda\b(?!,)", "ldb"), ("name", r"\bldb\b(?!,)", "ldc"), ("name", r"\bldc\b(?!,)", "lda"),
    ("name", r"\bthreadIdx\b", "blockIdx"), ("name", r"\bblockIdx\b", "threadIdx"),
    ("name", r"\bblockDim\b", "gridDim"), ("name", r"\bgridDim\b", "blockDim"),
    ("lost line", r"^\s+[\w\[\].>-]+ [+*]?= [^;{]*;$", ";"),
    ("lost line", r"^\s+if \([^()]*\) return[^;]*;$", ";"),
    ("error", r"return cudaGetLastError\(\);", "return cudaSuccess;"),
    ("error", r"\berror = cudaGetLastError\(\);", ";"),
)  # fmt: skip
_PYTHON: tuple[tuple[str, str, Replace], ...] = (
    *_COMMON,
    ("mask", r", mask=[^,()]+(?=[,)])", ""), ("mask", r"other=-float\(.inf.\)", "other=0.0"),
    ("constant", r"-float\(.inf.\)", "0.0"),
    ("type", r"\.to\(tl\.float32\)", ""), ("type", r"\.to\(tl\.int64\)", ""),
    ("quantity", r"(?<=\")\d+\.\d+(?= )", lambda m: f"{1.2 * float(m[0]):.3g}"),
    ("function", r"tl\.max\b", "tl.min"), ("function", r"tl\.maximum\b", "tl.minimum"),
    ("function", r"tl\.exp\b", "tl.exp2"), ("function", r"tl\.sum\b", "tl.max"),
    ("name", r"\bx_stride\b(?!,)", "y_stride"), ("name", r"\by_stride\b(?!,)", "x_stride"),
    ("name", r"\bx\.stride\(0\)", "x.shape[1]"), ("name", r"\bout\.stride\(0\)", "x.shape[1]"),
    ("lost line", r"^\s+[a-z_]+ = [^=({]*$", lambda m: re.match(r"\s+", m[0])[0] + "pass"),  # type: ignore[index]
)  # fmt: skip


def mutants(path: Path, most: int, lines: Container[int] | None = None) -> list[Mutant]:
    """Up to `most` mutants of a file, of each rule about as many, the same ones for the same text. `lines`: where a
    change may be, where not everywhere."""
    text = path.read_text(encoding="utf-8")
    rules = _PYTHON if path.suffix == ".py" else _CUDA
    found: dict[str, list[Mutant]] = {}
    code = _code_lines(path, text)
    for mutant in _all(text, rules, code if lines is None else {n for n in code if n in lines}):
        found.setdefault(mutant.rule, []).append(mutant)
    chosen: list[Mutant] = []
    draw = random.Random(zlib.crc32(path.name.encode()))
    for kind in found.values():
        draw.shuffle(kind)
    while len(chosen) < most and any(found.values()):
        for kind in found.values():
            if kind and len(chosen) < most:
                chosen.append(kind.pop())
    return chosen


def _all(text: str, rules: tuple[tuple[str, str, Replace], ...], lines: set[int]) -> Iterator[Mutant]:
    whole = text.split("\n")
    comments = _comments(text, python=rules is _PYTHON)
    seen = set()
    for number in sorted(lines):
        line = whole[number - 1]
        code = line[: comments.get(number, len(line))].rstrip()
        for rule, pattern, replacement in rules:
            for match in re.finditer(pattern, code):
                new = replacement(match) if callable(replacement) else replacement
                changed = code[: match.start()] + new + code[match.end() :]
                if changed == code or (number, changed) in seen:
                    continue
                seen.add((number, changed))
                mutated = "\n".join([*whole[: number - 1], changed, *whole[number:]])
                yield Mutant(rule, number, code.strip(), changed.strip(), mutated)


def _comments(text: str, *, python: bool) -> dict[int, int]:
    """Line -> the column where its comment begins."""
    if python:
        tokens = tokenize.generate_tokens(io.StringIO(text).readline)
        return {t.start[0]: t.start[1] for t in tokens if t.type == tokenize.COMMENT}
    return {n: line.index("//") for n, line in enumerate(text.split("\n"), 1) if "//" in line}


def _code_lines(path: Path, text: str) -> set[int]:
    """The lines that hold code: not comments, not preprocessor directives, not declarations of parameters."""
    lines = text.split("\n")
    if path.suffix == ".py":
        return _python_lines(text, lines)
    skipped = r"^\s*(//|#|$|template|extern|__global__|__device__|struct|static_assert|constexpr int64_t kMost)"
    return {n for n, line in enumerate(lines, 1) if not re.match(skipped, line)}


def _python_lines(text: str, lines: list[str]) -> set[int]:
    strings: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        alone = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if alone or isinstance(node, ast.Import | ast.ImportFrom | ast.arguments):
            strings |= set(range(getattr(node, "lineno", 0), (getattr(node, "end_lineno", 0) or 0) + 1))
    skipped = r"^\s*(#|$|def |@|from |import |__all__)"
    return {n for n, line in enumerate(lines, 1) if n not in strings and not re.match(skipped, line)}
