"""What a known mistake of a port is: a cause (minigpt.cause-NAME), the values of its message, the tensor it gives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np

Mistake = tuple[str, Mapping[str, object], np.ndarray]
Trace = Mapping[str, np.ndarray]


def formulas(want: str, written: Iterable[tuple[str, np.ndarray]]) -> Iterator[Mistake]:
    """Formulas that somebody may have written in place of `want`, each with what it gives."""
    for got, made in written:
        yield "formula", {"got": got, "want": want}, made


def factor(ours: np.ndarray, found: np.ndarray) -> float:
    """How many times `ours` the array `found` is, read where ours is largest; 1 where that is no number."""
    finite = np.where(np.isfinite(ours), np.abs(ours), 0.0)
    at = np.unravel_index(np.argmax(finite), ours.shape)
    times = float(found[at] / ours[at]) if finite[at] > 0 else 1.0
    return times if np.isfinite(times) else 1.0
