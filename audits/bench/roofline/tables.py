"""The roofline bench in text: each kernel's share of a copy's bandwidth in a line, and the roofs in a table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from audits import records
from audits.bench.roofline.points import LADDER, RooflinePoint, Roofs
from audits.words import caption, in_each, in_numbers, words
from onekernel.numerals import number


def standing(path: Path, lang: str) -> list[str]:
    """Each kernel's share of the copy's bandwidth, the reading ladder as a range, and how it was measured.

    For the pages that hold the figure, and for readers who do not see it.
    """
    data = records.read(path)
    copy = Roofs.from_json(data["roofs"]).copy
    shares = {p.name: 100 * (p.bandwidth or 0.0) / copy for p in map(RooflinePoint.from_json, data["points"])
              if not p.in_l2}  # fmt: skip
    rungs = [share for name, share in shares.items() if name.startswith(LADDER)]
    told = [f"`{name}`: {_percent(share, lang)} %" for name, share in shares.items() if not name.startswith(LADDER)]
    if rungs:
        lowest, highest = (_percent(share, lang) for share in (min(rungs), max(rungs)))
        told.insert(1, words("ladder-range", lang, lowest=lowest, highest=highest))
    return [f"{words('standing', lang, copy=copy / 1e12, shares='; '.join(told))} {caption(data, lang)}"]


def _percent(share: float, lang: str) -> str:
    return number(share, ".0f" if share >= 1 else ".2g", lang)


PARTS: dict[str, Callable[[Path, str], list[str]]] = {"standing": standing}


def roofs(measured: Roofs, fma_rate: float) -> dict[str, Any]:
    """The roofs that the figure draws, as a table, beside what the number of units and the clock promise."""
    rows = [
        [in_each("row-copy"), in_numbers("{:.2f} TB/s", measured.copy / 1e12)],
        [in_each("row-memory"), in_numbers("{:.2f} TB/s", measured.datasheet / 1e12)],
        [in_each("row-fma"), in_numbers("{:.1f} TFLOP/s", measured.fma / 1e12)],
        [in_each("row-fma-units"), in_numbers("{:.1f} TFLOP/s", fma_rate / 1e12)],
        [in_each("row-ridge"), in_numbers("{:.1f} FLOP/byte", measured.ridge)],
    ]
    return {"columns": [in_each("column-roof"), in_each("column-value")], "rows": rows}
