"""What the functions of a file use of a struct, a vector or an integer that they are given: NVIDIA's compiler inlines
them, and may load that part alone.

Read from the tokens alone. Parts are members' names, or the numbers of an integer's bytes as texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from onekernel.simulator.doubts.integers import bytes_of
from onekernel.simulator.facts.calls import lambdas
from onekernel.simulator.facts.declarations import functions_in
from onekernel.simulator.facts.names import after_brackets
from onekernel.simulator.facts.statements import expression_end, scope_end
from onekernel.simulator.facts.tokens import Token, closing, opening, split_commas

Lines = tuple[int, int]  # the first and the last
Parts = frozenset[str]
NOTHING: Parts = frozenset()
_VECTOR = re.compile(r"u?(?:char|short|int|long|longlong)([234])|(?:float|double|(?:__)?(?:half|nv_bfloat16))([234])")
_PART = re.compile(r"__(low|high)2(?:half|float|bfloat16)")
_ITS_OWN = ("this", "->")


@dataclass
class Given:
    """A file's structs with their members, and of its functions the parameters, methods and what they return."""

    tokens: list[Token]
    structs: dict[str, Parts] = field(default_factory=dict)
    bodies: list[tuple[int, int]] = field(default_factory=list)  # of its functions: their braces
    _parameters: dict[str, list[list[tuple[list[Token], tuple[int, int]]]]] = field(default_factory=dict)
    _methods: dict[str, list[tuple[Parts, tuple[int, int]]]] = field(default_factory=dict)
    _returns: dict[str, list[Lines]] = field(default_factory=dict)
    _asked: dict[tuple[str, int], Parts | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        spans = {name: span for name, span in _structs(self.tokens)}
        self.structs = {name: frozenset(_declared(self.tokens, begin + 1, end)) for name, (begin, end) in spans.items()}
        for function in functions_in(self.tokens):
            body = begin, end = function.braces(self.tokens)
            self.bodies.append(body)
            if not self._stays_a_call(function.name_at):
                parameters = function.parameters(self.tokens)
                self._parameters.setdefault(function.name, []).append([(part, body) for part in parameters])
            for k in range(begin, end):
                if self.tokens[k].text == "return":
                    last = expression_end(self.tokens, k, end, ";")
                    if last == k + 2:  # return v;
                        self._returns.setdefault(function.name, []).extend(self._assigned(k + 1, body))
                    self._returns.setdefault(function.name, []).append((self.tokens[k].line, self.tokens[last].line))
            inside = [name for name, (first, last) in spans.items() if first < begin < last]
            if inside:
                self._methods.setdefault(function.name, []).append((self.structs[inside[-1]], body))
        for one in lambdas(self.tokens):
            if one.name and one.bracket is not None:
                body = one.body, closing(self.tokens, one.body)
                parameters = split_commas(self.tokens[one.bracket + 1 : closing(self.tokens, one.bracket)])
                self._parameters.setdefault(one.name, []).append([(p, body) for p in parameters])

    def _stays_a_call(self, i: int) -> bool:
        """Whether the function whose name stands at `i` is never inlined: it is given all."""
        while i > 0 and self.tokens[i].text not in (";", "}", "{", "__noinline__"):
            i -= 1
        return self.tokens[i].text == "__noinline__"

    def members(self, name: str) -> Parts:
        """Of a vector type or a struct of the file; none of any other."""
        vector = _VECTOR.fullmatch(name)
        return frozenset("xyzw"[: int(vector[1] or vector[2])]) if vector else self.structs.get(name, NOTHING)

    def use(self, k: int, members: Parts) -> Parts | None:
        """What the use of a variable at `k` takes of it; None: all of it, or nobody knows what."""
        after = after_brackets(self.tokens, k)
        sign, name, then = (self.tokens[after + n].text for n in range(3))
        if sign == "=" and name != "=":
            return NOTHING
        if sign == "." and name in members:
            return NOTHING if then == "=" and self.tokens[after + 3].text != "=" else frozenset({name})
        if sign == "." and then == "(":
            return self._of_method(name)
        if self.tokens[k - 1].text == "(" and (part := _PART.fullmatch(self.tokens[k - 2].text)):
            return frozenset({"x" if part[1] == "low" else "y"})
        if self.tokens[k - 1].text in ("(", ",") and sign in (",", ")"):
            return self.argument(k, members)
        if self.tokens[k - 1].text == "&":
            return self._by_pointer(k - 1, members)
        copied = self.tokens[k - 3].kind == self.tokens[k - 2].kind == "name" and self.tokens[k - 1].text == "="
        if copied and sign == ";":  # float4 w = v;
            return self.uses(self.tokens[k - 2].text, after, scope_end(self.tokens, after, len(self.tokens)), members)
        return None

    def _by_pointer(self, k: int, members: Parts) -> Parts | None:
        """What a pointer to numbers, that is declared with the address at `k`, takes of a vector."""
        i = k - 1
        while self.tokens[i].text in _OF_A_CAST:
            i -= 1
        if self.tokens[i].text != "=" or i == k - 1 or not members <= frozenset("xyzw"):
            return None
        used: set[str] = set()
        for use in named_in(self.tokens, self.tokens[i - 1].text, k, scope_end(self.tokens, k, len(self.tokens))):
            at = self.tokens[use + 2].text
            if self.tokens[use + 1].text != "[" or self.tokens[use + 3].text != "]" or at not in ("0", "1", "2", "3"):
                return None
            used.add("xyzw"[int(at)])
        return frozenset(used)

    def uses(self, variable: str, begin: int, end: int, members: Parts) -> Parts | None:
        """What all uses of a variable between two tokens take."""
        used: set[str] = set()
        for k in named_in(self.tokens, variable, begin, end):
            if (taken := self.use(k, members)) is None:
                return None
            used |= taken
        return frozenset(used)

    def argument(self, k: int, members: Parts) -> Parts | None:
        """What the function that is called with the token at `k` as an argument's first takes of that argument."""
        called = self._called(k)
        return self._of_parameter(*called, members) if called else None

    def _called(self, k: int) -> tuple[str, int] | None:
        """The function that is called with the token at `k` as an argument's first, and the argument's number."""
        number, i = 0, k - 1
        while i > 0 and self.tokens[i].text not in ("(", ";", "{", "}"):
            number += self.tokens[i].text == ","
            i = opening(self.tokens, i, *pair) - 1 if (pair := _PAIRS.get(self.tokens[i].text)) else i - 1
        return (self.tokens[i - 1].text, number) if self.tokens[i].text == "(" else None

    def narrowest(self, k: int) -> int:
        """The bytes of the narrowest integer as which a function takes the variable at `k`; 0 where none does."""
        called = self._called(k)
        known = self.declared(*called) if called else ()
        widths = [bytes_of(token.text for token in parameter[:-1]) for parameter, _ in known]
        return min(widths, default=0)

    def written(self, k: int) -> Iterator[Lines]:
        """The lines where a function that is given the variable at `k`, or a pointer to it, gives it a value, and does
        nothing else with it."""
        first = k - 1 if self.tokens[k - 1].text == "&" else k
        if self.tokens[first - 1].text not in ("(", ",") or self.tokens[k + 1].text not in (")", ","):
            return
        for parameter, (begin, end) in self.declared(*called) if (called := self._called(first)) else ():
            named = next((t.text for t in reversed(parameter) if t.kind == "name"), "")
            sign = "*" if first < k else "&"
            uses = list(named_in(self.tokens, named, begin, end))
            stored = [self.tokens[u + 1].text == "=" and sign in ("&", self.tokens[u - 1].text) for u in uses]
            if any(t.text == sign for t in parameter) and all(stored):
                for use in uses:
                    yield (self.tokens[use].line, self.tokens[expression_end(self.tokens, use, end, ";")].line)

    def _assigned(self, k: int, body: tuple[int, int]) -> Iterator[Lines]:
        """The lines that give the variable that is named at `k` a value in a function's braces."""
        for use in named_in(self.tokens, self.tokens[k].text, *body):
            if self.tokens[use + 1].text == "=" and self.tokens[use + 2].text != "=":
                yield (self.tokens[use].line, self.tokens[expression_end(self.tokens, use, body[1], ";,")].line)

    def calls(self) -> Iterator[tuple[int, list[tuple[int, int]]]]:
        """The calls of functions of the file that take something: the name's token, and each argument's first and
        last."""
        for k, token in enumerate(self.tokens[:-1]):
            if token.text not in self._parameters or self.tokens[k + 1].text != "(":
                continue
            end, i, arguments = closing(self.tokens, k + 1), k + 2, []
            if end == len(self.tokens):
                return  # of a file that is no C++
            while i < end:
                last = expression_end(self.tokens, i, end, ",")
                arguments.append((i, last - 1))
                i = last + 1
            yield k, arguments

    def loads(self, first: int, last: int) -> Iterator[Lines]:
        """The lines of what an expression loads: its own, and where a function that it calls returns something."""
        yield (self.tokens[first].line, self.tokens[last].line)
        for k in range(first, last):
            if self.tokens[k + 1].text == "(" and self.tokens[k - 1].text not in (".", "->"):
                yield from self._returns.get(self.tokens[k].text, ())

    def declared(self, name: str, number: int) -> Iterator[tuple[list[Token], tuple[int, int]]]:
        """How each function of that name declares the parameter, and its braces."""
        yield from (parts[number] for parts in self._parameters.get(name, ()) if number < len(parts))

    def _of_parameter(self, name: str, number: int, members: Parts) -> Parts | None:
        key = name, number
        if key not in self._asked:
            self._asked[key] = None  # of a function that calls itself
            declared = list(self.declared(name, number))
            used: set[str] = set()
            for parameter, (begin, end) in declared:
                taken = None if any(t.text == "*" for t in parameter) else self._in_body(parameter, begin, end, members)
                if taken is None:
                    return None
                used |= taken
            self._asked[key] = frozenset(used) if declared else None
        return self._asked[key]

    def _in_body(self, parameter: list[Token], begin: int, end: int, members: Parts) -> Parts | None:
        named = next((t for t in reversed(parameter) if t.kind == "name"), None)
        return self.uses(named.text, begin, end, members) if named else NOTHING

    def _of_method(self, name: str) -> Parts | None:
        used: set[str] = set()
        for members, (begin, end) in self._methods.get(name, ()):
            for k in range(begin, end):
                text, before = self.tokens[k].text, (self.tokens[k - 2].text, self.tokens[k - 1].text)
                if (text == "this" and self.tokens[k + 1].text != "->") or text in self._methods:
                    return None
                if text in members and (before[1] not in (".", "->") or before == _ITS_OWN):
                    used.add(text)
        return frozenset(used) if name in self._methods else None


def named_in(tokens: list[Token], name: str, begin: int, end: int) -> Iterator[int]:
    """Where a variable is named."""
    yield from (k for k in range(begin, end) if tokens[k].text == name and tokens[k - 1].text not in (".", "->"))


# What stands between the = and the address where a pointer of another type is given it: (float*)&v.
_OF_A_CAST = ("(", ")", "<", ">", "*", "const", "float", "int", "unsigned", "reinterpret_cast")
_PAIRS = {")": ("(", ")"), "]": ("[", "]")}


def _structs(tokens: list[Token]) -> Iterator[tuple[str, tuple[int, int]]]:
    """Each struct's name and braces."""
    for i, token in enumerate(tokens):
        if token.text != "struct":
            continue
        opens = i + 1
        while opens < len(tokens) and tokens[opens].text not in ("{", ";", "=", "*", "&", ")"):
            opens = closing(tokens, opens) + 1 if tokens[opens].text == "(" else opens + 1
        if opens < len(tokens) and tokens[opens].text == "{" and tokens[opens - 1].kind == "name":
            yield tokens[opens - 1].text, (opens, closing(tokens, opens))


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
