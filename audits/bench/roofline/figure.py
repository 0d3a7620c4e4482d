"""The figure of the roofline bench: kernels under their roofs, and each one's share of the memory roof."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from audits.bench.labels import MARKERS, Label, label_points
from audits.bench.roofline.points import LADDER, RooflinePoint, Roofs
from audits.words import words
from onekernel.bench.style import COLOURS, FAINT, INK, figure, save, title
from onekernel.numerals import number as written

_SIZES = (10, 11, 13, 7, 8, 8, 8)  # points of the same speed lie on each other: a small one on a large one


def draw(
    path: Path, points: Sequence[RooflinePoint], roofs: Roofs, heading: str, under: str, lang: str, predicted: bool
) -> list[Path]:
    """Points under the memory roofs and the FMA roof, both axes logarithmic; beside it every point's share of the
    memory roof, where the roofline itself is too narrow to tell them apart. Points whose name begins with "ladder/"
    are joined to a path, in their order. `predicted` marks the figure as no measurement: then x counts the bytes that
    a kernel asks for. The written paths."""
    fig = figure(11.8, 5.6)
    axes, shares = fig.subplots(1, 2, width_ratios=(3, 2))
    xs = [p.intensity for p in points]
    left, right = min(xs) / 4, max(roofs.ridge * 6, max(xs) * 6)
    low = min(p.rate(roofs) for p in points) / 3
    axes.set(xscale="log", yscale="log", xlim=(left, right), ylim=(low, roofs.fma * 8))
    axes.set_xlabel(words("axis-intensity-asked" if predicted else "axis-intensity", lang))
    axes.set_ylabel(words("axis-rate", lang))
    _draw_roofs(axes, roofs, left, right, lang)
    looks = _looks(points)
    rungs = [p for p in points if p.name.startswith(LADDER)]
    if rungs:
        path_x, path_y = zip(*((p.intensity, p.rate(roofs)) for p in rungs), strict=True)
        axes.plot(path_x, path_y, color=FAINT, linewidth=1.2, linestyle=":", zorder=2, label=words("ladder", lang))
    for p in points:
        axes.plot(p.intensity, p.rate(roofs), zorder=2 if p in rungs else 4, **looks[p.name])
    if any(p.in_l2 for p in points):
        axes.plot([], [], marker="o", markerfacecolor="none", color=FAINT, linestyle="none", label=words("in-l2", lang))
    axes.legend(loc="upper left", frameon=False, fontsize=9)
    _draw_shares(shares, points, roofs, looks, lang)
    title(fig, heading, under, warn=predicted)
    fig.draw_without_rendering()
    # Below the memory roof, which rises to the right of the points: so no label lies across it.
    labels = [Label(p.intensity, p.rate(roofs), p.name, looks[p.name]["color"]) for p in points if p not in rungs]
    label_points(axes, labels, ceiling=lambda x: roofs.attainable(x) * 0.9)
    return save(fig, path)


def _looks(points: Sequence[RooflinePoint]) -> dict[str, dict[str, Any]]:
    """Marker and colour of each point: the rungs of the ladder small and grey, what lives in L2 hollow."""
    looks = {}
    for number, p in enumerate(p for p in points if not p.name.startswith(LADDER)):
        colour = COLOURS[number % len(COLOURS)]
        looks[p.name] = {"marker": MARKERS[number % len(MARKERS)], "markersize": _SIZES[number % len(_SIZES)],
                         "color": colour, "markerfacecolor": "none" if p.in_l2 else colour,
                         "markeredgecolor": colour if p.in_l2 else "white", "linestyle": "none"}  # fmt: skip
    rung = {"marker": "o", "markersize": 5, "color": FAINT, "markerfacecolor": FAINT, "linestyle": "none"}
    return {p.name: looks.get(p.name, rung) for p in points}


def _draw_shares(
    axes: Any, points: Sequence[RooflinePoint], roofs: Roofs, looks: Mapping[str, Mapping[str, Any]], lang: str
) -> None:
    """Useful bytes over the time, in percent of the memory roof: one row a point, its name to the left."""
    shares = [100 * (p.useful_bytes * p.rate(roofs) / p.flops) / (roofs.copy or roofs.datasheet) for p in points]
    rows = range(len(points), 0, -1)
    rungs = [(share, row) for p, share, row in zip(points, shares, rows, strict=True) if p.name.startswith(LADDER)]
    if rungs:
        x, y = zip(*rungs, strict=True)
        axes.plot(x, y, color=FAINT, linewidth=1.2, linestyle=":", zorder=2)
    for p, share, row in zip(points, shares, rows, strict=True):
        axes.plot(share, row, zorder=4, clip_on=False, **looks[p.name])
        text = f"{written(share, '.0f' if share >= 1 else '.2g', lang)} %"
        axes.annotate(text, (1.0, row), xycoords=("axes fraction", "data"), ha="right", va="center", fontsize=9)
    axes.axvline(100, color=INK, linewidth=1.2)
    axes.set_yticks(list(rows), [p.name.removeprefix(LADDER) for p in points], fontsize=9)
    axes.set(xlim=(0, max(*shares, 100) * 1.3), ylim=(0.4, len(points) + 0.6))
    axes.set_xlabel(words("axis-share-copy" if roofs.copy else "axis-share-datasheet", lang))
    axes.grid(axis="y", visible=False)


def _draw_roofs(axes: Any, roofs: Roofs, left: float, right: float, lang: str) -> None:
    for bandwidth, style, key in ((roofs.datasheet, "--", "roof-datasheet"), (roofs.copy, "-", "roof-large-copy")):
        if bandwidth:
            ridge = roofs.fma / bandwidth
            text = words(key, lang, value=bandwidth / 1e12)
            axes.plot([left, ridge], [left * bandwidth, roofs.fma], color=INK, linestyle=style, linewidth=1.4, zorder=3,
                      label=text)  # fmt: skip
    axes.plot([roofs.fma / (roofs.datasheet or roofs.copy), right], [roofs.fma] * 2, color=INK, linewidth=1.4, zorder=3)
    text = words("roof-fma", lang, value=roofs.fma / 1e12)
    axes.annotate(text, (right, roofs.fma), xytext=(-4, 5), textcoords="offset points", ha="right", fontsize=9)
    axes.axvline(roofs.ridge, color=FAINT, linewidth=0.8, linestyle=(0, (1, 3)))
    text = words("ridge", lang, value=roofs.ridge)
    axes.annotate(text, (roofs.ridge, axes.get_ylim()[0]), xytext=(-5, 8), textcoords="offset points", ha="right",
                  fontsize=9, color=FAINT)  # fmt: skip
