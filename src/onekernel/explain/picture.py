"""The timeline of a trace as a picture: what the host did, what ran on the GPU, whose each moment is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from onekernel.bench.style import COLOURS, FAINT, INK, figure, save, title
from onekernel.explain import facts
from onekernel.explain.chrome import CALL, OP, Event
from onekernel.explain.intervals import Interval
from onekernel.explain.shares import (
    BOTTLENECKS,
    COMMUNICATION,
    COMPUTE,
    DATA,
    LAUNCH,
    MEMORY,
    Explained,
    waits_of,
)
from onekernel.messages import language, plain, say
from onekernel.numerals import Quantity, number

COLOUR = {COMPUTE: COLOURS[5], MEMORY: COLOURS[2], LAUNCH: COLOURS[4], DATA: COLOURS[1], COMMUNICATION: COLOURS[6]}
OPERATOR, CALLED = "#bbbbbb", INK
MOST_DRAWN = 3000  # bars: a longer trace is drawn from its beginning on
FEW = 40  # bars that are set off from each other
NAMED = 10  # of the longest bars, if there is room for a name
Bars = list[tuple[Interval, str, str]]
"""Where a bar lies, its colour, and its name."""


def draw(explained: Explained, name: str, command: str, path: Path) -> list[Path]:
    """Writes the picture as `path`.png and .svg. The paths."""
    window = _shown(explained)
    lanes = _lanes(explained, window)
    fig = figure(10.4, 1.9 + 0.62 * (len(lanes) + 1))
    axes, below = fig.subplots(2, 1, height_ratios=(len(lanes), 1))
    for row, (label, bars) in enumerate(lanes):
        _lane(axes, len(lanes) - row, bars, window)
        axes.text(-0.008, len(lanes) - row, label, transform=axes.get_yaxis_transform(), ha="right", va="center",
                  fontsize=8.5)  # fmt: skip
    lang = language()
    axes.set(xlim=(0, window[1] - window[0]), ylim=(0.4, len(lanes) + 0.6), yticks=[])
    axes.xaxis.set_major_formatter(lambda value, _: number(value, ",g", lang))
    part = window[1] < explained.window[1]
    shown, whole = (Quantity(v / 1e6, "s") for v in (window[1] - window[0], explained.microseconds))
    key = "explain.axis-part" if part else "explain.axis-time"
    axes.set_xlabel(say(key, **({"shown": shown, "whole": whole} if part else {})), fontsize=9)
    axes.grid(axis="y", visible=False)
    axes.set_axisbelow(True)
    _shares(below, explained)
    heading = say("explain.title", name=name, percent=100 * explained.shares[explained.binds],
                  binds=say(f"explain.name-{explained.binds}"))  # fmt: skip
    title(fig, heading, _under(explained, command))
    return save(fig, path)


def _under(explained: Explained, command: str) -> str:
    about = explained.trace.about
    versions = about.get("versions")
    torch = str(versions.get("torch", "-")) if isinstance(versions, dict) else "-"
    where = explained.trace.card or say("explain.the-cpu")
    return say("explain.under", where=plain(where), torch=plain(torch), date=plain(str(about.get("date", "-"))),
               command=command)  # fmt: skip


def _shown(explained: Explained) -> Interval:
    """The window, or as much of it from its beginning as has MOST_DRAWN bars."""
    start, end = explained.window
    starts = sorted(p.start for p in explained.pieces)
    return (start, end if len(starts) <= MOST_DRAWN else starts[MOST_DRAWN])


def _lanes(explained: Explained, window: Interval) -> list[tuple[str, Bars]]:
    """From top to bottom: the host's operators, its calls, each stream of the GPU, whose each moment is."""
    trace = explained.trace
    lanes: list[tuple[str, Bars]] = []
    outer = _outermost(trace.of(OP))
    lanes.append((say("explain.lane-host"), [(_span(e), OPERATOR, _plain(e.name)) for e in outer]))
    calls = trace.of(CALL)
    own = waits_of(trace)
    if calls:
        ours = [c for c in calls if not any(m.start <= c.start <= m.end for m in own)]
        bars = [(_span(c), FAINT if "Synchronize" in c.name else CALLED, _plain(c.name)) for c in ours]
        lanes.append((say("explain.lane-calls"), bars))
    streams = sorted({w.work.thread for w in explained.launched}, key=lambda t: (t[0], len(t[1]), t[1]))
    for stream in streams[:6]:
        bars = [
            ((p.start, p.end), COLOUR[LAUNCH if p.short else p.bound], facts.short_name(p.name, 26))
            for p, w in zip(_matching(explained), explained.launched, strict=True)
            if w.work.thread == stream and p
        ]
        lanes.append((say("explain.lane-stream", stream=plain(stream[1])), bars))
    owners = [(moment, COLOUR[name], "") for name in BOTTLENECKS for moment in explained.moments[name]]
    lanes.append((say("explain.lane-work"), owners))
    return [(label, [b for b in bars if b[0][1] > window[0] and b[0][0] < window[1]]) for label, bars in lanes]


