"""The files of a program's own that a file includes: where they are, and what they hold."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from onekernel.simulator.paths import INCLUDE
from onekernel.simulator.rewrite.tokens import Token, tokenize

_QUOTED = re.compile(r'(#\s*include\s*)"([^"\n]+)"')
_ANGLED = re.compile(r"(#\s*include\s*)<([^>\n]+)>")


def closed(tokens: list[Token], path: Path) -> Iterator[tuple[int, str]]:
    """The files that are included in quotes and may not be read, with their lines."""
    for token in tokens:
        if token.kind == "directive" and (match := _QUOTED.match(token.text)):
            try:
                (path.parent / match[2]).open("rb").close()
            except PermissionError:
                yield token.line, match[2]
            except OSError:
                continue  # the compiler tells that there is no such file


def own_file(text: str, path: Path, folders: Sequence[Path]) -> tuple[str, Path] | None:
    """Of a directive that includes a file of the program's own: what stands before the name, and the file."""
    quoted = _QUOTED.match(text)
    match = quoted or _ANGLED.match(text)
    if match is None:
        return None
    # Ours before what a folder of -I has by the same name, as for the compiler: it may be the CUDA toolkit's.
    folders = () if (INCLUDE / match[2]).is_file() else folders
    for folder in (path.parent, *folders) if quoted else folders:
        if (folder / match[2]).is_file():
            return match[1], (folder / match[2]).resolve()
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
