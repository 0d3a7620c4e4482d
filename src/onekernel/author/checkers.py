"""What is missing from a checker, a file of the runtime that notices mistakes; its findings are asked by themselves."""

from __future__ import annotations

import re

from onekernel.messages import Message
from onekernel.simulator.paths import RUNTIME

CHECKS = RUNTIME / "checks"
_DECLARED = re.compile(r"^(?!inline|constexpr|using|return)[\w:<>*& ]+?[ *&](\w+)\([^;{]*\);", re.MULTILINE)


def names() -> list[str]:
    """Every checker, by its file."""
    return sorted(path.stem for path in CHECKS.glob("*.cpp"))


def missing(name: str) -> list[Message]:
    """Everything that is missing from the checker in that file."""
    return [*unbuilt(name), *uncalled(name)]


def unbuilt(name: str) -> list[Message]:
    """A translation unit of the runtime includes it."""
    line = f'#include "checks/{name}.cpp"'
    units = RUNTIME.glob("each_*.cpp")
    return [] if any(line in u.read_text("utf-8") for u in units) else [Message.of("author.unbuilt", line=line)]


def uncalled(name: str) -> list[Message]:
    """Each function that its header declares is called: it stands somewhere beside its declaration and its body."""
    header = CHECKS / f"{name}.h"
    declared = _DECLARED.findall(header.read_text(encoding="utf-8")) if header.is_file() else []
    texts = [p.read_text(encoding="utf-8") for p in RUNTIME.rglob("*") if p.suffix in (".h", ".cpp")]
    uses = {f: sum(len(re.findall(rf"\b{f}\b", text)) for text in texts) for f in declared}
    return [Message.of("author.uncalled", name=f, header=f"checks/{name}.h") for f in uses if uses[f] <= 2]
