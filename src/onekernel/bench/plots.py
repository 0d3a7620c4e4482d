"""The figures: kernels under their roofs, arithmetic intensity walked from end to end, speed against row width."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from onekernel.bench.cells import ITEMSIZE
from onekernel.bench.results import Measured
from onekernel.bench.roofline import RooflinePoint, Roofs
from onekernel.bench.style import COLOURS, FAINT, INK, MARKERS, Label, figure, label_points, save, title
from onekernel.messages import Message
from onekernel.units import number as written

LADDER = "ladder/"
_SIZES = (10, 11, 13, 7, 8, 8, 8)  # points of the same speed lie on each other: a small one on a large one
_DASHES = ((0, (4, 3)), "-.")
_LINES = ("-", "-", "--", "-.", ":", (0, (5, 1)))  # with the marker, what tells lines apart in grey


def roofline(
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
    axes.set_xlabel(_say("axis-intensity-asked" if predicted else "axis-intensity", lang))
    axes.set_ylabel(_say("axis-rate", lang))
    _draw_roofs(axes, roofs, left, right, lang)
    looks = _looks(points)
    rungs = [p for p in points if p.name.startswith(LADDER)]
    if rungs:
        path_x, path_y = zip(*((p.intensity, p.rate(roofs)) for p in rungs), strict=True)
        axes.plot(path_x, path_y, color=FAINT, linewidth=1.2, linestyle=":", zorder=2, label=_say("ladder", lang))
    for p in points:
        axes.plot(p.intensity, p.rate(roofs), zorder=2 if p in rungs else 4, **looks[p.name])
    if any(p.in_l2 for p in points):
        axes.plot([], [], marker="o", markerfacecolor="none", color=FAINT, linestyle="none", label=_say("in-l2", lang))
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
    axes.set_xlabel(_say("axis-share-copy" if roofs.copy else "axis-share-datasheet", lang))
    axes.grid(axis="y", visible=False)


def _draw_roofs(axes: Any, roofs: Roofs, left: float, right: float, lang: str) -> None:
    for bandwidth, style, key in ((roofs.datasheet, "--", "roof-datasheet"), (roofs.copy, "-", "roof-large-copy")):
        if bandwidth:
            ridge = roofs.fma / bandwidth
            text = _say(key, lang, value=written(bandwidth / 1e12, ".2f", lang))
            axes.plot([left, ridge], [left * bandwidth, roofs.fma], color=INK, linestyle=style, linewidth=1.4, zorder=3,
                      label=text)  # fmt: skip
    axes.plot([roofs.fma / (roofs.datasheet or roofs.copy), right], [roofs.fma] * 2, color=INK, linewidth=1.4, zorder=3)
    text = _say("roof-fma", lang, value=written(roofs.fma / 1e12, ".1f", lang))
    axes.annotate(text, (right, roofs.fma), xytext=(-4, 5), textcoords="offset points", ha="right", fontsize=9)
    axes.axvline(roofs.ridge, color=FAINT, linewidth=0.8, linestyle=(0, (1, 3)))
    text = _say("ridge", lang, value=written(roofs.ridge, ".1f", lang))
    axes.annotate(text, (roofs.ridge, axes.get_ylim()[0]), xytext=(-5, 8), textcoords="offset points", ha="right",
                  fontsize=9, color=FAINT)  # fmt: skip


def intensity(
    path: Path, doublings: Sequence[int], bandwidth: Sequence[float], rate: Sequence[float], roofs: Roofs,
    ridges: Mapping[str, float], heading: str, under: str, lang: str, predicted: bool,
) -> list[Path]:  # fmt: skip
    """Two panels over the number of doublings: DRAM traffic (bytes/s), flat and then falling, and arithmetic (FLOP/s),
    rising and then flat. `roofs.fma` is the fp16 roof. `ridges`: who says where the ridge is (a message) -> doublings.
    The written paths."""
    from matplotlib.ticker import LogLocator

    fig = figure(8.2, 6.2)
    upper, lower = fig.subplots(2, 1, sharex=True)
    for axes, values, roof, key, number in (
        (upper, bandwidth, roofs.copy or roofs.datasheet, "axis-bandwidth", 2),
        (lower, rate, roofs.fma, "axis-gflops", 4),
    ):
        style = {"marker": MARKERS[number], "color": COLOURS[number], "linewidth": 1.6, "markersize": 7}
        axes.plot(doublings, [v / 1e12 for v in values], linestyle="--" if predicted else "-", **style)
        axes.axhline(roof / 1e12, color=INK, linewidth=1.2, linestyle="-")
        for where, dashes in zip(ridges.values(), _DASHES, strict=False):
            axes.axvline(where, color=FAINT, linewidth=1.4, linestyle=dashes)
        axes.set(xscale="log", yscale="log", ylabel=_say(key, lang))
        axes.set_ylim(min(values) / 1e12 / 2, roof / 1e12 * 2.2)
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter(lambda value, _: written(value, "g", lang))
        axes.yaxis.set_minor_formatter("")
    roof_key = "roof-copy" if roofs.copy else "roof-datasheet"
    value = (roofs.copy or roofs.datasheet) / 1e12
    _note(upper, doublings[0], value, _say(roof_key, lang, value=written(value, ".2f", lang)))
    _note(lower, doublings[0], roofs.fma / 1e12, _say("roof-fp16", lang, value=f"{roofs.fma / 1e12:.0f}"))
    highest = max(ridges.values())
    for number, (key, where) in enumerate(ridges.items()):
        right = where == highest  # two lines are named away from each other
        upper.annotate(_say(key, lang, value=f"{where:.0f}"), (where, upper.get_ylim()[0]), fontsize=9, color=FAINT,
                       xytext=(6 if right else -6, 8 + 14 * number), textcoords="offset points",
                       ha="left" if right else "right")  # fmt: skip
    left, right_end = doublings[0] / 1.4, doublings[-1] * 1.4
    lower.set_xlim(min(left, *ridges.values()), max(right_end, *ridges.values()))
    lower.set_xticks(doublings, [str(n) for n in doublings])
    lower.minorticks_off()
    lower.set_xlabel(_say("axis-doublings", lang))
    title(fig, heading, under, warn=predicted)
    return save(fig, path)


def widths(
    path: Path, cells: Sequence[Measured], names: Sequence[str], heading: str, under: str, lang: str
) -> list[Path]:
    """Percent of the copy's speed, shape by shape, one line a contender; `cells` of one type, timed by events. To the
    left the rows that all begin at 16 bytes, to the right the ragged and shifted ones. The written paths."""
    panels = [sorted(some, key=lambda c: (c.cols, c.rows, c.shift)) for some in _by_alignment(cells) if some]
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
        axes.set_title(_say(key, lang), fontsize=10, loc="left")
    drawn[0].set_ylabel(_say("axis-percent", lang))
    handles = {label: h for axes in drawn for h, label in zip(*axes.get_legend_handles_labels(), strict=True)}
    title(fig, f"{heading}\n", under)  # the empty line is the legend's
    fig.legend(handles.values(), handles.keys(), loc="upper left", bbox_to_anchor=(0.01, 0.965), ncols=len(handles),
               frameon=False, fontsize=9)  # fmt: skip
    return save(fig, path)


def _by_alignment(cells: Sequence[Measured]) -> tuple[list[Measured], list[Measured]]:
    """Those in which every row begins at a multiple of 16 bytes, and the others."""
    whole = [c for c in cells if not c.shift and c.cols * ITEMSIZE[c.dtype] % 16 == 0]
    return whole, [c for c in cells if c not in whole]


def measured_on(data: Mapping[str, Any], lang: str) -> str:
    """The line under a figure: date, driver, torch and command of a result file."""
    values = {"date": data["date"], "driver": data["device"]["driver"], "torch": data["versions"].get("torch", "-"),
              "command": data["command"]}  # fmt: skip
    return _say("measured-on", lang, **values)


def _note(axes: Any, x: float, y: float, text: str) -> None:
    axes.annotate(text, (x, y), xytext=(0, 5), textcoords="offset points", fontsize=9, ha="left")


def _say(key: str, lang: str, **values: object) -> str:
    return Message(f"bench.{key}", values).text(lang)
