"""The figure of the GEMM bench: the ladder as shares of the library, and the reference beside it in every cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from audits.bench.gemm.additions import as_met
from audits.bench.gemm.cells import ITEMSIZE, RUNG_SIZE
from audits.bench.gemm.ways import LIBRARY
from audits.words import words
from onekernel.bench.style import COLOURS, FAINT, figure, save, title

TICKS = (20, 35, 50, 75, 100, 150, 200)
OWN = ("gemm_tensorcore", "gemm_skinny", "gemm_triton", "gemm_tiled")


def seconds(cell: Mapping[str, Any], name: str) -> float | None:
    """The median of a way in a cell; None where it has none."""
    found = cell["ways"].get(name, {}).get("median_s")
    return None if found is None else float(found)


def best(cell: Mapping[str, Any]) -> float | None:
    """The library's better time: of its two doors."""
    return min((s for name in LIBRARY if (s := seconds(cell, name)) is not None), default=None)


def share(cell: Mapping[str, Any], name: str) -> float | None:
    """A way's speed over the library's in the same run."""
    mine, theirs = seconds(cell, name), best(as_met(cell, name))
    return None if mine is None or theirs is None else theirs / mine


def rungs(cells: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Each rung's share of the library in squares of RUNG_SIZE."""
    found: dict[str, float] = {}
    for cell in cells:
        if cell["m"] == cell["n"] == cell["k"] == RUNG_SIZE and not cell["turned"]:
            found |= {n: s for n in cell["ways"] if n.startswith("ladder/") and (s := share(cell, n)) is not None}
    return dict(sorted(found.items()))


def draw(path: Path, cells: Sequence[Mapping[str, Any]], heading: str, under: str, lang: str) -> list[Path]:
    """Left: the rungs, percent of the library of their type. Right: every cell over its bytes' intensity."""
    fig = figure(12.0, 6.0)
    left, right = fig.subplots(1, 2, width_ratios=(1, 1.3))
    climbed = rungs(cells)
    names = [name.removeprefix("ladder/gemm_").replace("_", " ") for name in climbed]
    colours = [COLOURS[2] if int(name[:2]) < 10 else COLOURS[4] for name in names]
    left.barh(names, [100 * value for value in climbed.values()], color=colours)
    left.invert_yaxis()
    left.set_axisbelow(True)
    left.axvline(100, color=FAINT, linewidth=1.0)
    left.set_xlabel(words("gemm-axis-share", lang))
    left.set_title(words("gemm-ladder", lang, size=RUNG_SIZE), loc="left", fontsize=10)
    for number, name in enumerate(OWN):
        at = [(c["flops"] / c["bytes"], 100 * s) for c in cells if (s := share(c, name)) is not None]
        if at:
            right.plot(
                *zip(*at, strict=True),
                linestyle="",
                marker="osD^"[number],
                markersize=5,
                color=COLOURS[number + 1],
                label=name,
            )
    right.axhline(100, color=FAINT, linewidth=1.0)
    right.set(xscale="log", yscale="log")
    right.set_yticks(TICKS, [str(tick) for tick in TICKS])
    right.minorticks_off()
    right.set_xlabel(words("gemm-axis-intensity", lang))
    right.set_ylabel(words("gemm-axis-share", lang))
    right.set_title(words("gemm-cells", lang, count=len(cells), types=len(ITEMSIZE)), loc="left", fontsize=10)
    right.legend(loc="best", frameon=False, fontsize=9)
    title(fig, heading, under)
    return save(fig, path)
