"""CUDA C as tokens: just enough of the language to find launches, declarations and names, every character kept."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

_PATTERN = re.compile(
    r"""
      (?P<space>(?:[ \t\r\n\f\v]|\\\r?\n|//(?:[^\n\\]|\\[\s\S])*|/\*[\s\S]*?\*/)+)
    | (?P<string>(?:u8|[uUL])?"(?:[^"\\\n]|\\[\s\S])*"
                |(?:u8|[uUL])?'(?:[^'\\\n]|\\[\s\S])*')
    | (?P<name>[A-Za-z_$][A-Za-z0-9_$]*)
    | (?P<number>\.?[0-9](?:[eEpP][+-]|'[0-9a-fA-F]|[0-9A-Za-z_.])*)
    | (?P<sign>::|->|[\s\S])
    """,
    re.VERBOSE,
)
_RAW = re.compile(r"""(?:u8|[uUL])?R"([^()\\\s]{0,16})\(""")
_DIRECTIVE = re.compile(r"#(?:[^\n\\/]|\\[\s\S]|/(?![/*])|/\*[\s\S]*?\*/)*")


@dataclass
class Token:
    """A piece of source text: kind is space, string, name, number, sign or directive; line counts from 1."""

    kind: str
    text: str
    line: int


def with_calls(tokens: list[Token], before: Mapping[int, str]) -> list[Token]:
    """The tokens with these texts before those of those places."""
    out: list[Token] = []
    for i, token in enumerate(tokens):
        if i in before:
            out.append(Token("call", before[i], token.line))
        out.append(token)
    return out


def tokenize(source: str, first_line: int = 1) -> list[Token]:
    """Splits `source`; joining the tokens' texts gives it back."""
    return list(scan(source, first_line))


def scan(source: str, line: int = 1, position: int = 0) -> Iterator[Token]:
    """The tokens from `position` on, which stands on `line`, one after the other."""
    at_line_start = position == 0
    endless: set[str] = set()  # delimiters of raw strings that nothing closes from here on: looked for once
    while position < len(source):
        if at_line_start and source[position] == "#":
            match = _DIRECTIVE.match(source, position)
            kind = "directive"
        else:
            match = _PATTERN.match(source, position)
            kind = str(match.lastgroup) if match else ""
        assert match is not None
        end = match.end()
        if kind == "name" and (raw := _RAW.match(source, position)) and raw[1] not in endless:
            closes = source.find(f'){raw[1]}"', raw.end())
            if closes < 0:
                endless.add(raw[1])
            else:
                kind, end = "string", closes + len(raw[1]) + 2
        text = source[position:end]
        yield Token(kind, text, line)
        line += text.count("\n")
        position = end
        at_line_start = (at_line_start or "\n" in text) if kind == "space" else False


def text_of(tokens: list[Token]) -> str:
    return "".join(token.text for token in tokens)


def one_line(tokens: list[Token]) -> str:
    """The tokens as a reader would write them on one line, comments left out."""
    parts = [" " if token.kind == "space" else token.text for token in tokens]
    return re.sub(r" +", " ", "".join(parts)).strip()


_OPEN = {"(": ")", "[": "]", "{": "}"}
_CLOSE = {v: k for k, v in _OPEN.items()}


def closing(tokens: list[Token], start: int) -> int:
    """The index of the bracket that closes the one at `start`; len(tokens) if none does."""
    depth = 0
    for i in range(start, len(tokens)):
        if tokens[i].kind != "sign":
            continue
        if tokens[i].text in _OPEN:
            depth += 1
        elif tokens[i].text in _CLOSE:
            depth -= 1
            if depth == 0:
                return i
    return len(tokens)


def opening(tokens: list[Token], i: int, sign: str, close: str) -> int:
    """Where the bracket `sign` opens that closes at `i`; -1 if nowhere."""
    depth = 0
    while i >= 0:
        depth += is_sign(tokens, i, close) - is_sign(tokens, i, sign)
        if depth == 0:
            break
        i -= 1
    return i


def next_solid(tokens: list[Token], i: int) -> int:
    """The index of the first token from `i` that is no space; len(tokens) at the end."""
    while i < len(tokens) and tokens[i].kind == "space":
        i += 1
    return i


def previous_solid(tokens: list[Token], i: int) -> int:
    """The index of the last token up to `i` that is no space; -1 at the beginning."""
    while i >= 0 and tokens[i].kind == "space":
        i -= 1
    return i


def is_sign(tokens: list[Token], i: int, text: str) -> bool:
    return 0 <= i < len(tokens) and tokens[i].kind == "sign" and tokens[i].text == text


def first_sign(tokens: list[Token], i: int, signs: str) -> int | None:
    """The first of these signs from `i` on."""
    return next((k for k in range(i, len(tokens)) if tokens[k].kind == "sign" and tokens[k].text in signs), None)


def split_commas(tokens: list[Token]) -> list[list[Token]]:
    """Splits at the commas outside brackets; no tokens but spaces give an empty list."""
    pieces = split(tokens, ",")
    return [] if len(pieces) == 1 and all(t.kind == "space" for t in pieces[0]) else pieces


def split(tokens: list[Token], sign: str) -> list[list[Token]]:
    """The pieces between those signs that stand outside brackets; one at least."""
    pieces: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        if token.kind == "sign" and token.text in _OPEN:
            depth += 1
        elif token.kind == "sign" and token.text in _CLOSE:
            depth -= 1
        if depth == 0 and token.kind == "sign" and token.text == sign:
            pieces.append([])
        else:
            pieces[-1].append(token)
    return pieces


def solid(tokens: list[Token], begin: int, end: int) -> Iterator[tuple[int, Token]]:
    """The tokens outside brackets that are no space; a bracket is its opening sign alone."""
    i = begin
    while i < end:
        token = tokens[i]
        if token.kind not in ("space", "directive"):
            yield i, token
        if token.kind == "sign" and token.text in "([{":
            i = closing(tokens, i)
        i += 1
