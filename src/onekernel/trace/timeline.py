"""The picture of a block between its barriers: which warps work in each phase, and which wait at the barrier's line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from onekernel.bench.style import FAINT, INK, stacked
from onekernel.messages import say
from onekernel.trace.palette import GLOBAL, SHARED, bare, box, hatched
from onekernel.trace.recording import Phase

MOST_PHASES = 40
WIDTH = 10.4  # inches
DIGIT = 0.075  # inches that a digit of a barrier's line takes
LEVEL = 0.62  # between two levels of such numbers, in rows
GAP = 0.18  # between phases, in widths of the narrowest


def shown(phases: Sequence[Phase]) -> list[Phase]:
    """The phases that fit: the first of many."""
    return list(phases[:MOST_PHASES])


def several(phases: Sequence[Phase]) -> bool:
    """Whether there is a barrier to draw."""
    return any(p.line is not None for p in phases)


def summary(phases: Sequence[Phase]) -> str:
    """How many barriers, and how much of the warps' presence at them is waiting."""
    waits = [_work(p, w) < max(_works(p)) for p in phases for w in range(len(p.arrived)) if p.line and p.arrived[w]]
    barriers = sum(p.line is not None for p in phases)
    percent = 100 * sum(waits) / len(waits) if waits else 0
    return say("trace.timeline-summary", barriers=barriers, warps=len(phases[0].arrived), percent=percent)


def _work(phase: Phase, warp: int) -> int:
    return phase.global_requests[warp] + phase.shared_requests[warp]


def _works(phase: Phase) -> list[int]:
    return [_work(phase, w) for w in range(len(phase.arrived))]


def draw(panels: Sequence[tuple[str, Sequence[Phase]]], heading: str, under: str, path: Path) -> list[Path]:
    """A row a warp, a column a phase; a bar is as long as the warp's requests in that phase. One panel for each
    (name, phases), one below the other. The written paths."""
    heights = [6.6 + len(phases[0].arrived) + bool(name) for name, phases in panels]
    return stacked(panels, heights, (WIDTH, 0.7 + 0.3 * sum(heights)), _panel, heading, under, path)


def _panel(axes: Any, name: str, phases: Sequence[Phase]) -> None:
    seen = shown(phases)
    warps = len(seen[0].arrived)
    unit = min((max(_works(p)) for p in seen if max(_works(p))), default=1)
    widths = [(max(*_works(p), unit)) / unit for p in seen]
    limit = 8 * sorted(widths)[len(widths) // 2]  # a phase that dwarfs the others is drawn shorter, and says so
    x = 0.0
    ends: list[tuple[float, int]] = []
    for phase, width in zip(seen, widths, strict=True):
        drawn = min(width, limit)
        _phase(axes, phase, x, drawn, unit * width, warps, cut=width > limit)
        x += drawn
        if phase.line is not None:
            ends.append((x, phase.line))
        x += GAP
    levels = _barriers(axes, ends, x, warps)
    top = -0.5 - LEVEL * levels
    axes.text(0, top - 0.35, summary(phases), fontsize=9.5, va="bottom", fontweight="bold")
    if name:
        axes.text(0, top - 1.35, name, fontsize=9.5, va="bottom", fontweight="bold")
    axes.text(-0.012 * x, -0.5, say("trace.barrier-line"), ha="right", va="bottom", fontsize=8, color=FAINT)
    for warp in range(warps):
        axes.text(-0.012 * x, warp + 0.5, say("trace.warp", warp=warp), ha="right", va="center", fontsize=8.5)
    _legend(axes, x, warps)
    note = say("trace.timeline-note")
    if len(seen) < len(phases):
        note += " " + say("trace.timeline-part", shown=len(seen), total=len(phases))
    axes.text(0, warps + 1.75, note, fontsize=8.5, va="center", color=FAINT)
    axes.set_xlim(-0.1 * x, x)
    axes.set_ylim(top - (2.3 if name else 1.3), warps + 2.1)
    bare(axes)


def _barriers(axes: Any, ends: Sequence[tuple[float, int]], whole: float, warps: int) -> int:
    """The barriers with their lines, on as many levels as keep the numbers apart. How many levels."""
    inch = 1.1 * whole / (WIDTH - 0.3)
    right: list[float] = []  # of each level, where its last number ends
    for x, line in ends:
        half = inch * DIGIT * len(str(line)) / 2
        level = next((k for k, end in enumerate(right) if x - half > end), len(right))
        right[level : level + 1] = [x + half + inch * DIGIT / 2]
        y = -0.5 - LEVEL * level
        axes.plot([x, x], [y + 0.1, warps], color=INK, linewidth=1.3 if not level else 0.6, zorder=4)
        axes.plot([x, x], [-0.35, warps], color=INK, linewidth=1.3, zorder=4)
        behind = {"boxstyle": "square,pad=0.05", "facecolor": "white", "edgecolor": "none"}
        axes.text(x, y, str(line), ha="center", va="bottom", fontsize=8, color=INK, bbox=behind, zorder=5)
    return len(right)


def _phase(axes: Any, phase: Phase, x: float, width: float, most: float, warps: int, cut: bool) -> None:
    for warp in range(warps):
        gone = phase.line is not None and not phase.arrived[warp]
        requests = (phase.global_requests[warp], GLOBAL), (phase.shared_requests[warp], SHARED)
        left = x
        for count, colour in requests:
            if count:
                box(axes, left, warp + 0.12, width * count / most, 0.76, colour, linewidth=0.4)
                left += width * count / most
        if phase.line is not None and not gone and left < x + width - 1e-9:
            hatched(axes, left, warp + 0.12, x + width - left, 0.76)
    if cut:
        axes.text(x + width / 2, warps + 0.08, "≈", ha="center", va="top", fontsize=10, color=FAINT)


def _legend(axes: Any, width: float, warps: int) -> None:
    size = 0.018 * width
    for k, (key, colour) in enumerate((("global", GLOBAL), ("shared", SHARED), ("waits", None))):
        x, y = 0.33 * width * k, warps + 0.75
        (box(axes, x, y, size, 0.55, colour) if colour else hatched(axes, x, y, size, 0.55))
        axes.text(x + 1.4 * size, y + 0.28, say(f"trace.legend-{key}"), fontsize=8.5, va="center")
