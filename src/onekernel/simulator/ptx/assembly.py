"""PTX text as instructions, labels and register declarations (PTX ISA, "Syntax" and "Instruction Operands")."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_TOKEN = re.compile(
    r"""
      (?P<space>\s+|//[^\n]*|/\*.*?\*/)
    | (?P<operand>%\d+)
    | (?P<number>0[fF][0-9a-fA-F]{8}|0[dD][0-9a-fA-F]{16}|0[xX][0-9a-fA-F]+U?|0[bB][01]+U?
                |\d+\.\d*(?:[eE][-+]?\d+)?|\d+(?:[eE][-+]?\d+)?U?)
    | (?P<name>%{0,2}[A-Za-z_$.](?:[\w$.]|::)*)
    | (?P<sign>[\s\S])
    """,
    re.VERBOSE | re.DOTALL,
)


class Bad(ValueError):
    """What cannot be run: `key` is a message of ptx.toml, `values` are what its sentence names."""

    def __init__(self, key: str, **values: object) -> None:
        super().__init__(key)
        self.key, self.values = key, values


@dataclass(frozen=True)
class Ref:
    """An operand of the asm statement, %0 and so on."""

    number: int


@dataclass(frozen=True)
class Name:
    """A register, declared or special (without its %)."""

    text: str


@dataclass(frozen=True)
class Number:
    text: str


@dataclass(frozen=True)
class Address:
    base: Value
    offset: int = 0
    plus: Value | None = None  # an "n" operand that is added
    more: tuple[Value, ...] = ()  # coordinates of a tensor


@dataclass(frozen=True)
class Vector:
    items: tuple[Value, ...]


@dataclass(frozen=True)
class Pair:
    """d|p: a result and a predicate."""

    first: Value
    second: Value


@dataclass(frozen=True)
class Not:
    predicate: Value


Value = Ref | Name | Number | Address | Vector | Pair | Not


@dataclass(frozen=True)
class Instruction:
    """`name` is its first word, `modifiers` the rest; `guard` is a predicate, perhaps negated."""

    name: str
    modifiers: tuple[str, ...]
    operands: tuple[Value, ...]
    guard: Value | None = None

    @property
    def text(self) -> str:
        return ".".join((self.name, *self.modifiers))


@dataclass
class Code:
    """In order: instructions, and the names of labels; the declared registers and the bits of each (1: a predicate)."""

    lines: list[Instruction | str] = field(default_factory=list)
    registers: dict[str, tuple[int, bool]] = field(default_factory=dict)  # bits, and whether it is a float's


def parse(assembly: str) -> Code:
    """Raises Bad for what is no PTX."""
    return _Parser(assembly).code


def _tokens(assembly: str) -> Iterator[tuple[str, str]]:
    for match in _TOKEN.finditer(assembly):
        if match.lastgroup != "space":
            yield str(match.lastgroup), match.group()
    yield "end", ""


class _Parser:
    def __init__(self, assembly: str) -> None:
        self.tokens = list(_tokens(assembly))
        self.at = 0
        self.code = Code()
        self.scopes: list[dict[str, str]] = [{}]  # what each register is called in the result
        while self.tokens[self.at][0] != "end":
            self._line()

    def _next(self) -> tuple[str, str]:
        token = self.tokens[self.at]
        self.at += token[0] != "end"
        return token

    def _is(self, text: str) -> bool:
        return self.tokens[self.at][1] == text and self.tokens[self.at][0] != "end"

    def _take(self, text: str) -> bool:
        self.at += (found := self._is(text))
        return found

    def _expect(self, text: str) -> None:
        if not self._take(text):
            raise Bad("syntax", near=self._near())

    def _near(self) -> str:
        return " ".join(t for _, t in self.tokens[max(self.at - 2, 0) : self.at + 3]).strip()

    def _line(self) -> None:
        if self._take(";"):
            return
        if self._take("{"):
            self.scopes.append({})
            return
        if self._take("}"):
            if len(self.scopes) == 1:
                raise Bad("syntax", near="}")
            self.scopes.pop()
            return
        guard: Value | None = None
        if self._take("@"):
            guard = Not(self._simple()) if self._take("!") else self._simple()
        kind, text = self._next()
        if kind != "name":
            self.at -= kind != "end"
            raise Bad("syntax", near=self._near())
        if guard is None and self._take(":"):
            self.code.lines.append(text.lstrip("%"))
        elif text == ".reg":
            self._registers()
        elif text == ".pragma":
            while not self._take(";") and self.tokens[self.at][0] != "end":
                self.at += 1
        elif text.startswith("."):
            raise Bad("unknown", what=text)
        else:
            name, *modifiers = text.split(".")
            operands = [] if self._is(";") or self.tokens[self.at][0] == "end" else self._operands()
            if self.tokens[self.at][0] != "end":
                self._expect(";")
            self.code.lines.append(Instruction(name, tuple(modifiers), tuple(operands), guard))

    def _registers(self) -> None:
        kind = self._next()[1].lstrip(".")
        if kind in ("v2", "v4"):
            raise Bad("unknown", what=f".reg .{kind}")
        bits = 1 if kind == "pred" else int(re.sub(r"\D", "", kind.replace("x2", "")) or 0)
        if kind in ("f16x2", "bf16x2"):
            bits = 32
        if bits not in (1, 8, 16, 32, 64, 128):
            raise Bad("unknown", what=f".reg .{kind}")
        while True:
            name = re.sub("^%+", "%", self._next()[1])
            family = ""
            if self._take("<"):
                family = self._next()[1]
                self._expect(">")
            for each in [f"{name}{i}" for i in range(int(family))] if family else [name]:
                own = f"{re.sub(r'[^0-9A-Za-z_]', '_', each)}_{len(self.code.registers)}"
                self.scopes[-1][each] = own
                self.code.registers[own] = (bits, kind in ("f32", "f64"))
            if not self._take(","):
                break
        self._expect(";")

    def _operands(self) -> list[Value]:
        found = [self._operand()]
        while self._take(","):
            found.append(self._operand())
        return found

    def _operand(self) -> Value:
        if self._take("{"):
            items = self._operands()
            self._expect("}")
            return Vector(tuple(items))
        if self._take("["):
            return self._address()
        if self._take("!"):
            return Not(self._simple())
        first = self._simple()
        return Pair(first, self._simple()) if self._take("|") else first

    def _address(self) -> Address:
        base = self._operand()
        offset, plus = 0, None
        while self._is("+") or self._is("-"):
            sign = -1 if self._next()[1] == "-" else 1
            sign *= -1 if self._take("-") else 1
            kind, text = self._next()
            if kind == "operand" and sign == 1:
                plus = Ref(int(text[1:]))
                continue
            if kind != "number":
                raise Bad("syntax", near=self._near())
            offset += sign * int(text.rstrip("U"), 0)
        more = []
        while self._take(","):
            more.append(self._operand())
        self._expect("]")
        return Address(base, offset, plus, tuple(more))

    def _simple(self) -> Value:
        sign = "-" if self._take("-") else ""
        kind, text = self._next()
        if kind == "number":
            return Number(sign + text)
        if kind == "operand" and not sign:
            return Ref(int(text[1:]))
        if kind != "name" or sign:
            self.at -= kind != "end"
            raise Bad("syntax", near=self._near())
        text = text.replace("%%", "%")
        for scope in reversed(self.scopes):
            if text in scope:
                return Name(scope[text])
        return Name(text)
