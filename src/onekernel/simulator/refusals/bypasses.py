"""What would get past everything that reads a graded file: text for the assembler, names for the linker, lines that are
said to be another file's, instructions of the host's processor. No kernel needs them; a program of one's own may have
them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from onekernel.simulator.facts.tokens import Token
from onekernel.simulator.refusals.features import Refusal

NAMES = ("weakref", "__weakref__", "symver", "__symver__", "_GLOBAL_OFFSET_TABLE_", "_DYNAMIC",
         "trivial_abi", "__trivial_abi__")  # fmt: skip
"""Attributes whose text goes to the assembler as it stands, what only the linker makes, and, of clang's, what has a
kernel destroy its arguments."""
_SECTION = ("section", "__section__")  # an attribute where a string follows in brackets, else anybody's name
_DIRECTIVE = re.compile(
    r"#\s*(?P<word>ident|sccs)\b|#\s*(?:line)?\s*\d+\s*\"|#\s*define\b.*?\b(?P<section>section|__section__)\b"
    r"|#\s*(?:include|define)\b.*?\b(?P<header>\w*intrin\.h|arm_neon\.h)",
    re.DOTALL,
)
_JOINED = re.compile(r"\\[ \t]*\r?\n")  # two lines that a compiler reads as one
# Of the host's processor; the compiler's own atomics, whose accesses nothing checks; jumps out of a function.
_OF_THE_HOST = re.compile(
    r"__builtin_(?:(?:ia32|aarch64|neon)_\w+|setjmp|longjmp|eh_return\w*|unwind_init|apply(?:_args)?|return)"
    r"|__(?:atomic|sync)_\w+"
)
ANYWHERE = re.compile(rf"\b(?:(asm|__asm|__asm__)\b|(section|__section__)\s*\(|({_OF_THE_HOST.pattern}))")
"""The same in a line that the preprocessor has written, for words that macros paste: the first also of a program."""


def unread(tokens: Iterable[Token]) -> Iterator[Refusal]:
    """Each of them, once, also in branches that are left out: `#define` may decide otherwise than we do."""
    told: set[str] = set()
    before = ("", "")
    for token in tokens:
        found = _found(token, before)
        if found and found.what not in told:
            told.add(found.what)
            yield found
        if token.kind not in ("space", "directive"):
            before = (before[1], token.text)


def _found(token: Token, before: tuple[str, str]) -> Refusal | None:
    if token.kind == "name" and token.text in NAMES:
        return Refusal(token.text, token.line, "unread")
    if token.kind == "name" and _OF_THE_HOST.fullmatch(token.text):
        return Refusal(token.text, token.line, "host-instruction")
    if token.text in (":", "::") and before[1] == "%":  # another spelling of `#`
        return Refusal("%:", token.line, "unread")
    if token.kind == "string" and before[1] == "(" and before[0] in _SECTION:
        return Refusal(before[0], token.line, "unread")
    if token.kind != "directive":
        return None
    text = _JOINED.sub("", token.text)
    if text.rstrip(" \t").endswith("\\"):  # g++ goes on in the next line, nvcc does not
        return Refusal("\\", token.line, "unread")
    if not (found := _DIRECTIVE.match(text)):
        return None
    if found["header"]:
        return Refusal(f"<{found['header']}>", token.line, "host-instruction")
    return Refusal(found["section"] or f"#{found['word'] or 'line'}", token.line, "unread")
