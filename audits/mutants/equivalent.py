"""Why a mutant that survives is no wrong kernel: reasons, for a line of a file and what became of it, or for all of a
function that only a GPU runs."""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from onekernel.course import fastest, find_root


@cache
def _known() -> Mapping[str, Any]:
    return tomllib.loads((Path(__file__).parent / "equivalent.toml").read_text(encoding="utf-8"))


def reason(file: str, mutant: Mapping[str, Any]) -> str | None:
    """The reason's name, `bench.mutant-NAME` in the messages; None for a mutant that nobody has explained."""
    for entry in _known().get("mutant", []):
        same = mutant["before"] == entry["before"] and mutant["after"] in entry["after"]
        if same and entry["file"] in (file, "*") and mutant["line"] in _lines(file, entry.get("within", "")):
            return str(entry["reason"])
    for entry in _known().get("function", []):
        if entry["file"] == file and any(mutant["line"] in _lines(file, name) for name in entry["names"]):
            return str(entry["reason"])
    return None


@cache
def _lines(file: str, name: str) -> range:
    """The lines of the function or struct of that name: from its head to the end of what is indented, or braced. Every
    line for no name."""
    if not name:
        return range(1, sys.maxsize)
    solutions = find_root() / "solutions"
    path = next((p for p in (fastest(find_root(), file), *solutions.glob(f"ladder/{file}")) if p.is_file()), None)
    lines = [line.split("//")[0].rstrip() for line in path.read_text(encoding="utf-8").split("\n")] if path else []
    head = re.compile(rf"def {name}\(" if file.endswith(".py") else rf"[^ \t/#].*\b{name}\b(?!;)[^;]*\{{$")
    first = next((n for n, line in enumerate(lines, 1) if head.match(line)), 0)
    ends = r"\S" if file.endswith(".py") else r"\}"
    after = range(first + 1, len(lines) + 1)
    last = next((n for n in after if re.match(ends, lines[n - 1]) and lines[n - 1] != "):"), 0)
    return range(first, last + 1) if first else range(0)
