"""Loads of which the kernel uses only a part: NVIDIA's compiler loads that part alone, as two floats of a float4.

Read from the tokens alone: a value that is passed on as a whole is taken to be used as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from onekernel.simulator.rewrite.early import expression_end, scope_end
from onekernel.simulator.rewrite.loops import functions
from onekernel.simulator.rewrite.tokens import Token, closing, opening, split_commas, tokenize

Lines = tuple[int, int]  # the first and the last
# Four bytes that stand for one vector are loaded as they are.
_VECTOR = re.compile(r"u?(?:short|int|long|longlong)([234])|(?:float|double|(?:__)?(?:half|nv_bfloat16))([234])")
_PART = re.compile(r"__(low|high)2(?:half|float|bfloat16)")
_BITS = frozenset({0xFF, 0xFFFF})  # what leaves whole bytes
_INTEGERS = {
    "char": 1, "int8_t": 1, "uint8_t": 1, "short": 2, "int16_t": 2, "uint16_t": 2, "int": 4, "signed": 4, "unsigned": 4,
    "int32_t": 4, "uint32_t": 4, "long": 8, "int64_t": 8, "uint64_t": 8, "size_t": 8,
}  # fmt: skip
_NUMBER = re.compile(r"(0[xX][0-9a-fA-F]+|[0-9]+)[uUlL]*")


def narrowed_of(text: str) -> list[Lines]:
    """The lines of such loads."""
    tokens = [t for t in tokenize(text) if t.kind not in ("space", "directive")]
    structs = _structs(tokens)
    found = [*_cut(tokens), *_converted(tokens)]
    for function in functions(tokens):
        begin, end = function.body
        for i in range(begin + 1, min(end, len(tokens)) - 2):
            if tokens[i].kind == tokens[i + 1].kind == "name" and tokens[i - 1].text != "__shared__":
                found += _of_variables(tokens, i, end, structs)
    return found


def _members(name: str, structs: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """Of a vector type or a struct of the file; none of any other."""
    vector = _VECTOR.fullmatch(name)
    return frozenset("xyzw"[: int(vector[1] or vector[2])]) if vector else structs.get(name, frozenset())


def _structs(tokens: list[Token]) -> dict[str, frozenset[str]]:
    """The members of each struct of the file."""
    found = {}
    for i, token in enumerate(tokens):
        if token.text != "struct":
            continue
        opens = i + 1
        while opens < len(tokens) and tokens[opens].text not in ("{", ";", "=", "*", "&", ")"):
            opens = closing(tokens, opens) + 1 if tokens[opens].text == "(" else opens + 1
        if opens < len(tokens) and tokens[opens].text == "{" and tokens[opens - 1].kind == "name":
            found[tokens[opens - 1].text] = frozenset(_declared(tokens, opens + 1, closing(tokens, opens)))
    return found


def _declared(tokens: list[Token], i: int, end: int) -> Iterator[str]:
    """The variables that a struct's braces declare."""
    while i < end:
        last = i
        while last < end and tokens[last].text not in (";", "("):
            last = closing(tokens, last) + 1 if tokens[last].text in ("[", "{") else last + 1
        if last < end and tokens[last].text == ";":
            for part in split_commas(tokens[i:last]):
                ends = next((k for k, t in enumerate(part) if t.text in ("[", "=", ":", "{")), len(part))
                if ends and part[ends - 1].kind == "name":
                    yield part[ends - 1].text
            i = last + 1
        else:  # a function
            i = min(closing(tokens, last), end) + 1
            while i < end and tokens[i].text not in (";", "{"):
                i += 1
            i = closing(tokens, i) + 1 if i < end and tokens[i].text == "{" else i + 1


def _of_variables(tokens: list[Token], i: int, end: int, structs: Mapping[str, frozenset[str]]) -> Iterator[Lines]:
    """Of what is declared with the type at `i`."""
    ends = expression_end(tokens, i + 1, end, ";")
    members = _members(tokens[i].text, structs)
    if tokens[i].text == "auto":
        casts = (_members(t.text, structs) for t in tokens[i:ends])
        members = next((some for some in casts if some), frozenset())
    scope = scope_end(tokens, i, end)
    k = i + 1
    while members and k < ends and tokens[k].kind == "name":
        yield from _of_variable(tokens, k, scope, members)
        k = expression_end(tokens, k, ends, ",") + 1


