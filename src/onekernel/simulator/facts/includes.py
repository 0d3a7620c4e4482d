"""What a file includes: headers, and files of a program's own, where they are and what they hold."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from pathlib import Path

from onekernel.simulator.facts.tokens import Token, tokenize
from onekernel.simulator.paths import INCLUDE, SIMULATOR

_OF_PROGRAMS = re.compile(r"cublas\w*\.h|curand\.h|thrust/.*|cub/device/.*")
_INCLUDE = re.compile(r'(#\s*include\s*)(?:<(?P<angled>[^>\n]+)>|"(?P<quoted>[^"\n]+)")')
_SPLICE = re.compile(rb"\\[ \t]*\r?\n")  # a line that goes on in the next one
_BY_MACRO = re.compile(rb"\binclude(?:_next)?\b(?!\s*[<\"])")


def may_read(folder: Path, file: str, beside: Collection[str]) -> set[str]:
    """Of the files `beside` a `.cu`, by their paths in its `folder`, those that it may read, itself among them: what it
    names, as the files do that it includes. Where a macro has the name, that may be any."""
    everything = {file, *beside}
    found: set[str] = set()
    rest = {file}
    while rest:
        found.add(name := rest.pop())
        path = folder / name
        text = _SPLICE.sub(b"", path.read_bytes()) if path.is_file() else b""
        if _BY_MACRO.search(text):
            return everything
        rest |= {f for f in everything - found if Path(f).name.encode() in text}
    return found


def included(directive: str) -> str | None:
    """The header that a directive includes, as it is written there; None where it includes none."""
    match = _INCLUDE.match(directive)
    return (match["angled"] or match["quoted"]).strip() if match else None


def for_programs(name: str | None) -> bool:
    """Whether the header `name` brings a library of the host: it is for whole programs, not for a file of launchers."""
    return name is not None and _OF_PROGRAMS.fullmatch(name) is not None


def advice(name: str) -> tuple[str, str] | None:
    """The message of simulator.toml that says what to do without the header `name`, and the library that it belongs
    to, if that is named. None for a header that is not known."""
    name = name.removeprefix("cccl/")
    return next(((key, what) for pattern, key, what in _table() if pattern.fullmatch(name)), None)


@cache
def _table() -> tuple[tuple[re.Pattern[str], str, str], ...]:
    text = (SIMULATOR / "toolkit_headers.toml").read_text(encoding="utf-8")
    rows = tomllib.loads(text)["header"]
    return tuple((re.compile(row["names"]), f"header-{row['advice']}", row.get("what", "")) for row in rows)


def closed(tokens: list[Token], path: Path) -> Iterator[tuple[int, str]]:
    """The files that are included in quotes and may not be read, with their lines."""
    for token in tokens:
        match = _INCLUDE.match(token.text) if token.kind == "directive" else None
        if match and match["quoted"]:
            try:
                (path.parent / match["quoted"]).open("rb").close()
            except PermissionError:
                yield token.line, match["quoted"]
            except (OSError, ValueError):
                continue  # the compiler tells that there is no such file, or that none can have that name


def own_file(text: str, path: Path, folders: Sequence[Path]) -> tuple[str, Path] | None:
    """Of a directive that includes a file of the program's own: what stands before the name, and the file."""
    if (match := _INCLUDE.match(text)) is None:
        return None
    quoted, name = match["quoted"], match["quoted"] or match["angled"]
    # Ours before what a folder of -I has by the same name, as for the compiler: it may be the CUDA toolkit's.
    folders = () if os.path.isfile(INCLUDE / name) else folders
    for folder in (path.parent, *folders) if quoted else folders:
        if os.path.isfile(folder / name):  # False for a name that no system takes
            return match[1], (folder / name).resolve()
    return None


def with_included(tokens: list[Token], path: Path, folders: Sequence[Path], seen: set[Path]) -> Iterator[Token]:
    """The tokens of the file and of those of its own that it includes."""
    yield from tokens
    for token in tokens:
        found = own_file(token.text, path, folders) if token.kind == "directive" else None
        if found is not None and found[1] not in seen:
            seen.add(found[1])
            text = found[1].read_text(encoding="utf-8-sig", errors="replace")
            yield from with_included(tokenize(text), found[1], folders, seen)
