"""Subscripts and atomics, as far as a GPU has them otherwise than a compiler that checks them.

No check needs the index of shared memory and of the device's variables, whose accesses are checked themselves, nor one
that the loops around it keep within the extent that the array is declared with. And an array of arrays may be walked as
one, `a[0][i]` with an `i` beyond the first row: its rows lie behind each other, and the check would know the extent of
the row alone.

Read from the tokens alone: in doubt an index is checked. The names of a declaration stand for the same number wherever
they are seen, and for none below 0.

The greater of two floats by their bits, `atomicMax((int*)p, __float_as_int(v))`, becomes a function of its own, which
sees when both are negative: their order is then the opposite.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from onekernel.simulator.facts.arrays import IN_MEMORY, NO_TYPES, arrays
from onekernel.simulator.facts.elements import changes
from onekernel.simulator.facts.statements import counted, statements
from onekernel.simulator.facts.tokens import (
    Token,
    closing,
    is_sign,
    next_solid,
    one_line,
    previous_solid,
    split_commas,
    text_of,
)

_SUFFIX = re.compile(r"\b(\d+)[uUlLzZ]+\b")
Sum = dict[tuple[str, ...], int]  # the names of each product, in their order, and its factor: 4 * n * m + 1
_FUNCTIONS = {"atomicMax": "atomic_max_of_bits", "atomicMin": "atomic_min_of_bits"}
_BITS = re.compile(r"__float_as_int ?\(.*\)|\* ?\(? ?\( ?int ?\* ?\) ?&.*|\* ?reinterpret_cast ?< ?int ?\* ?>.*")


@dataclass(frozen=True)
class _Loop:
    name: str
    most: Sum  # the largest value that its variable has in the body
    begin: int
    end: int


def spare(tokens: list[Token], memory: frozenset[str]) -> list[Token]:
    """Writes `a[i][j]` as a call that the compiler does not check. A line that has another subscript stays as it is:
    what is found there is told by its column."""
    places = [i for i, t in enumerate(tokens) if t.kind not in ("space", "directive")]
    code = [tokens[i] for i in places]
    known, loops = list(arrays(code)), list(_loops(code))
    sums = {a.begin: [_sum(extent) for extent in a.extents] for a in known}
    declarators = {a.begin - 1 for a in known}
    on_device = {i for begin, end in _of_device(code) for i in range(begin, end)}
    declarators.update(i for begin, end in _of_memory(code) for i in range(begin, end))
    spared: list[tuple[int, list[tuple[int, int]]]] = []
    others = {t.line for t in code if t.text == "assert"}  # which prints what stands in its brackets
    for i, groups in _subscripts(code):
        inner = [a for a in known if a.name == code[i].text and a.begin <= i < a.end]
        member = code[i - 1].text in (".", "->")
        if i in declarators or all(_number(code[o + 1 : c]) is not None for o, c in groups):
            continue
        # On the host an extent may be a variable, as in `float a[n]`: such an array is no argument of a template.
        extents = sums[inner[-1].begin] if inner else []
        fixed = i in on_device or all(e is not None and not e.keys() - {()} for e in extents)
        if member or (inner and not (fixed and _within(code, groups, extents, loops))):
            others |= {t.line for t in code[i : groups[-1][1] + 1]}
        elif inner or code[i].text in memory:
            spared.append((i, groups))
    for i, groups in spared:
        if not others.isdisjoint(t.line for t in code[i : groups[-1][1] + 1]):
            continue
        name = tokens[places[i]]
        tokens[places[i]] = Token("spared", "::__ok::at(" * len(groups) + name.text, name.line)
        for begin, end in groups:
            tokens[places[begin]] = Token("spared", ",", code[begin].line)
            tokens[places[end]] = Token("spared", ")", code[end].line)
    return tokens


def _of_memory(code: list[Token]) -> Iterator[tuple[int, int]]:
    """The declarations of shared memory and of the device's variables, as far as the names and extents in them go."""
    for i, token in enumerate(code):
        if token.text in IN_MEMORY:
            yield i, next((k for k in range(i, len(code)) if code[k].text in (";", "{", "(")), len(code))


def _of_device(code: list[Token]) -> Iterator[tuple[int, int]]:
    """The functions that are marked as the device's, with their bodies."""
    for i, token in enumerate(code):
        if token.text in ("__global__", "__device__"):
            body = next((k for k in range(i, len(code)) if code[k].text in (";", "{")), len(code))
            if body < len(code) and code[body].text == "{":
                yield i, closing(code, body)


def _subscripts(code: list[Token]) -> Iterator[tuple[int, list[tuple[int, int]]]]:
    """Each name that brackets follow, and where these open and close."""
    for i in range(1, len(code) - 1):
        if code[i].kind == "name" and code[i + 1].text == "[" and code[i].text not in NO_TYPES:
            groups, at = [], i + 1
            while at < len(code) and code[at].text == "[":
                groups.append((at, closing(code, at)))
                at = groups[-1][1] + 1
            if at < len(code):
                yield i, groups


