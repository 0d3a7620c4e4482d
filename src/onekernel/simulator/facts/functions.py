"""The functions and variables of a `.cu` that have a side, and the words that say which."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import takewhile

from onekernel.simulator.facts.tokens import Token, closing, is_sign, next_solid, one_line

HOST, DEVICE, BOTH, KERNEL = "host", "device", "both", "kernel"
QUALIFIERS = frozenset(("__host__", "__device__", "__global__", "constexpr", "consteval"))
MEMORY = frozenset(("__device__", "__constant__"))
# What stands before brackets in a declaration and is not the function's name.
NO_NAMES = frozenset(
    ("__attribute__", "alignas", "__align__", "decltype", "noexcept", "throw", "__launch_bounds__", "__maxnreg__",
     "__cluster_dims__", "__block_size__", "__declspec", "sizeof", "explicit", "typeof", "__typeof__")
)  # fmt: skip
WHOLE = "{}"
"""Among the words of a macro that stands for whole declarations, which no semicolon need follow."""


@dataclass(frozen=True)
class Function:
    """A declaration or definition: its name, its side, its lines, and the token that the declaration begins with."""

    name: str
    side: str
    line: int
    last_line: int
    begin: int
    name_at: int
    body: int | None  # the token that opens its body; None for a declaration
    member: bool = False
    head: tuple[str, ...] = ()  # the words before its name
    asked: frozenset[tuple[str, int]] = frozenset()  # names, and their lines, that only its parameters use

    @property
    def on_device(self) -> bool:
        return self.side in (DEVICE, KERNEL)

    def bracket(self, tokens: list[Token]) -> int:
        """Where its parameters' brackets open."""
        at = next_solid(tokens, self.name_at + 1)
        if self.name == "operator":  # whose name goes on: `operator()(int i)`
            at = next_solid(tokens, at + 1)
            while at < len(tokens) and not is_sign(tokens, at, "("):
                at = next_solid(tokens, at + 1)
        return at

    def parameters(self, tokens: list[Token]) -> list[list[Token]]:
        at = self.bracket(tokens)
        return list(parameters(tokens[at + 1 : closing(tokens, at)]))

    def braces(self, tokens: list[Token]) -> tuple[int, int]:
        """Where its body begins and ends."""
        assert self.body is not None
        return self.body, closing(tokens, self.body)

    @property
    def is_destructor(self) -> bool:
        return self.head[-1:] == ("~",)


@dataclass(frozen=True)
class Variable:
    """A variable at namespace scope, and the token that its declaration begins with.

    `side`: device (__device__, __constant__), host, or both: __managed__, and what is known when the file is compiled.
    """

    name: str
    side: str
    line: int
    begin: int
    constant: bool = False  # __constant__
    owner: str = ""  # the class of a static member
    bracketed: bool = False  # its name stands in brackets: `float (*f)(float)`


@dataclass(frozen=True)
class Member:
    """Data of a class, and the words before its name."""

    name: str
    line: int
    words: tuple[str, ...]


@dataclass
class Declarations:
    functions: list[Function]
    variables: list[Variable]
    members: list[Member] = field(default_factory=list)  # of classes: their data
    definitions: list[Function] = field(default_factory=list)  # of functions: all of them, in their order

    def at(self, line: int) -> list[Function]:
        """The functions whose bodies are on `line`: one, where each stands on lines of its own."""
        return [f for f in self.functions if f.body is not None and f.line <= line <= f.last_line]


def after_attributes(words: list[str]) -> list[str]:
    out = []
    for i, word in enumerate(words):
        if not (word == "(" and i and words[i - 1] in NO_NAMES):
            out.append(word)
    return out


def qualifiers_in(texts: Iterable[str], defined: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """CUDA's words among `texts`, those in macros included."""
    said: set[str] = set()
    for text in texts:
        said |= defined.get(text, frozenset()) if text in defined else {text} & (QUALIFIERS | MEMORY)
    return frozenset(said)


def default_at(parameter: list[Token]) -> int:
    """Where the default value of a parameter begins: its `=`, or its end."""
    i = 0
    while i < len(parameter) and not is_sign(parameter, i, "="):
        i = closing(parameter, i) + 1 if parameter[i].kind == "sign" and parameter[i].text in ("(", "[", "{") else i + 1
    return min(i, len(parameter))


def parameters(tokens: list[Token]) -> Iterator[list[Token]]:
    """The parameters that stand between a function's brackets; the comma of `pair<int, float>` is none between two."""
    piece: list[Token] = []
    round_ = angle = 0
    default = False
    for i, token in enumerate(tokens):
        if token.kind == "sign":
            round_ += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
            default |= token.text == "=" and not round_ and not angle
            # in a default value `<` may compare: it opens where its closing one comes before the parameter's end
            opens = token.text == "<" and (not default or _closes(tokens, i))
            angle += opens and not round_
            angle -= token.text == ">" and not round_ and angle > 0
            if token.text == "," and not round_ and not angle:
                yield piece
                piece, default = [], False
                continue
        piece.append(token)
    if any(t.kind not in ("space", "directive") for t in piece) and one_line(piece) != "void":
        yield piece


def _closes(tokens: list[Token], i: int) -> bool:
    ends = (";", "&&", "||")
    return any(t.kind == "sign" and t.text == ">" for t in takewhile(lambda t: t.text not in ends, tokens[i:]))


def name_of(parameter: list[Token]) -> str:
    """The name that a parameter has: the last before an array's brackets or a default."""
    before = takewhile(lambda t: t.text not in ("[", "="), parameter)
    return next((t.text for t in reversed([*before]) if t.kind == "name"), "")
