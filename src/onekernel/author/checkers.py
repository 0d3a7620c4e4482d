"""What is missing from a checker, a file of the runtime that notices mistakes; its findings are asked by themselves."""

from __future__ import annotations

import re
from pathlib import Path

from onekernel.messages import Message
from onekernel.simulator.paths import RUNTIME

CHECKERS = RUNTIME / "checkers"
_STRUCT = re.compile(r"^struct (\w+Checker)\b.*: Checker<", re.MULTILINE)
_STATED = re.compile(r"^// Tells: .*(?:\n//  .*)*\n// Tests: .*$", re.MULTILINE)


def names() -> list[str]:
    """Every checker, by its file."""
    return sorted(path.stem for path in CHECKERS.glob("*.h") if _STRUCT.search(path.read_text(encoding="utf-8")))


def missing(name: str) -> list[Message]:
    """Everything that is missing from the checker in that file."""
    text = (CHECKERS / f"{name}.h").read_text(encoding="utf-8")
    return [*_unlisted(name, text), *_unstated(name, text), *_unbuilt(name)]


def _unlisted(name: str, text: str) -> list[Message]:
    """It is told of events where list.h includes it and names it."""
    listed = (CHECKERS / "list.h").read_text(encoding="utf-8")
    lines = [f'#include "{name}.h"', *(f"    {struct}" for struct in _STRUCT.findall(text))]
    absent = [line.strip() for line in lines if not re.search(f"^{line}", listed, re.MULTILINE)]
    return [Message.of("author.unlisted", line=line) for line in absent]


def _unstated(name: str, text: str) -> list[Message]:
    """It says what it tells, and where it is tested: beside its declaration or in the file of its functions."""
    beside = CHECKERS / f"{name}.cpp"
    texts = [text, *([beside.read_text(encoding="utf-8")] if beside.is_file() else [])]
    return [] if any(map(_STATED.search, texts)) else [Message.of("author.unstated", file=f"checkers/{name}.h")]


def _unbuilt(name: str) -> list[Message]:
    """A translation unit of the runtime includes the file of its functions, where it has one."""
    line = f'#include "checkers/{name}.cpp"'
    built = not Path(CHECKERS / f"{name}.cpp").is_file() or any(
        line in unit.read_text(encoding="utf-8") for unit in RUNTIME.glob("each_*.cpp")
    )
    return [] if built else [Message.of("author.unbuilt", line=line)]
