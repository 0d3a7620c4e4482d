"""The line of a file that a count comes from mostly: what it does, and what would do."""

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
SPARSE = 2  # times the bytes that are asked for: less is alignment, not idle lanes
Weight = Callable[[LineCounts], float]


@dataclass(frozen=True)
class Worst:
    """The line that counts most against a check, and the sentence about it. `drawn`: a picture of it can be had."""

    line: int
    message: Message
    drawn: bool = True


Find = Callable[[Sequence[LineCounts]], Worst | None]


def scattered(lines: Sequence[LineCounts]) -> Worst | None:
    """Where sectors are moved for bytes that nobody asked for."""
    found = _ranked(lines, lambda n: n.side(load=True).waste + n.side(load=False).waste)
    return Worst(found[0].line, _sectors(found)) if found else None


def sparse(lines: Sequence[LineCounts]) -> Worst | None:
    """Where sectors are moved for few bytes, as many as each request needs: by threads that load alone."""
    found = _ranked(lines, lambda n: _moved(n) - _asked_for(n))
    if not found or _moved(found[0]) < SPARSE * _asked_for(found[0]):
        return None
    moved, wanted = Quantity(_moved(found[0]), "B"), Quantity(_asked_for(found[0]), "B")
    return Worst(found[0].line, _message("sparse", found, moved=moved, asked=wanted))


def asked(lines: Sequence[LineCounts]) -> Worst | None:
    """Where most bytes are asked for: not scattered, but several times."""
    return _asked(lines, _asked_for)


def asked_to_load(lines: Sequence[LineCounts]) -> Worst | None:
    """Where most bytes are loaded."""
    return _asked(lines, lambda n: n.side(load=True).bytes)


def _asked_for(line: LineCounts) -> float:
    return line.side(load=True).bytes + line.side(load=False).bytes


def _moved(line: LineCounts) -> float:
    return (line.side(load=True).sectors + line.side(load=False).sectors) * counts.SECTOR_BYTES


def _asked(lines: Sequence[LineCounts], weight: Weight) -> Worst | None:
    found = _ranked(lines, weight)
    return Worst(found[0].line, _message("asked", found, bytes=Quantity(weight(found[0]), "B"))) if found else None


def conflicts(lines: Sequence[LineCounts]) -> Worst | None:
    """Where lanes of a warp wait for the same bank."""
    found = _ranked(lines, lambda n: n.conflicts)
    if not found:
        return None
    waves, least = found[0].wavefronts, found[0].wavefronts - found[0].conflicts
    return Worst(found[0].line, _message("banks", found, wavefronts=waves, needed=least))


def loads(lines: Sequence[LineCounts]) -> Worst | None:
    """Where most load instructions are issued."""
    found = _ranked(lines, lambda n: n.side(load=True).requests)
    if not found:
        return None
    side = found[0].side(load=True)
    lane = side.bytes / side.requests / 32
    return Worst(found[0].line, _message("loads", found, requests=side.requests, bytes=lane))


def shared(lines: Sequence[LineCounts]) -> Worst | None:
    """Where most wavefronts of shared memory come from."""
    found = _ranked(lines, lambda n: n.wavefronts)
    return Worst(found[0].line, _message("shared", found, wavefronts=found[0].wavefronts)) if found else None


def barriers(lines: Sequence[LineCounts]) -> Worst | None:
    """Where most barriers are met."""
    found = _ranked(lines, lambda n: n.metrics.get(counts.BARRIERS, 0))
    if not found:
        return None
    passed = found[0].metrics[counts.BARRIERS]
    return Worst(found[0].line, _message("barriers", found, barriers=passed), drawn=False)


def lines_of(kernels: Sequence[KernelCounts], source: Path) -> list[LineCounts]:
    """The counts of each line of `source`, over all kernels.

    They are the untrusted side's word: a number that is none, or a line of another file, is left out.
    """
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
    return Message(f"grading.worst-line-{kind}", numbers)
