"""Softmax and GEMM under the roofs of one card: the operator that memory binds, and the one that arithmetic binds.

Each operator stands in a column, at the FLOPs per byte of its least bytes (each input read once, each output written
once): whoever writes it better climbs in that column. The roofs are measured: a copy, fp32 FMAs, and of Tensor Cores
the fastest product of the run, since a benchmark of the unit alone is none of these results. The datasheet's peak of
Tensor Cores is drawn dashed and named as what it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from audits.bench.gemm.cells import RUNG_SIZE
from audits.bench.gemm.figure import best, seconds
from audits.bench.gemm.tables import PEAK
from audits.bench.labels import MARKERS, Label, label_points
from audits.bench.roofline.points import LADDER, RooflinePoint, Roofs
from audits.words import words
from onekernel.bench.style import COLOURS, FAINT, INK, figure, save, title

TENSOR = "bfloat16"
# The narrow cells that are shown, one in each type: (dtype, m, n, k).
NARROW = (("bfloat16", 131072, 64, 64), ("float32", 131072, 8, 4096))
SQUARE = ("gemm_tiled", "gemm_tensorcore")  # the course's own kernels for square products
COLUMNS = ("softmax", "fp32", "bf16", "narrow")
FREE = 110.0  # FLOP per byte, where no column stands: room for the name of a roof


@dataclass(frozen=True)
class Standing:
    """A kernel in its column: FLOPs per byte of the least bytes, FLOP/s; `shown`: with its name."""

    column: str
    name: str
    intensity: float
    rate: float
    shown: bool = True


def standings(cells: Sequence[Mapping[str, Any]], points: Sequence[RooflinePoint]) -> Iterator[Standing]:
    """Every kernel of the figure: softmax of the roofline's shape, the ladder's squares, the narrow cells."""
    for p in points:
        if p.seconds and not p.in_l2:
            yield Standing("softmax", p.name, p.flops / p.useful_bytes, p.flops / p.seconds, LADDER not in p.name)
    for cell in cells:
        shape = (cell["dtype"], cell["m"], cell["n"], cell["k"])
        square = cell["m"] == cell["n"] == cell["k"] == RUNG_SIZE
        column = "narrow" if shape in NARROW else {"float32": "fp32", TENSOR: "bf16"}.get(cell["dtype"], "")
        if cell["turned"] or not column or not (square or shape in NARROW):
            continue
        of = {"cuBLAS": best(cell), **{name: seconds(cell, name) for name in cell["ways"] if _own(name, column)}}
        intensity = cell["flops"] / cell["bytes"]
        for name, time in of.items():
            if time:
                short = name.removeprefix(f"{LADDER}gemm_").replace("_", " ") if LADDER in name else name
                yield Standing(column, short, intensity, cell["flops"] / time, _labelled(name))


def _own(name: str, column: str) -> bool:
    return name == "gemm_skinny" if column == "narrow" else name.startswith(LADDER) or name in SQUARE


def _labelled(name: str) -> bool:
    """Of the rungs the first ones of each idea; the others lie too close to each other."""
    rung = name.removeprefix(f"{LADDER}gemm_")[:2]
    return not name.startswith(LADDER) or rung in ("01", "03", "05", "08", "10", "11")


def fastest(cells: Sequence[Mapping[str, Any]]) -> float:
    """FLOP/s of the fastest product on Tensor Cores, of all cells and ways in TENSOR."""
    return max(float(c["flops"] / w["median_s"]) for c in cells if c["dtype"] == TENSOR for n, w in c["ways"].items()
               if "median_s" in w and n != "copy")  # fmt: skip


def draw(
    path: Path, cells: Sequence[Mapping[str, Any]], roofline: Mapping[str, Any], heading: str, under: str, lang: str
) -> list[Path]:
    """Both axes logarithmic. `cells` are those of gemm.json, `roofline` is the whole of roofline.json. The paths."""
    roofs = Roofs.from_json(roofline["roofs"])
    standing = list(standings(cells, [RooflinePoint.from_json(p) for p in roofline["points"]]))
    tensor = fastest(cells)
    fig = figure(11.8, 6.4)
    axes = fig.subplots()
    left, right = min(s.intensity for s in standing) / 3, max(s.intensity for s in standing) * 12
    axes.set(xscale="log", yscale="log", xlim=(left, right), ylim=(min(s.rate for s in standing) / 3, tensor * 5))
    axes.set_xlabel(words("axis-intensity", lang))
    axes.set_ylabel(words("axis-rate", lang))
    axes.plot([left, tensor / roofs.copy], [left * roofs.copy, tensor], color=INK, linewidth=1.4,
              label=words("roof-large-copy", lang, value=roofs.copy / 1e12))  # fmt: skip
    for rate, line in ((roofs.fma, "-"), (tensor, "-"), (PEAK[TENSOR], "--")):
        axes.plot([rate / roofs.copy, right], [rate, rate], color=INK, linewidth=1.4 if line == "-" else 1.0,
                  linestyle=line)  # fmt: skip
    beside = {"xytext": (-4, 5), "textcoords": "offset points", "fontsize": 9}
    both = words("roof-tensor", lang, peak=PEAK[TENSOR] / 1e12, fastest=tensor / 1e12)
    axes.annotate(both, (right, PEAK[TENSOR]), ha="right", **beside)
    axes.annotate(words("roof-fma-measured", lang, value=roofs.fma / 1e12), (FREE, roofs.fma), ha="left", **beside)
    for number, column in enumerate(COLUMNS):
        _draw_column(axes, [s for s in standing if s.column == column], number, lang)
    axes.legend(loc="upper left", frameon=False, fontsize=9)
    title(fig, heading, under)
    fig.draw_without_rendering()
    for column in COLUMNS:  # below the column's own roof, so that no label lies across it
        flat = roofs.fma if column == "fp32" else tensor
        labels = [Label(s.intensity, s.rate, s.name) for s in standing if s.shown and s.column == column]
        label_points(axes, labels, partial(_below, flat, roofs.copy))
    return save(fig, path)


def _draw_column(axes: Any, standing: Sequence[Standing], number: int, lang: str) -> None:
    colour = COLOURS[number + 1 + (number > 0)]
    by_speed = sorted(standing, key=lambda s: s.rate)
    if by_speed and by_speed[0].column != "narrow":
        axes.plot([s.intensity for s in by_speed], [s.rate for s in by_speed], color=FAINT, linewidth=1.0,
                  linestyle=":", zorder=2)  # fmt: skip
    axes.plot([s.intensity for s in by_speed], [s.rate for s in by_speed], linestyle="", marker=MARKERS[number],
              markersize=6, color=colour, markeredgecolor="white", markeredgewidth=0.5, zorder=4,
              label=words(f"roofline-{COLUMNS[number]}", lang, size=RUNG_SIZE))  # fmt: skip


def _below(flat: float, slope: float, intensity: float) -> float:
    """Where labels may reach: a little below the roofs."""
    return 0.9 * min(flat, intensity * slope)
