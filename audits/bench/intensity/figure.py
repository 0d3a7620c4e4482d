"""The figure of the intensity bench: traffic and arithmetic over the work that is done on each element."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from audits.bench.labels import MARKERS
from audits.bench.roofline.points import Roofs
from audits.words import words
from onekernel.bench.style import COLOURS, FAINT, INK, figure, save, title
from onekernel.numerals import number as written

_DASHES = ((0, (4, 3)), "-.")


def draw(
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
        axes.set(xscale="log", yscale="log", ylabel=words(key, lang))
        axes.set_ylim(min(values) / 1e12 / 2, roof / 1e12 * 2.2)
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter(lambda value, _: written(value, "g", lang))
        axes.yaxis.set_minor_formatter("")
    roof_key = "roof-copy" if roofs.copy else "roof-datasheet"
    value = (roofs.copy or roofs.datasheet) / 1e12
    _note(upper, doublings[0], value, words(roof_key, lang, value=value))
    _note(lower, doublings[0], roofs.fma / 1e12, words("roof-fp16", lang, value=roofs.fma / 1e12))
    highest = max(ridges.values())
    for number, (key, where) in enumerate(ridges.items()):
        right = where == highest  # two lines are named away from each other
        upper.annotate(words(key, lang, value=where), (where, upper.get_ylim()[0]), fontsize=9, color=FAINT,
                       xytext=(6 if right else -6, 8 + 14 * number), textcoords="offset points",
                       ha="left" if right else "right")  # fmt: skip
    left, right_end = doublings[0] / 1.4, doublings[-1] * 1.4
    lower.set_xlim(min(left, *ridges.values()), max(right_end, *ridges.values()))
    lower.set_xticks(doublings, [str(n) for n in doublings])
    lower.minorticks_off()
    lower.set_xlabel(words("axis-doublings", lang))
    title(fig, heading, under, warn=predicted)
    return save(fig, path)


def _note(axes: Any, x: float, y: float, text: str) -> None:
    axes.annotate(text, (x, y), xytext=(0, 5), textcoords="offset points", fontsize=9, ha="left")
