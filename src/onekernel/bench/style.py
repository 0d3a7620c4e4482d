"""What all figures of the course share: colours, markers, labels that keep out of each other's way, PNG and SVG."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Okabe and Ito, "Color Universal Design" (2008): told apart with any colour vision; ordered so that neighbours also
# differ in lightness, which is what is left in grey.
COLOURS = ("#000000", "#E69F00", "#0072B2", "#56B4E9", "#D55E00", "#009E73", "#CC79A7", "#F0E442")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">")
KINDS = ("png", "svg")  # what a figure is written as
INK = "#222222"
FAINT = "#777777"
LABEL_WIDTH, LINE_HEIGHT = 110.0, 12.5  # typographic points


@dataclass(frozen=True)
class Label:
    """A text beside a point, both in data coordinates."""

    x: float
    y: float
    text: str
    colour: str = INK


def figure(width: float = 8.0, height: float = 5.2) -> Any:
    """An empty figure (inches) drawn without a display and without pyplot's global state."""
    import matplotlib
    from matplotlib.figure import Figure

    matplotlib.rcParams.update({
        "font.size": 10, "axes.edgecolor": FAINT, "axes.labelcolor": INK, "text.color": INK, "xtick.color": INK,
        "ytick.color": INK, "axes.spines.top": False, "axes.spines.right": False, "svg.hashsalt": "onekernel",
        "axes.grid": True, "grid.color": "#dddddd", "grid.linewidth": 0.6, "savefig.dpi": 144,
    })  # fmt: skip
    return Figure(figsize=(width, height), layout="constrained")


def save(fig: Any, path: Path) -> list[Path]:
    """Writes `path` with the endings of KINDS added, the same bytes for the same figure. The paths."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fig.draw_without_rendering()
    fig.set_layout_engine("none")  # laid out once: each draw would move things a little
    written = []
    for kind in KINDS:
        written.append(path.with_name(f"{path.name}.{kind}"))
        fig.savefig(written[-1], metadata={"Software": None} if kind == "png" else {"Date": None})
    return written


def title(fig: Any, text: str, under: str, warn: bool = False) -> None:
    """A title to the left with a smaller line under it; `warn` sets that line in bold, for what is no measurement."""
    under = textwrap.fill(under, int(16 * fig.get_figwidth()), break_long_words=False, break_on_hyphens=False)
    fig.suptitle(text, x=0.02, ha="left", fontsize=12, fontweight="bold")
    weight = "bold" if warn else "normal"
    fig.supxlabel(under, x=0.02, ha="left", fontsize=8, color="#B03000" if warn else FAINT, fontweight=weight)


def stacked(
    panels: Sequence[tuple[Any, ...]], heights: Sequence[float], inches: tuple[float, float],
    panel: Callable[..., None], heading: str, under: str, path: Path,
) -> list[Path]:  # fmt: skip
    """Panels one below the other, with `heights` in proportion on a figure of `inches` (width, height);
    `panel(axes, *one)` draws one of them. The written paths."""
    fig = figure(*inches)
    all_axes = fig.subplots(len(panels), 1, squeeze=False, height_ratios=heights)[:, 0]
    for axes, one in zip(all_axes, panels, strict=True):
        panel(axes, *one)
    title(fig, heading, under)
    return save(fig, path)


def label_points(axes: Any, labels: Sequence[Label], ceiling: Callable[[float], float], gap: float = 14.0) -> None:
    """Writes each label to the right of its point, moved until no two overlap, with a thin line to its point.

    Points closer than a label's width share a column of labels. No label lies above `ceiling`, a y at each x (data
    coordinates). `gap` is the distance to the points in typographic points; the axes' limits must be final.
    """
    scale = axes.figure.dpi / 72
    height = LINE_HEIGHT * scale
    inverse = axes.transData.inverted()
    placed = sorted((*axes.transData.transform((p.x, p.y)), number, p) for number, p in enumerate(labels))
    columns: list[list[Any]] = []
    for point in placed:
        if columns and point[0] - columns[-1][-1][0] < LABEL_WIDTH * scale:
            columns[-1].append(point)
        else:
            columns.append([point])
    for column in columns:
        x = max(p[0] for p in column) + gap * scale
        ordered = sorted(column, key=lambda p: p[1])
        at = inverse.transform((x, 0))[0]
        highest = axes.transData.transform((at, ceiling(at)))[1] - height / 2
        for (_, _, _, label), y in zip(ordered, _below(highest, _spread([p[1] for p in ordered], height), height),
                                       strict=True):  # fmt: skip
            axes.annotate(
                label.text, xy=(label.x, label.y), xytext=inverse.transform((x, y)), textcoords="data", fontsize=9,
                color=INK, ha="left", va="center", zorder=5,
                bbox={"boxstyle": "square,pad=0.1", "facecolor": "white", "edgecolor": "none", "alpha": 0.85},
                arrowprops={"arrowstyle": "-", "color": label.colour, "linewidth": 0.8, "shrinkB": 4,
                            "relpos": (0, 0.5)},
            )  # fmt: skip


def _below(highest: float, placed: Sequence[float], height: float) -> list[float]:
    """The same ascending positions, pushed down until the last is at most `highest` and all keep their distance."""
    found: list[float] = []
    for y in reversed(placed):
        found.append(min(y, highest))
        highest = found[-1] - height
    return found[::-1]


def _spread(wanted: Sequence[float], height: float) -> list[float]:
    """Positions in the same order, at least `height` apart, each as near to where it was wanted as that allows.

    Neighbours that collide form a group around the mean of what its members want (pool adjacent violators).
    """
    groups: list[list[float]] = []  # sum of (wanted - index * height), count
    for index, y in enumerate(wanted):
        groups.append([y - index * height, 1])
        while len(groups) > 1 and groups[-2][0] / groups[-2][1] > groups[-1][0] / groups[-1][1]:
            total, count = groups.pop()
            groups[-1][0] += total
            groups[-1][1] += count
    starts = [total / count for total, count in groups for _ in range(int(count))]
    return [start + index * height for index, start in enumerate(starts)]
