"""A compiler's error, what is read of the lines around it, and what clang++ says in g++'s words: the slips are known by
those (slips.py).

clang++ leaves out names and types that g++ gives; they are read from the line, and from where the file declares them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from onekernel.simulator.facts import Facts, facts_of
from onekernel.simulator.facts.arrays import IN_MEMORY

Told = tuple[str, dict[str, object], int]
"""A message's name in messages/compile.toml, its values, the line (from 1) of the slip."""

_COMMENT = re.compile(r"//.*|/\*.*?\*/")
_CALL = re.compile(r"(?!(?:if|for|while|switch|return|sizeof)\b)\b([A-Za-z_]\w*)\s*\(")
_NO_PART = IN_MEMORY | {"static", "extern", "volatile", "register", "constexpr", "__restrict__", "__restrict", "&"}
_INVALID = "invalid conversion from '{given}' to '{wanted}'"


@dataclass(frozen=True)
class Complaint:
    """A compiler's error: what it says, of which line of the file's text."""

    what: str
    line: int
    lines: Sequence[str]

    @property
    def facts(self) -> Facts:
        return facts_of("\n".join(self.lines))

    @property
    def text(self) -> str:
        return self.at(self.line)

    def at(self, line: int) -> str:
        """A line without its comment."""
        return without_comment(self.lines[line - 1]).strip() if 0 < line <= len(self.lines) else ""

    def before(self) -> int:
        """The last line before it that has code."""
        return next((n for n in range(self.line - 1, 0, -1) if self.at(n)), self.line)

    def unended(self) -> int | None:
        """The last line before it that has code, where nothing ends or continues it."""
        before = self.before()
        return None if before == self.line or re.search(r"[;{}:,(]$", self.at(before)) else before


def without_comment(line: str) -> str:
    return _COMMENT.sub("", line)


def plain(what: str) -> str:
    """Without the simulator's names for CUDA's types."""
    what = re.sub(r" \{aka [^{}]*\}", "", what)
    what = re.sub(r"(?:const )?ok_dim3_view", "dim3", what)
    return re.sub(r" \[-f?[\w=-]+\]$", "", re.sub(r"__ok::|ok_type_", "", what))[:200]


def in_gcc_words(c: Complaint) -> str:
    """The complaint as g++ would make it; as it is where it is g++'s, or nothing better is known."""
    what = re.sub(r" \(aka '[^']*'\)", "", c.what)
    for pattern, words in _WORDS:
        if match := re.search(pattern, what):
            return words(c, match) if callable(words) else match.expand(words)
    return c.what


def _not_a_function(c: Complaint, _: re.Match[str]) -> str:
    called = _CALL.search(c.text)
    return f"'{called[1]}' cannot be used as a function" if called else "expression cannot be used as a function"


def _operands(c: Complaint, m: re.Match[str]) -> str:
    one, two = (re.sub(r" (?=\*)", "", m[name]) for name in ("one", "two"))
    sign = re.search(r"<<|\^|%", c.text) or re.search(r"(?<=[\w)\]]) *([-+*/])(?= *[\w(])", c.text)
    return f"invalid operands of types '{one}' and '{two}' to binary 'operator{sign[0].strip() if sign else '?'}'"


def _subscript(c: Complaint, _: re.Match[str]) -> str:
    """Of the line's elements the one of a number."""
    types = [(_declared(c, of), _declared(c, index)) for of, index in re.findall(r"(\w+)\s*\[\s*(\w+)", c.text)]
    of, index = next((pair for pair in types if not pair[0].endswith("*")), ("?", "?"))
    return f"invalid types '{of}[{index}]' for array subscript"


def _index(c: Complaint, _: re.Match[str]) -> str:
    index = re.search(r"\[\s*(\w+)", c.text)
    return f"invalid types 'T*[{_declared(c, index[1]) if index else '?'}]' for array subscript"


def _expression(c: Complaint, _: re.Match[str]) -> str:
    if re.match(r"\}?\s*else\b", c.text):
        return "'else' without a previous 'if'"
    token = "'>' token" if re.search(r"<<[^;]*>>", c.text) and "<<<" not in c.text else "token"
    return f"expected primary-expression before {token}"


