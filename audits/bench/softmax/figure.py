"""The figure of the softmax bench: speed shape by shape, in percent of the copy's."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from audits.bench.labels import MARKERS
from audits.bench.softmax.cases import ITEMSIZE
from audits.bench.softmax.results import Measured
from audits.words import words
from onekernel.bench.style import COLOURS, INK, figure, save, title

_LINES = ("-", "-", "--", "-.", ":", (0, (5, 1)))  # with the marker, what tells lines apart in grey


def draw(
    path: Path, cases: Sequence[Measured], names: Sequence[str], heading: str, under: str, lang: str
) -> list[Path]:
    """Percent of the copy's speed, shape by shape, one line a contender; `cases` of one type, timed by events. To the
    left the rows that all begin at 16 bytes, to the right the ragged and shifted ones. The written paths."""
    panels = [sorted(some, key=lambda c: (c.cols, c.rows, c.shift)) for some in _by_alignment(cases) if some]
    fig = figure(12.6, 5.8)
    drawn = fig.subplots(1, len(panels), sharey=True, squeeze=False, width_ratios=[len(p) + 1 for p in panels])[0]
    for axes, panel in zip(drawn, panels, strict=True):
        for number, name in enumerate(names):
            at = [(x, 100 * v) for x, c in enumerate(panel) if (v := c.of_copy(name)) is not None]
            if not at:
                continue
            colour = COLOURS[number % len(COLOURS)]
            x, y = zip(*at, strict=True)
            axes.plot(x, y, label=name, color=colour, marker=MARKERS[number % len(MARKERS)], markersize=6,
                      linewidth=1.1, linestyle=_LINES[number % len(_LINES)], zorder=10 - number,
                      markerfacecolor=colour if number < 2 else "white")  # fmt: skip
        axes.axhline(100, color=INK, linewidth=1.2)
        axes.set(xlim=(-0.6, len(panel) - 0.4), ylim=(0, 112))
        axes.set_xticks(range(len(panel)), [c.shape for c in panel], rotation=60, ha="right", rotation_mode="anchor",
                        fontsize=8)  # fmt: skip
        key = "panel-aligned" if _by_alignment(panel)[0] else "panel-ragged"
        axes.set_title(words(key, lang), fontsize=10, loc="left")
    drawn[0].set_ylabel(words("axis-percent", lang))
    handles = {label: h for axes in drawn for h, label in zip(*axes.get_legend_handles_labels(), strict=True)}
    title(fig, f"{heading}\n", under)  # the empty line is the legend's
    fig.legend(handles.values(), handles.keys(), loc="upper left", bbox_to_anchor=(0.01, 0.965), ncols=len(handles),
               frameon=False, fontsize=9)  # fmt: skip
    return save(fig, path)


def _by_alignment(cases: Sequence[Measured]) -> tuple[list[Measured], list[Measured]]:
    """Those in which every row begins at a multiple of 16 bytes, and the others."""
    whole = [c for c in cases if not c.shift and c.cols * ITEMSIZE[c.dtype] % 16 == 0]
    return whole, [c for c in cases if c not in whole]
