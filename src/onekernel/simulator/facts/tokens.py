"""CUDA C as tokens: just enough of the language to find launches, declarations and names, every character kept."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
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


# Behind `//`: what an expression goes on with, and no words of a comment.
_DIVISOR = re.compile(r"//\s*\(?[\w.]+(?:\s*[-+*/]\s*[\w.]+)*\s*\)+")
_BEGINS = ("__global__", "__device__", "extern", "static", "template")


@dataclass(frozen=True)
class Unclosed:
    """A bracket that does not close, or that closes what is not open: the message's name in messages/compile.toml, its
    sign, the line. Told before anything else is read into a file, which would take one function for part of another."""

    key: str
    sign: str
    line: int


def unclosed(tokens: Sequence[Token]) -> Unclosed | None:
    """The first such bracket; None where all close, or where `#if` may leave some out."""
    if any(t.kind == "directive" and re.match(r"#\s*(?:if|el)", t.text) for t in tokens):
        return None
    stack: list[Token] = []
    before = "\n"
    for token in tokens:
        if token.kind == "sign" and token.text in "([{":
            stack.append(token)
        elif token.kind == "sign" and token.text in _CLOSE:
            if not stack:
                return Unclosed("brace-too-many" if token.text == "}" else "bracket-too-many", token.text, token.line)
            if stack[-1].text != _CLOSE[token.text]:
                return _missing(stack[-1], tokens)
            stack.pop()
        elif token.text in _BEGINS and before.endswith("\n") and _in_function(tokens, stack):
            return Unclosed("brace", "}", stack[0].line)
        before = token.text
    return _missing(stack[0], tokens) if stack else None


def _missing(opened: Token, tokens: Sequence[Token]) -> Unclosed:
    """What does not close; or the `//` on its line that was to divide, as it does in Python, and hides the rest."""
    close = _OPEN[opened.text]
    comments = (re.search(r"//.*", t.text) for t in tokens if t.kind == "space" and t.line == opened.line)
    if close == ")" and any(c and _DIVISOR.match(c[0]) and c[0].count(")") > c[0].count("(") for c in comments):
        return Unclosed("python-quotient", "//", opened.line)
    return Unclosed("brace" if close == "}" else "bracket", close, opened.line)


def _in_function(tokens: Sequence[Token], stack: Sequence[Token]) -> bool:
    """Whether the outermost open bracket is a function's brace: not a namespace's, a struct's, or that of extern "C",
    in which functions may begin."""
    if not stack or stack[0].text != "{":
        return False
    solid = [t for t in tokens if t.kind != "space" and t.line <= stack[0].line]
    return not any(t.text in ("namespace", "struct", "class", "union", '"C"') for t in solid[-12:])


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
