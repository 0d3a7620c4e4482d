"""Points of a figure: markers, and labels that keep out of each other's way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from onekernel.bench.style import INK

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">")
LABEL_WIDTH, LINE_HEIGHT = 110.0, 12.5  # typographic points


@dataclass(frozen=True)
class Label:
    """A text beside a point, both in data coordinates."""

    x: float
    y: float
    text: str
    colour: str = INK


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
