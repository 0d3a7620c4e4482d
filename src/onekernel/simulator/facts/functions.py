"""The functions and variables of a `.cu` that have a side, and the words that say which."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

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