def _of_variable(tokens: list[Token], declared: int, scope: int, members: frozenset[str]) -> Iterator[Lines]:
    """The lines that give a variable its value, if only some of its members are ever used."""
    used: set[str] = set()
    given: list[Lines] = []
    for k in range(declared, scope):
        if tokens[k].text != tokens[declared].text or tokens[k - 1].text in (".", "->"):
            continue
        after = k + 1
        while tokens[after].text == "[":
            after = closing(tokens, after) + 1
        assigned = tokens[after].text == "=" and tokens[after + 1].text != "="
        part = _PART.fullmatch(tokens[k - 2].text) if tokens[k - 1].text == "(" else None
        if assigned:
            given.append((tokens[k].line, tokens[expression_end(tokens, after, scope, ";,")].line))
        elif tokens[after].text == "." and tokens[after + 1].text in members:
            if tokens[after + 2].text != "=" or tokens[after + 3].text == "=":
                used.add(tokens[after + 1].text)
        elif part:
            used.add("x" if part[1] == "low" else "y")
        elif k > declared:
            return  # as a whole
        elif tokens[after].text in ("(", "{"):
            given.append((tokens[k].line, tokens[closing(tokens, after)].line))
    if used and used < members:
        yield from given


def _cut(tokens: list[Token]) -> Iterator[Lines]:
    """An element of which a mask or a shift leaves whole bytes. What a `switch` masks has two at most."""
    for i, token in enumerate(tokens[:-3]):
        if token.text != "]":
            continue
        if tokens[i + 1].text == "&" and (bits := _value(tokens[i + 2])) is not None:
            cut = bits in _BITS or _in_switch(tokens, i)
        else:
            by = _value(tokens[i + 3]) if tokens[i + 1].text == tokens[i + 2].text == ">" else None
            cut = by is not None and by >= 16 and by % 8 == 0
        if cut:
            yield (token.line, token.line)


def _converted(tokens: list[Token]) -> Iterator[Lines]:
    """An element of integers that becomes a narrower one: by a cast, or where it is given to one."""
    bytes_of: dict[str, int] = {}  # of what a pointer points to: that which was declared last
    for i, token in enumerate(tokens[:-4]):
        if token.text == "*":
            after = i + 1
            while after < len(tokens) - 2 and tokens[after].text in ("const", "__restrict__", "__restrict"):
                after += 1
            if (each := _integer(tokens, i)) or tokens[after + 1].text in (",", ")", "="):  # and not a * x[i]
                bytes_of[tokens[after].text] = each
        if tokens[i + 2].text != "[" or not (wide := bytes_of.get(tokens[i + 1].text, 0)):
            continue
        behind = closing(tokens, i + 2) + 1
        alone = behind < len(tokens) and tokens[behind].text in (";", ",")
        to = 0
        if token.text == ")" or tokens[i - 1].text + token.text == ">(":  # (T)x[i], static_cast<T>(x[i])
            ends = i if token.text == ")" else i - 1
            of = ends - 1
            while of > 0 and tokens[of].text in _INTEGERS:
                of -= 1
            to = _integer(tokens, ends) if tokens[of].text == {")": "(", ">": "<"}[tokens[ends].text] else 0
            if tokens[of - 1].text == "=" and alone and wide < 8 and _given(tokens, of - 1, bytes_of) <= to:
                to = 0  # of a register the lower bytes are stored as they are
        elif token.text == "=" and alone and (wide == 8 or tokens[i - 1].text != "]"):  # y[i] = x[i], T v = x[i]
            to = _given(tokens, i, bytes_of)
        if 0 < to < wide:
            yield (tokens[i + 1].line, tokens[i + 1].line)


def _given(tokens: list[Token], i: int, bytes_of: Mapping[str, int]) -> int:
    """The bytes of an integer that the `=` at `i` gives a value: an element's, or a variable's that it declares."""
    if tokens[i - 1].text == "]":
        return bytes_of.get(tokens[opening(tokens, i - 1, "[", "]") - 1].text, 0)
    return _integer(tokens, i - 1) if tokens[i - 1].kind == "name" else 0


def _integer(tokens: list[Token], end: int) -> int:
    """The bytes of the type of integers that stands before a token; 0 for another."""
    words = []
    while end > 0 and tokens[end - 1].text in (*_INTEGERS, "const"):
        end -= 1
        words.append(tokens[end].text)
    widths = [_INTEGERS[word] for word in words if word != "const"]
    if "long" in words or "short" in words or "char" in words:  # long int, unsigned char
        widths = [_INTEGERS[word] for word in words if word in ("long", "short", "char")]
    return widths[0] if widths else 0


def _in_switch(tokens: list[Token], i: int) -> bool:
    while i > 0 and tokens[i].text not in (";", "{", "}", "switch"):
        i -= 1
    return tokens[i].text == "switch"


def _value(token: Token) -> int | None:
    number = _NUMBER.fullmatch(token.text)
    return int(number[1], 16 if "x" in number[1].lower() else 10) if number else None