def _no_match(c: Complaint, m: re.Match[str]) -> str:
    given = re.search(rf"\b{re.escape(m['name'])}\s*\((.*)", c.text)
    types = (_declared(c, name) for name in re.findall(r"(?<![.\w])[A-Za-z_]\w*", given[1] if given else ""))
    return f"no matching function for call to '{m['name']}({', '.join(types)})'"


def _member(c: Complaint, m: re.Match[str]) -> str:
    member = re.search(r"(\w+)\s*(?:\[[^\]]*\])?\s*(?:\.|->)\s*([A-Za-z_]\w*)", c.text)
    name, of = (member[1], member[2]) if member else ("?", "?")
    return f"request for member '{of}' in '{name}', which is of non-class type '{m['type']}'"


def _arguments(c: Complaint, m: re.Match[str]) -> str:
    called = _CALL.search(c.text)
    return f"{m[0]} to function '{called[1]}('" if called else c.what


def _conversion(_: Complaint, m: re.Match[str]) -> str:
    given = re.sub(r"char ?\[\d+\]", "char*", m["given"])
    return _INVALID.format(given=re.sub(r" (?=\*)", "", given), wanted=re.sub(r" (?=\*)", "", m["wanted"]))


def _declared(c: Complaint, name: str) -> str:
    """The type that the file gives a name, at the line or above it; its own name where none is seen."""
    known = [one for one in c.facts.named if one.name == name and one.line <= c.line]
    words = [word for word in known[-1].type if word not in _NO_PART] if known else [name]
    return re.sub(r" ?(::|<|>|,) ?", r"\1", " ".join(words)).replace(" *", "*")


_WORDS: tuple[tuple[str, str | Callable[[Complaint, re.Match[str]], str]], ...] = (
    (r"called object type '.*' is not a function", _not_a_function),
    (r"use of undeclared identifier ('\w+')(; did you mean '\w+'\?)", r"\1 was not declared in this scope\2"),
    (r"use of undeclared identifier ('\w+')", r"\1 was not declared in this scope"),
    (r"unknown type name ('\w+')", r"\1 does not name a type"),
    (r"invalid operands to binary expression \('(?P<one>.+)' and '(?P<two>.+)'\)", _operands),
    (r"read-only variable is not assignable|cannot assign to .*const", "assignment of read-only location"),
    (r"'([^']+)' file not found", r"\1: No such file or directory"),
    (r"redefinition of ('\w+')", r"redeclaration of \1"),
    (r"subscripted value is not an array", _subscript),
    (r"array subscript is not an integer", _index),
    (r"expected ('[(]') after '\w+'", r"expected \1 before"),
    (r"^expected ('[)\]]')$", r"expected \1 before"),
    (r"^expected expression$", _expression),
    (r"cannot initialize .* of type '(?P<wanted>[^']+)' with an [lr]value of type '(?P<given>[^']+)'", _conversion),
    (r"assigning to '(?P<wanted>[^']+)' from incompatible type '(?P<given>[^']+)'", _conversion),
    (r"no matching function for call to '(?P<name>\w+)'$", _no_match),
    (r"indirection requires pointer operand \('(.+)' invalid\)", r"invalid type argument of unary '*' (have '\1')"),
    (r"invalid digit '.' in decimal constant", "unable to find numeric literal operator"),
    (r"use of overloaded operator '(\S+)' is ambiguous \(with (.*)\)", r"ambiguous overload for 'operator\1' (\2)"),
    (r"member reference (?:base )?type '(?P<type>[^']+)'", _member),
    (r"extraneous closing brace", "expected declaration before '}'"),
    (r"^expected '\}'$", "expected '}' at end of input"),
    (r"function definition is not allowed", "function-definition is not allowed"),
    (r"expression is not assignable", "lvalue required as left operand of assignment"),
    (r"no member named ('\w+') in namespace ('std')", r"\1 is not a member of \2"),
    (r"too (?:few|many) arguments(?= to function call)", _arguments),
    (r"void function '\w+' should not return a value",
     "return-statement with a value, in function returning 'void'"),
)  # fmt: skip