def _matching(explained: Explained) -> Iterable[Any]:
    """For each launched work its piece; None for one outside of the window."""
    pieces = {(p.start, p.end, p.name): p for p in explained.pieces}
    return [pieces.get((w.work.start, w.work.end, w.work.name)) for w in explained.launched]


def _outermost(events: Sequence[Event]) -> list[Event]:
    """The events that lie in no other of their thread."""
    found: list[Event] = []
    ends: dict[tuple[str, str], float] = {}
    for event in sorted(events, key=lambda e: (e.start, -e.end)):
        if event.start >= ends.get(event.thread, float("-inf")):
            found.append(event)
            ends[event.thread] = event.end
    return found


def _span(event: Event) -> Interval:
    return event.start, event.end


def _plain(name: str) -> str:
    return plain(name.removeprefix("aten::"))


def _lane(axes: Any, y: float, bars: Bars, window: Interval) -> None:
    whole = window[1] - window[0]
    for colour in dict.fromkeys(c for _, c, _ in bars):
        mine = [(max(s, window[0]), min(e, window[1])) for (s, e), c, _ in bars if c == colour]
        spans = [(start - window[0], end - start) for start, end in mine]
        edge = "white" if len(bars) <= FEW else colour  # among many, a bar keeps a width that can be seen
        axes.broken_barh(spans, (y - 0.36, 0.72), facecolor=colour, edgecolor=edge, linewidth=0.3)
    for (start, end), colour, name in sorted(bars, key=lambda b: b[0][0] - b[0][1])[:NAMED]:
        room = int(110 * (min(end, window[1]) - max(start, window[0])) / whole)
        if name and room >= min(len(name), 8):
            shown = name if len(name) <= room else name[: room - 1] + "…"
            middle = (max(start, window[0]) + min(end, window[1])) / 2 - window[0]
            axes.text(middle, y, shown, ha="center", va="center", fontsize=7, clip_on=True,
                      color=INK if colour in (OPERATOR, COLOURS[1]) else "white")  # fmt: skip


def _shares(axes: Any, explained: Explained) -> None:
    """The five shares as one bar with their names under it."""
    at = 0.0
    for name in BOTTLENECKS:
        share = 100 * explained.shares[name]
        axes.barh(0, share, left=at, color=COLOUR[name], height=0.7, edgecolor="white")
        if share >= 5:
            axes.text(at + share / 2, 0, f"{share:.0f} %", ha="center", va="center", fontsize=8.5, fontweight="bold",
                      color=INK if name == DATA else "white")  # fmt: skip
        at += share
    for k, name in enumerate(BOTTLENECKS):
        axes.scatter([20 * k + 1], [-0.85], marker="s", s=42, color=COLOUR[name], clip_on=False)
        axes.text(20 * k + 2.2, -0.85, say(f"explain.name-{name}"), fontsize=8.5, va="center")
    axes.text(-0.008, 0, say("explain.lane-shares"), transform=axes.get_yaxis_transform(), ha="right", va="center",
              fontsize=8.5)  # fmt: skip
    axes.set(xlim=(0, 100), ylim=(-1.3, 0.5), xticks=[], yticks=[])
    axes.grid(visible=False)
    for side in axes.spines.values():
        side.set_visible(False)
