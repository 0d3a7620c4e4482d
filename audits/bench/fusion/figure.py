"""The figure of the fusion bench: what each way moves per second, from launch-bound to memory-bound."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from audits.bench.fusion.cases import OPERATIONS, SWEPT, size_name
from audits.bench.fusion.ways import WAYS
from audits.bench.labels import MARKERS
from audits.words import words
from onekernel.bench.style import COLOURS, FAINT, figure, save, title

SHOWN = {"copy": 0, "add": 0} | {way: number + 1 for number, way in enumerate(WAYS)}


def seconds(way: Mapping[str, Any], how: str) -> float | None:
    """The time of a way in a cell: "eager" as a program sees it, "graph" where it was captured. Large tensors have one
    time for both; a time that was discarded is none."""
    if "discarded" in way:
        return None
    found = way.get("median_s") or way.get(f"{how}_s")
    return None if found is None else float(found)


def draw(path: Path, cells: Sequence[Mapping[str, Any]], heading: str, under: str, lang: str) -> list[Path]:
    """A panel for each operator: TB/s of the least bytes over the size of a tensor. Full lines: eager calls; dotted:
    in a CUDA graph. The written paths."""
    fig = figure(12.0, 8.4)
    panels = fig.subplots(2, 2, sharex=True)
    for axes, operation in zip(panels.flat, OPERATIONS, strict=True):
        mine = sorted(
            (c for c in cells if c["operation"] == operation and c["dtype"] == SWEPT and not c["ragged"]),
            key=lambda c: int(c["size"]),
        )
        _panel(axes, mine, lang)
        axes.legend(loc="lower right", frameon=False, fontsize=9)
        axes.set_title(words(f"fusion-{operation.replace('_', '-')}", lang), loc="left", fontsize=10)
    for axes in panels[1]:
        axes.set_xlabel(words("axis-tensor-bytes", lang))
    for axes in panels[:, 0]:
        axes.set_ylabel(words("axis-least-bytes", lang))
    title(fig, heading, under)
    return save(fig, path)


def _panel(axes: Any, cells: Sequence[Mapping[str, Any]], lang: str) -> None:
    for name, number in SHOWN.items():
        style = {"color": FAINT if not number else COLOURS[number], "marker": MARKERS[number], "markersize": 5}
        for how, line in (("eager", "-"), ("graph", ":")):
            at = [(c["size"], c["bytes"] / s / 1e12) for c in cells if (s := seconds(c["ways"].get(name, {}), how))]
            if at:
                label = words(f"fusion-way-{name}", lang) if how == "eager" else None
                axes.plot(*zip(*at, strict=True), linestyle=line, linewidth=1.4, label=label, **style)
    axes.set(xscale="log", yscale="log")
    axes.set_xticks([c["size"] for c in cells], [_short(c["size"]) for c in cells], fontsize=8)
    axes.minorticks_off()


def _short(size: int) -> str:
    return size_name(size).replace("iB", "").replace(" ", "")
