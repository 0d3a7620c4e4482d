"""The asm statements of a preprocessed file: where each stands, its text, its operands."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile

from onekernel.simulator.facts.tokens import (
    Token,
    closing,
    is_sign,
    next_solid,
    previous_solid,
    scan,
    split_commas,
    text_of,
)
from onekernel.simulator.rewrite import ASM

_FOUND = re.compile(rf'^# (?P<line>\d+) "(?P<file>[^"\n]*)"[^\n]*$|\b{ASM}\b', re.MULTILINE)
_QUALIFIERS = ("volatile", "__volatile__", "__volatile", "inline", "goto")
_RAW = re.compile(r'(?:u8|[uUL])?R"([^(\s]*)\((.*)\)\1"', re.DOTALL)


@dataclass(frozen=True)
class Operand:
    """`constraint` without = and +; `expression` is C++. It is read, written (=) or both (+)."""

    constraint: str
    expression: str
    read: bool
    written: bool


@dataclass(frozen=True)
class Statement:
    """`begin` and `end` in the preprocessed text; `wrong` where it is no statement that CUDA has."""

    file: str
    line: int
    begin: int
    end: int
    assembly: str
    operands: tuple[Operand, ...]
    wrong: str = ""


def asm_statements(preprocessed: str) -> Iterator[Statement]:
    """Every marked statement, in order."""
    file, line, since = "", 1, 0
    for match in _FOUND.finditer(preprocessed):
        if match["line"]:
            file, line, since = match["file"], int(match["line"]), match.end() + 1
            continue
        at = line + preprocessed.count("\n", since, match.start())
        yield _statement(preprocessed, match.start(), match.end(), file, at)


def _statement(text: str, begin: int, position: int, file: str, line: int) -> Statement:
    tokens: list[Token] = []
    depth = 0
    for token in scan(text, line, position):
        tokens.append(token)
        if token.kind == "sign":
            depth += (token.text == "(") - (token.text == ")")
            if (token.text == ")" and depth <= 0) or (token.text == ";" and depth == 0):
                break
    end = position + sum(len(t.text) for t in tokens)
    k = next_solid(tokens, 0)
    while k < len(tokens) and tokens[k].text in _QUALIFIERS:
        k = next_solid(tokens, k + 1)
    if not is_sign(tokens, k, "("):
        return Statement(file, line, begin, end, "", (), "asm")
    sections = _sections(tokens[k + 1 : closing(tokens, k)])
    strings = [t for t in sections[0] if t.kind not in ("space", "directive")]
    if any(t.kind != "string" for t in strings) or not strings:
        return Statement(file, line, begin, end, "", (), "asm")
    assembly = "".join(_string(t.text) for t in strings)
    if len(sections) == 1:  # without operands, % is only itself
        assembly = re.sub(r"%+", "%%", assembly)
    operands = [_operand(piece, k == 1) for k in (1, 2) if k < len(sections) for piece in _pieces(sections[k])]
    known = [o for o in operands if o is not None]
    return Statement(file, line, begin, end, assembly, tuple(known), "" if len(known) == len(operands) else "asm")


def _sections(tokens: list[Token]) -> list[list[Token]]:
    """What stands between the colons outside brackets; `::` is two of them."""
    parts: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        if token.kind == "sign":
            depth += (token.text in "([{") - (token.text in ")]}")
            if depth == 0 and token.text in (":", "::"):
                parts += [[] for _ in token.text]
                continue
        parts[-1].append(token)
    return parts


def _pieces(section: list[Token]) -> Iterator[list[Token]]:
    """One operand each. nvcc takes them without the comma too: `"r"(a) "l"(b)`."""
    for piece in split_commas(section):
        begin = depth = 0
        for k, token in enumerate(piece):
            if token.kind == "sign":
                depth += (token.text in "([{") - (token.text in ")]}")
            elif token.kind == "string" and depth == 0 and is_sign(piece, previous_solid(piece, k - 1), ")"):
                yield piece[begin:k]
                begin = k
        yield piece[begin:]


def _operand(piece: list[Token], output: bool) -> Operand | None:
    k = next_solid(piece, 0)
    if k >= len(piece) or piece[k].kind != "string":
        return None
    constraint = "".join(_string(t.text) for t in takewhile(lambda t: t.kind in ("string", "space"), piece[k:])
                         if t.kind == "string")  # fmt: skip
    bracket = next((i for i in range(k, len(piece)) if is_sign(piece, i, "(")), None)
    if bracket is None:
        return None
    expression = re.sub(r"\n(?:#[^\n]*\n)?", " ", text_of(piece[bracket + 1 : closing(piece, bracket)]))
    letters = constraint.strip().lstrip("=+&").strip()
    return Operand(letters, expression, not output or "+" in constraint, output)


def _string(text: str) -> str:
    """The characters of a string literal."""
    if raw := _RAW.fullmatch(text):
        return raw[2]
    inside = text[text.index('"') + 1 : text.rindex('"')].replace("\\\n", "").replace("\n", "\\n")
    return str(ast.literal_eval(f'"{inside}"'))
