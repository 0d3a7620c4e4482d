"""Sums by halves in shared memory, and launches with blocks that do not fit: elements are lost without an error."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from onekernel.backends.base import Finding
from onekernel.messages import Message
from onekernel.simulator.facts.file import Facts, facts_at
from onekernel.simulator.facts.functions import KERNEL
from onekernel.simulator.facts.statements import counted
from onekernel.simulator.facts.tokens import text_of
from onekernel.simulator.read.traffic import kernel_name

CHAPTER = "02-02-shared-tree#shared-memory"
_HALF = ("blockDim.x/2", "blockDim.x>>1")


def odd_trees(report: dict[str, Any], files: Iterable[Path], functions: dict[int, str]) -> tuple[Finding, ...]:
    """A warning for each such loop of a kernel that was launched with blocks of no power of two."""
    sizes: dict[str, int] = {}
    for launch in report["launches"]:
        threads = launch["block"][0]
        if threads & (threads - 1) and threads > 1:
            sizes.setdefault(re.split(r"[<(:]", kernel_name(launch, functions))[0].strip(), threads)
    read = ((f, line, kernel) for f in files if sizes for line, kernel in _trees(facts_at(f)))
    return tuple(
        Finding("odd-tree", Message("simulator.odd-tree", {"kernel": kernel, "threads": sizes[kernel]}), str(file),
                line, "warning", CHAPTER)
        for file, line, kernel in read
        if kernel in sizes
    )  # fmt: skip


def _trees(facts: Facts) -> Iterator[tuple[int, str]]:
    """The lines of loops that halve a step from blockDim.x / 2 on and add what lies that far, and their kernels."""
    for loop in facts.statements:
        turns, kernel = counted(facts.code, loop), facts.function_at(loop.first_line)
        if not turns or not kernel or kernel.side != KERNEL or text_of(turns.value) not in _HALF:
            continue
        step, body = turns.name, text_of(facts.code[loop.first : loop.last + 1])
        halves = text_of(turns.step) in (f"{step}>>=1", f"{step}/=2")
        if halves and re.search(rf"\bif\(\w+(?:\.x)?<{step}\)", body) and f"+{step}]" in body:
            yield loop.first_line, kernel.name
