"""Which lines of a file cost it the points of a memory check: what they do, and what would do."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from onekernel import counts
from onekernel.counts import KernelCounts, LineCounts
from onekernel.messages import Message
from onekernel.numerals import Quantity

LIKEWISE = 0.1  # of the worst line's: less is not worth a word
MOST_LIKEWISE = 4
Weight = Callable[[LineCounts], float]


@dataclass(frozen=True)
class Worst:
    """The line that counts most against a check, and the sentence about it. `drawn`: a picture of it can be had."""

    line: int
    message: Message
    drawn: bool = True


def worst(measure: str, kernels: Sequence[KernelCounts], source: Path) -> Worst | None:
    """The line of `source` that a measure's count comes from mostly; None where no line is known to.

    The counts are the untrusted side's word: a number that is none, or a line of another file, is left out.
    """
    lines = _lines(kernels, source)
    if measure in ("bytes_moved", "scatter"):
        found = _ranked(lines, lambda n: n.side(load=True).waste + n.side(load=False).waste)
        if found:
            return Worst(found[0].line, _sectors(found))
    if measure in ("bytes_moved", "bytes_requested", "passes"):  # not scattered, but asked for several times
        loads_alone = measure == "passes"
        found = _ranked(lines, lambda n: n.side(load=True).bytes + (0 if loads_alone else n.side(load=False).bytes))
        if found:
            asked = found[0].side(load=True).bytes + (0 if loads_alone else found[0].side(load=False).bytes)
            return Worst(found[0].line, _message("asked", found, bytes=Quantity(asked, "B")))
    if measure == "bank_conflicts":
        found = _ranked(lines, lambda n: n.conflicts)
        if found:
            waves, least = found[0].wavefronts, found[0].wavefronts - found[0].conflicts
            return Worst(found[0].line, _message("banks", found, wavefronts=waves, needed=least))
    if measure == "load_requests":
        found = _ranked(lines, lambda n: n.side(load=True).requests)
        if found:
            side = found[0].side(load=True)
            lane = side.bytes / side.requests / 32
            return Worst(found[0].line, _message("loads", found, requests=side.requests, bytes=lane))
    if measure == "shared_traffic":
        found = _ranked(lines, lambda n: n.wavefronts)
        if found:
            return Worst(found[0].line, _message("shared", found, wavefronts=found[0].wavefronts))
    if measure == "barriers":
        found = _ranked(lines, lambda n: n.metrics.get(counts.BARRIERS, 0))
        if found:
            passed = found[0].metrics[counts.BARRIERS]
            return Worst(found[0].line, _message("barriers", found, barriers=passed), drawn=False)
    return None


def _lines(kernels: Sequence[KernelCounts], source: Path) -> list[LineCounts]:
    """The counts of each line of `source`, over all kernels."""
    here, total = source.resolve(), dict[int, dict[str, float]]()
    for line in (n for k in kernels for n in k.lines):
        if Path(line.file) == here and all(math.isfinite(v) and v >= 0 for v in line.metrics.values()):
            sums = total.setdefault(line.line, {})
            for name, value in line.metrics.items():
                sums[name] = sums.get(name, 0) + value
    return [LineCounts(str(here), number, metrics) for number, metrics in total.items()]


def _ranked(lines: Sequence[LineCounts], weight: Weight) -> list[LineCounts]:
    """The lines that weigh most first; those that hardly weigh anything beside the first are left out."""
    found = sorted((n for n in lines if weight(n) > 0), key=lambda n: (-weight(n), n.line))
    return [n for n in found if weight(n) >= LIKEWISE * weight(found[0])]


def _sectors(found: Sequence[LineCounts]) -> Message:
    load, store = (found[0].side(load=is_load) for is_load in (True, False))
    requests = load.requests + store.requests
    moved, needed = load.sectors + store.sectors, load.needed + store.needed
    return _message(
        "sectors", found, sectors=moved / requests, needed=needed / requests,
        moved=Quantity(moved * counts.SECTOR_BYTES, "B"), least=Quantity(needed * counts.SECTOR_BYTES, "B"),
    )  # fmt: skip


def _message(kind: str, found: Sequence[LineCounts], **values: float | Quantity) -> Message:
    others = [str(n.line) for n in found[1 : 1 + MOST_LIKEWISE]]
    also = Message("grading.likewise", {"lines": ", ".join(others), "count": len(others)}) if others else ""
    numbers: Mapping[str, object] = {**values, "line": found[0].line, "also": also}
    return Message(f"grading.waste-{kind}", numbers)
