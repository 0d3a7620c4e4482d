"""The one reading of a `.cu`, which everything asks that asks about one: its tokens, macros, functions and their sides,
scopes, declarations, statements, calls and launches. It changes nothing."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from onekernel.simulator.facts import arrays, calls, declarations, elements, macros, names, statements, symbols
from onekernel.simulator.facts.arrays import Array
from onekernel.simulator.facts.calls import Call, Lambda
from onekernel.simulator.facts.elements import Element, Store
from onekernel.simulator.facts.functions import Declarations, Function
from onekernel.simulator.facts.names import Named
from onekernel.simulator.facts.statements import Counted, Statement
from onekernel.simulator.facts.tokens import Token, tokenize

_COMMENT = re.compile(r"//(?:[^\n\\]|\\[\s\S])*|/\*[\s\S]*?\*/")
_BARRIER = re.compile(r"__syncthreads(?:_\w+)?|sync")
_NUMBER = re.compile(r"\d\w*")
BRANCHES = frozenset(("if", "else"))
LOOPS = frozenset(("for", "while", "do"))


@dataclass(frozen=True)
class Facts:
    """What a text says, read when it is first asked for. Lines count from 1; nobody changes the tokens."""

    text: str

    @cached_property
    def tokens(self) -> list[Token]:
        """All of them; their texts joined are the file."""
        return tokenize(self.text)

    @cached_property
    def code(self) -> list[Token]:
        """Those that are neither spaces, comments nor directives. What counts tokens here counts these."""
        return [t for t in self.tokens if t.kind not in ("space", "directive")]

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines without comments."""
        return tuple("".join(map(_without_comments, self.tokens)).split("\n"))

    @cached_property
    def plain_lines(self) -> tuple[str, ...]:
        """The lines without comments, strings and characters."""
        texts = ("\n" * t.text.count("\n") if t.kind == "string" else _without_comments(t) for t in self.tokens)
        return tuple("".join(texts).split("\n"))

    @cached_property
    def defined(self) -> Mapping[str, frozenset[str]]:
        """CUDA's words in each macro."""
        return macros.macros(self.tokens)

    @cached_property
    def declared(self) -> Declarations:
        return declarations.declarations(self.code, self.defined)

    @property
    def functions(self) -> list[Function]:
        """Those that are defined here, in their order."""
        return self.declared.definitions

    @cached_property
    def named(self) -> list[Named]:
        """The variables and parameters of functions, and the data of classes."""
        return names.named(self.code, self.functions)

    @cached_property
    def statements(self) -> list[Statement]:
        """The branches and the loops of all functions."""
        return list(statements.statements(self.code))

    @cached_property
    def barriers(self) -> list[int]:
        """The lines that call a barrier of the block."""
        after = zip(self.code, self.code[1:], strict=False)
        return [t.line for t, sign in after if sign.text == "(" and _BARRIER.fullmatch(t.text)]

    @cached_property
    def calls(self) -> list[Call]:
        return list(calls.calls(self.tokens))

    @cached_property
    def lambdas(self) -> list[Lambda]:
        return list(calls.lambdas(self.code))

    def called(self, *functions: str, line: int | None = None) -> list[Call]:
        """The calls of these functions; those that begin on the line, where one is given."""
        return [call for call in self.calls if call.name in functions and line in (None, call.line)]

    @cached_property
    def stores(self) -> list[Store]:
        return list(elements.stores(self.code))

    def stored(self, line: int | None) -> list[Store]:
        """The stores whose targets begin on the line."""
        return [store for store in self.stores if store.line == line]

    def given(self, name: str, before: int) -> list[Token]:
        """The value that the variable is given last up to the end of that line."""
        known = (s for s in reversed(self.stores) if s.line <= before and s.sets and s.target.text == name)
        return next((self.code[slice(*store.value)] for store in known), [])

    def span(self, line: int | None) -> tuple[int, int]:
        """The tokens of a line: the first of them, and the one behind the last."""
        lines, number = self._token_lines, line or 0
        return bisect_right(lines, number - 1), bisect_right(lines, number)

    @cached_property
    def _token_lines(self) -> list[int]:
        return [token.line for token in self.code]

    def elements(self, name: str, line: int | None) -> list[Element]:
        """What is named so on the line."""
        return list(elements.elements(self.code, name, *self.span(line)))

    @cached_property
    def arrays(self) -> list[Array]:
        return list(arrays.arrays(self.code))

    @cached_property
    def variables(self) -> dict[str, str]:
        """The device's, and which of symbols.KINDS each is."""
        return dict(symbols.variables(self.tokens))

    @cached_property
    def in_memory(self) -> frozenset[str]:
        """The names of shared memory and of the device's variables."""
        return arrays.names_of_memory(self.tokens)

    @cached_property
    def numbers(self) -> dict[str, str]:
        """The macros and the constants that are one number."""
        plain = {name: macro for name, macro in macros.macros_of(self.tokens).items() if macro.parameters is None}
        found = {name: _COMMENT.sub("", macro.body).strip("() ") for name, macro in plain.items()}
        constant = False
        for i, token in enumerate(self.code[:-3]):
            constant = token.text in ("const", "constexpr") or (constant and token.text not in ";{}()*")
            name, sign, number, end = self.code[i : i + 4]
            if constant and name.kind == "name" and sign.text == "=" and number.kind == "number" and end.text in ";,":
                found.setdefault(name.text, number.text)
        return {name: text for name, text in found.items() if _NUMBER.fullmatch(text)}

    def line(self, number: int | None) -> str:
        """A line without comments, strings and characters; "" where there is none."""
        return self.plain_lines[number - 1] if number and 0 < number <= len(self.plain_lines) else ""

    def counted(self, line: int) -> Iterator[Counted]:
        """What each `for` around the line counts by, the innermost first."""
        return (found for found, _ in self.counted_at(line))

    def counted_at(self, line: int) -> Iterator[tuple[Counted, int]]:
        """As `counted`, each with the line on which its `for` stands."""
        for loop in reversed(self.around(line, LOOPS)):
            if found := statements.counted(self.code, loop):
                yield found, self.code[loop.begin].line

    def function_around(self, at: int) -> Function | None:
        """The one function in whose braces the token stands."""
        inside = [f for f in self.functions if f.body is not None and f.body < at < f.braces(self.code)[1]]
        return inside[0] if len(inside) == 1 else None

    def function_at(self, line: int) -> Function | None:
        """The function that stands on the line; of several the last, which the others end or hold."""
        return next((f for f in reversed(self.functions) if f.line <= line <= f.last_line), None)

    def around(self, line: int, words: frozenset[str]) -> list[Statement]:
        """The statements with these words that stand around the line, the outermost first."""
        return [s for s in self.statements if s.word in words and s.first_line <= line <= s.last_line]


def _without_comments(token: Token) -> str:
    if token.kind not in ("space", "directive"):
        return token.text
    return _COMMENT.sub(lambda m: "\n" * m[0].count("\n"), token.text)


@lru_cache(maxsize=16)
def facts_of(text: str) -> Facts:
    return Facts(text.replace("\r\n", "\n").replace("\r", "\n"))


def facts_at(file: str | Path | None) -> Facts:
    """Of a file as it stands now; of no text where there is none, or none that can be read."""
    try:
        now = Path(file or "").stat()
        return _read(str(file), now.st_ino, now.st_size, now.st_mtime_ns)
    except OSError:
        return facts_of("")


@lru_cache(maxsize=16)
def _read(file: str, *_as_of: int) -> Facts:
    """Of a file of that inode, size and time: a learner writes it again while a process lives on."""
    return facts_of(Path(file).read_text(encoding="utf-8-sig", errors="replace"))
