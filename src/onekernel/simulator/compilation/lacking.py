"""What a compiler does not know although CUDA has it: the simulator lacks it, and says so by name."""

from __future__ import annotations

import re
import tomllib
from functools import cache

from onekernel.simulator.paths import SIMULATOR

# g++'s words, then clang++'s. With a suggestion, the name may be a slip.
_UNKNOWN = re.compile(
    r"'(?:[\w:<>, ]+::)?(?P<name>\w+)' "
    r"(?:was not declared|has not been declared|does not name a type|is not a member of)|"
    r"(?:use of undeclared identifier|unknown type name|no (?:member|type|template) named) '(?P<name2>\w+)'"
)
_SPACES = ("cub", "cooperative_groups", "cuda", "nvcuda")
_SPACE = f"(?:{'|'.join(_SPACES)})"
_OF_CUDA = re.compile(
    rf"'(?P<name>\w+)' is not a member of '(?P<scope>{_SPACE}(?:::\w+)*)'$|"
    rf"no (?:member|type|template) named '(?P<name2>\w+)' in namespace '(?P<scope2>{_SPACE}(?:::\w+)*)'$"
)
_MEMBER = re.compile(
    rf"'[^']*?\b(?P<scope>{_SPACE}::[\w:]+|cuda[A-Z]\w+)\b[^']*' has no member named "
    r"'(?P<name>\w+)'(?P<meant>; did you mean .*)?$|"
    rf"no member named '(?P<name2>\w+)' in '(?P<scope2>{_SPACE}::[\w:]+|cuda[A-Z]\w+)\b[^']*'$"
)


def lacking(what: str) -> str | None:
    """The name of CUDA's that a compiler's error is about, with its scope if that is known; None for another error."""
    if (match := _OF_CUDA.search(what)) or (match := _MEMBER.search(what)):
        found = match.groupdict()
        scope, name = found["scope"] or found["scope2"], found["name"] or found["name2"]
        named = "::" in scope or scope in _SPACES
        return f"{scope}::{name}" if name in _names() or (named and not found.get("meant")) else None
    match = _UNKNOWN.search(what)
    name = next((n for n in match.groups() if n), None) if match else None
    return name if name in _names() else None


@cache
def _names() -> frozenset[str]:
    text = (SIMULATOR / "cuda_names.toml").read_text(encoding="utf-8")
    return frozenset(tomllib.loads(text)["names"].split())
