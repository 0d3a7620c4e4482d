"""What a source file says, line by line, and the file with it in another language: comments, docstrings, and in Python
what an exception is raised with.

A translation is a table from each line's text to the other language's, without mark and indentation. Other code is
never touched, and neither are the lines of a header that the course reads: Check, Bench, Ledger, Work. And what a file
is known by: the hashes of its bytes and of its code.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path

_C = re.compile(r"^(?P<before>[^\"\n]*?//(?!\|) ?)(?P<text>.*)$")
_PYTHON = re.compile(r"^(?P<before>[^\"'#\n]*(?:\"[^\"\n]*\"[^\"'#\n]*)*# ?)(?P<text>.*)$")
_READ = re.compile(r"(?:Check|Bench|Ledger[^:]*|Work):\s+(?:onekernel |python |reads |\w+ per \w+)|[-=\s]*$|<!--")

# Of a line: what stands before a comment that no string holds.
_CODE = {
    ".cu": re.compile(r"""(?:[^"'/\n]|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|/(?!/))*"""),
    ".py": re.compile(r"""(?:[^"'#\n]|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')*"""),
}


def code(text: str, suffix: str, *, raised: bool = True) -> str:
    """Every line without its `//` or `#` comment and without what a docstring says; none is left out, so that each
    keeps its number. Without `raised`, without what exceptions say, too: the same in every language."""
    if suffix not in _CODE:
        return text
    lines = text.split("\n")
    inside = _docstring_lines(text) if suffix == ".py" else {}
    inside |= _raised_lines(text) if suffix == ".py" and not raised else {}
    for n, line in enumerate(lines):
        if n in inside:
            start, end = inside[n]
            lines[n] = (line[:start] + line[end:]).rstrip()
        elif found := _CODE[suffix].match(line):
            lines[n] = found[0].rstrip()
    return "\n".join(lines)


def translated(text: str, suffix: str, words: Mapping[str, str]) -> str:
    """The file with each comment line that `words` has in the other language; the others as they are."""
    return _mapped(text, suffix, lambda line: words.get(line, line))


def told(text: str, suffix: str) -> list[str]:
    """Every line that a reader of the file reads as a sentence, in order."""
    found: list[str] = []

    def noted(line: str) -> str:
        if re.search("[A-Za-z]{2}", line) and not _READ.match(line):
            found.append(line)
        return line

    _mapped(text, suffix, noted)
    return found


def _mapped(text: str, suffix: str, change: Callable[[str], str]) -> str:
    lines = text.split("\n")
    if suffix == ".md":
        return "\n".join(change(line) for line in lines)
    pattern = _PYTHON if suffix == ".py" else _C
    inside = {**_docstring_lines(text), **_raised_lines(text)} if suffix == ".py" else {}
    for n, line in enumerate(lines):
        if n in inside:
            start, end = inside[n]
            lines[n] = _changed(line[:start], line[start:end], change) + line[end:]
        elif found := pattern.match(line):
            lines[n] = _changed(found["before"], found["text"], change)
    return "\n".join(lines)


def _changed(before: str, text: str, change: Callable[[str], str]) -> str:
    body = text.strip()
    if not body:
        return before + text
    indent, rest = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    return f"{before}{indent}{change(body)}{rest}"


@lru_cache(1)
def _nodes(text: str) -> tuple[ast.AST, ...]:
    """Those of a Python file; none of one that Python cannot read."""
    try:
        return tuple(ast.walk(ast.parse(text)))
    except (SyntaxError, ValueError):
        return ()


def _docstring_lines(text: str) -> dict[int, tuple[int, int]]:
    """Line -> where on it a docstring's text begins and ends; nothing in a file that Python cannot read."""
    spans: dict[int, tuple[int, int]] = {}
    lines = text.split("\n")
    for node in _nodes(text):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
            for n in range(first, last + 1):
                line = lines[n]
                start = line.index('"""') + 3 if n == first else 0
                spans[n] = (start, line.rindex('"""') if n == last else len(line))
    return spans


def _raised_lines(text: str) -> dict[int, tuple[int, int]]:
    """Line -> where on it the text begins and ends that an exception is raised with, f-strings as they stand."""
    spans: dict[int, tuple[int, int]] = {}
    lines = text.split("\n")
    for node in _nodes(text):
        given = node.exc.args if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) else []
        for said in given[:1]:
            line, plain = lines[said.lineno - 1], isinstance(said, ast.Constant) and isinstance(said.value, str)
            if said.end_lineno != said.lineno or not line.isascii() or not (plain or isinstance(said, ast.JoinedStr)):
                continue
            begin, end = line.index('"', said.col_offset) + 1, (said.end_col_offset or 0) - 1
            if " " in line[begin:end]:  # else a name
                spans[said.lineno - 1] = begin, end
    return spans


def table(path: Path) -> dict[str, str]:
    """A translation from its file, two lines for each: what stands there, and below it the other language's, indented.

    Raises ValueError for a line without its pair.
    """
    if not path.is_file():
        return {}
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip() and line[0] != "%"]
    pairs = list(zip(lines[::2], lines[1::2], strict=True))
    for first, second in pairs:
        if first.startswith("  ") or not second.startswith("  "):
            raise ValueError(f"{path}: {first!r} has no translation under it")
    return {first: second.strip() for first, second in pairs}


def sha256(path: Path) -> str:
    """The hash of a file, in hexadecimal digits."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def code_hash(path: Path) -> str:
    """The hash of a file's code, line by line: another comment leaves it as it is, another line number does not."""
    return hashlib.sha256(code(path.read_text(encoding="utf-8"), path.suffix).encode()).hexdigest()


def kernel_hash(path: Path) -> str:
    """What a kernel is known by in a result file and in a tuning log: the first twelve digits of its hash."""
    return sha256(path)[:12]
