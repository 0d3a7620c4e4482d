"""What a run of the softmax bench measures: which contenders at which shapes, and of which files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from onekernel.bench.records import kernel_hash
from onekernel.bench.softmax.cases import Case
from onekernel.bench.softmax.contenders import Contender
from onekernel.bench.softmax.tables import LADDER_SHAPES


def plan(
    wanted: Iterable[Case], found: Sequence[Contender], kept: Iterable[Mapping[str, Any]] = (), everywhere: bool = False
) -> list[tuple[Case, list[Contender]]]:
    """The shapes that are left to measure, each with those who take part in it. `kept`: the cells of a result file.

    The ladder takes part in the shapes of its table alone, or `everywhere`. A kept shape that lacks somebody is
    measured again, whole: its contenders have to take turns.
    """
    answered = {key_of(c): set(c["contenders"]) for c in kept}
    left = []
    for case in wanted:
        ladder = everywhere or case.name in LADDER_SHAPES
        part = [c for c in found if ladder or c.kind != "ladder"]
        have = answered.get((case.dtype, case.rows, case.cols, case.shift))
        if have is None or not {c.name for c in part} <= have:
            left.append((case, part))
    return left


def key_of(kept: Mapping[str, Any]) -> tuple[str, int, int, int]:
    """What a cell of a result file was measured at: type, rows, columns, shift."""
    return kept["dtype"], kept["rows"], kept["cols"], kept["shift"]


def sources(found: Iterable[Contender]) -> dict[str, str]:
    """The mark, as in a tuning log, of each contender's file: a resumed run is of the same kernels."""
    return {c.name: kernel_hash(c.source) for c in found if c.source}
