"""Subscripts that need no check of their index: those of shared memory and the device's variables, whose accesses are
checked themselves, and those that the loops around them keep within the extent that the array is declared with.

Read from the tokens alone: in doubt an index is checked. The names of a declaration stand for the same number wherever
they are seen, and for none below 0.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from onekernel.simulator.facts.arrays import IN_MEMORY, NO_TYPES, arrays
from onekernel.simulator.facts.statements import statement_end
from onekernel.simulator.facts.tokens import Token, closing

_SUFFIX = re.compile(r"\b(\d+)[uUlLzZ]+\b")
Sum = dict[tuple[str, ...], int]  # the names of each product, in their order, and its factor: 4 * n * m + 1


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
    for i, token in enumerate(code):
        if token.text != "for" or i + 1 >= len(code) or code[i + 1].text != "(":
            continue
        end = closing(code, i + 1)
        stops = [k for k in range(i + 2, end) if code[k].text == ";"]
        if len(stops) != 2:
            continue
        begin, test, step = code[i + 2 : stops[0]], code[stops[0] + 1 : stops[1]], code[stops[1] + 1 : end]
        given = next((k for k, t in enumerate(begin) if t.text == "="), 0)
        if not given or len(test) < 3 or begin[given - 1].text != test[0].text or test[1].text != "<":
            continue
        name, first = test[0].text, _number(begin[given + 1 :])
        joined = next((k for k, t in enumerate(test) if t.text == "&"), len(test))
        most = _sum(test[2:joined]) if "|" not in _texts(test) else None
        body_end = statement_end(code, end + 1, len(code))
        if first is None or first < 0 or most is None or "-" in _texts(step):
            continue
        if not _is_changed(code[end + 1 : body_end + 1], name):
            yield _Loop(name, _plus(most, {(): -1}), end + 1, body_end + 1)


def _is_changed(body: Sequence[Token], name: str) -> bool:
    for k, token in enumerate(body):
        if token.text != name:
            continue
        before, after = _texts(body[max(0, k - 2) : k]), _texts(body[k + 1 : k + 4])
        if before.endswith(("++", "--")) or after.startswith(("++", "--")) or (before[-1:] == "&" and before != "&&"):
            return True
        if re.match(r"(?:[-+*/%&|^]|<<|>>)?=(?!=)", after):
            return True
    return False


def _texts(tokens: Sequence[Token]) -> str:
    return "".join(t.text for t in tokens)


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
