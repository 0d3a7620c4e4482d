"""Constant memory, of which a card has 64 KB: ptxas refuses a file whose __constant__ variables need more."""

from __future__ import annotations

import re
from collections.abc import Iterable

from onekernel.backends.base import BuildError, Finding
from onekernel.messages import Message
from onekernel.simulator.facts.symbols import CONSTANT, UNSET
from onekernel.simulator.machine_code.elf import Symbol, variables
from onekernel.simulator.paths import INCLUDE
from onekernel.simulator.read.declarations import declares_on_device
from onekernel.simulator.rewrite.source import Source

_CARD = re.search(r"int constant_memory = (\d+) \* 1024;", (INCLUDE / "ok" / "card.h").read_text(encoding="utf-8"))
BYTES = int(_CARD[1]) * 1024 if _CARD else 0


def require_fit(sources: Iterable[Source], symbols: Iterable[Symbol]) -> None:
    """Raises BuildError where the constants of one source do not fit: at the largest one."""
    symbols = list(symbols)
    for source in sources:
        names = [name for name, kind in source.variables.items() if kind in (UNSET, CONSTANT)]
        if not (found := variables(symbols, names)):
            continue
        total, (name, largest) = sum(s.size for _, s in found), max(found, key=lambda one: one[1].size)
        if total > BYTES:
            places = ((str(file), declares_on_device(str(file), name)) for file in source.files)
            file, line = next((place for place in places if place[1]), (str(source.path), None))
            values = {"name": name, "own": largest.size, "bytes": total, "most": BYTES}
            raise BuildError([Finding("constant-memory", Message("simulator.constant-memory", values), file, line)])