def _loops(code: list[Token]) -> Iterator[_Loop]:
    """The loops that count up from a number, as long as their variable is below something."""
    for loop in statements(code):
        turns = counted(code, loop)
        test = turns.condition if turns else []
        if not turns or len(test) < 3 or turns.name != test[0].text or test[1].text != "<":
            continue
        first = _number(turns.value)
        joined = next((k for k, t in enumerate(test) if t.text == "&"), len(test))
        most = _sum(test[2:joined]) if "|" not in text_of(test) else None
        if first is None or first < 0 or most is None or "-" in text_of(turns.step):
            continue
        if not _is_changed(code[loop.first : loop.last + 1], turns.name):
            yield _Loop(turns.name, _plus(most, {(): -1}), loop.first, loop.last + 1)


def _is_changed(body: list[Token], name: str) -> bool:
    """Whether the tokens change the variable, or take its address."""
    named = (k for k, token in enumerate(body) if k and token.text == name)
    return bool(changes(body, name)) or any(body[k - 1].text == "&" != body[k - 2].text for k in named)


def _within(
    code: list[Token], groups: list[tuple[int, int]], extents: Sequence[Sum | None], loops: Sequence[_Loop]
) -> bool:
    """Whether no index can leave an array of these extents: each is a sum of products without a minus, so it is the
    largest where every variable is, and the extent exceeds that by no less than one."""
    if len(groups) > len(extents):
        return False
    for (begin, end), extent in zip(groups, extents, strict=False):
        most = _sum(code[begin + 1 : end])
        if most is None or extent is None or min(most.values(), default=0) < 0:
            return False
        for loop in reversed(loops):  # the inner ones first: two may call their variable the same
            if loop.begin <= begin < loop.end:
                most = _put(most, loop.name, loop.most)
        if min(_plus(extent, {(): -1}, most, sign=-1).values(), default=0) < 0:
            return False
    return True


def _number(tokens: Sequence[Token]) -> int | None:
    found = _sum(tokens)
    return None if found is None or found.keys() - {()} else found.get((), 0)


def _sum(tokens: Sequence[Token]) -> Sum | None:
    """A sum of products; None for anything else. A quotient, as it is written, is a name."""
    try:
        return _of(ast.parse(_SUFFIX.sub(r"\1", " ".join(t.text for t in tokens)), mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _of(node: ast.expr) -> Sum | None:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return {(): node.value}
    if isinstance(node, ast.Name):
        return {(node.id,): 1}
    if not isinstance(node, ast.BinOp):
        return None
    left, right = _of(node.left), _of(node.right)
    if left is None or right is None:
        return None
    if isinstance(node.op, ast.Add):
        return _plus(left, right)
    if isinstance(node.op, ast.Sub):
        return _plus(left, right, sign=-1)
    if isinstance(node.op, ast.Mult):
        return _times(left, right)
    return {(ast.unparse(node),): 1} if isinstance(node.op, ast.Div) else None


def _plus(first: Sum, *others: Sum, sign: int = 1) -> Sum:
    """`sign` is that of the last."""
    total = dict(first)
    for k, other in enumerate(others):
        for names, factor in other.items():
            total[names] = total.get(names, 0) + (sign if k == len(others) - 1 else 1) * factor
    return total


def _times(left: Sum, right: Sum) -> Sum:
    total: Sum = {}
    for a, x in left.items():
        for b, y in right.items():
            names = tuple(sorted(a + b))
            total[names] = total.get(names, 0) + x * y
    return total


def _put(whole: Sum, name: str, value: Sum) -> Sum:
    """`whole` with `value` for `name`."""
    total: Sum = {}
    for names, factor in whole.items():
        product: Sum = {tuple(n for n in names if n != name): factor}
        for _ in range(names.count(name)):
            product = _times(product, value)
        total = _plus(total, product)
    return total


def walk_flat(tokens: list[Token]) -> list[Token]:
    """Puts `a[0]` of such elements between the brackets of a function that makes a pointer of a row."""
    i = 0
    while i < len(tokens):
        end = _end_of_zeros(tokens, i) if tokens[i].kind == "name" else None
        before = tokens[previous_solid(tokens, i - 1)].text if i else ""
        if end is not None and before not in (".", "->", "::"):
            tokens.insert(end, Token("flat", ")", tokens[end - 1].line))
            tokens.insert(i, Token("flat", "::__ok::flat(", tokens[i].line))
            i += 1
        i += 1
    return tokens


def _end_of_zeros(tokens: list[Token], i: int) -> int | None:
    """Where the subscripts `[0]` of the name end, if another that is no number follows."""
    end = None
    bracket = next_solid(tokens, i + 1)
    while is_sign(tokens, bracket, "["):
        close = closing(tokens, bracket)
        inside = one_line(tokens[bracket + 1 : close])
        if inside != "0":
            return end if not inside.isdigit() else None
        end, bracket = close + 1, next_solid(tokens, close + 1)
    return None


def watch_float_bits(tokens: list[Token]) -> list[Token]:
    """Renames such calls: the whole second argument is a float's bits."""
    for i, token in enumerate(tokens):
        if token.kind != "name" or token.text not in _FUNCTIONS:
            continue
        bracket = next_solid(tokens, i + 1)
        if not is_sign(tokens, bracket, "("):
            continue
        pieces = split_commas(tokens[bracket + 1 : closing(tokens, bracket)])
        if len(pieces) == 2 and _BITS.fullmatch(one_line(pieces[1]).strip()):
            tokens[i] = Token("name", f"__ok::{_FUNCTIONS[token.text]}", token.line)
    return tokens
