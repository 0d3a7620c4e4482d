"""The picture of one request to global memory: the 32 lanes, and the 32-byte sectors that they touch."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from onekernel.bench.style import FAINT, INK, stacked
from onekernel.counts import SECTOR_BYTES
from onekernel.messages import say, written
from onekernel.trace.palette import SECTORS, bare, box, hatched, ink_on, source_line
from onekernel.trace.recording import Request

LINE_BYTES = 128
WORD = 4
MOST_ROWS = 11
GAP = 0.45  # height of a stretch of memory that is left out, in rows


def rows_of(request: Request) -> list[int | None]:
    """The 128-byte lines of memory to show, ascending; None stands for those left out between two of them."""
    lines = sorted({s * SECTOR_BYTES // LINE_BYTES for s in request.sectors})
    if len(lines) > MOST_ROWS:
        lines = lines[: MOST_ROWS - 3] + lines[-2:]
    rows: list[int | None] = []
    for line in lines:
        if rows and rows[-1] is not None and line != rows[-1] + 1:
            rows.append(None)
        rows.append(line)
    return rows


def cells(request: Request) -> dict[int, list[int]]:
    """Address -> the lanes that access it, for the picture and for the terminal."""
    found: dict[int, list[int]] = {}
    for lane, address in zip(request.lanes, request.addresses(), strict=True):
        found.setdefault(address, []).append(lane)
    return found


def summary(request: Request) -> str:
    """Which access it is, and what of the bytes that it moves is used."""
    used, moved = request.bytes_used(), request.bytes_moved()
    return say("trace.access-summary", which=which(request), sectors=len(request.sectors), lanes=len(request.lanes),
               used=used, moved=moved, percent=100 * used / moved)  # fmt: skip


def which(request: Request) -> str:
    """Which access of its line a request is, by the first lane's element: "Read of x[0]…, turn 1"."""
    first = request.offsets[0] // request.item
    return say(f"trace.which-{request.op}", name=f"{request.name or '?'}[{first}]…", turn=request.turn)


def draw(panels: Sequence[tuple[str, Request]], heading: str, under: str, path: Path) -> list[Path]:
    """One panel for each (source text, request), one below the other. The written paths."""
    heights = [4.9 + sum(GAP if line is None else 1 for line in rows_of(r)) for _, r in panels]
    return stacked(panels, heights, (9.6, 0.75 + 0.31 * sum(heights)), _panel, heading, under, path)


def _panel(axes: Any, text: str, request: Request) -> None:
    rows = rows_of(request)
    nth = {sector: k for k, sector in enumerate(request.sectors)}
    source_line(axes, -1.35, text)
    axes.text(0, -0.3, summary(request), fontsize=9.5, va="bottom", fontweight="bold")
    _lanes(axes, request, nth)
    where: dict[int, float] = {}
    y = 1.45
    for line in rows:
        if line is None:
            axes.text(16, y + GAP / 2 - 0.07, "· · ·", ha="center", va="center", fontsize=8, color=FAINT)
            y += GAP
            continue
        where[line] = y
        y += 1
    for line, y in where.items():
        begins = f"byte {written(line * LINE_BYTES, ',')}"
        axes.text(-0.4, y + 0.43, begins, ha="right", va="center", fontsize=8, color=FAINT)
        for s in range(4):
            sector = line * 4 + s
            if sector in nth:
                hatched(axes, s * 8, y, 8, 0.86)
            else:
                box(axes, s * 8, y, 8, 0.86, "white", edgecolor="#cccccc", linewidth=0.6, linestyle=":")
    for address, lanes in cells(request).items():
        if address // LINE_BYTES in where:
            _cell(axes, request, address, lanes, where[address // LINE_BYTES], nth)
    for y in where.values():
        for s in range(1, 4):
            axes.plot([s * 8, s * 8], [y - 0.04, y + 0.9], color=INK, linewidth=1.6, zorder=4)
    bottom = max(where.values()) + 1.15
    for x, key, colour in ((0, f"trace.legend-{request.op}", SECTORS[0]), (16, "trace.legend-wasted", None)):
        (box(axes, x, bottom, 1.4, 0.6, colour) if colour else hatched(axes, x, bottom, 1.4, 0.6))
        axes.text(x + 1.8, bottom + 0.3, say(key), fontsize=8.5, va="center", color=INK)
    axes.set_xlim(-3.6, 32.2)
    axes.set_ylim(-2.2, bottom + 0.9)
    bare(axes)


def _lanes(axes: Any, request: Request, nth: dict[int, int]) -> None:
    """The row of lanes, each in the colour of the first sector that it touches."""
    axes.text(-0.4, 0.43, say("trace.lanes"), ha="right", va="center", fontsize=8, color=FAINT)
    taking_part = dict(zip(request.lanes, request.addresses(), strict=True))
    for lane in range(32):
        if lane not in taking_part:
            box(axes, lane, 0, 1, 0.86, "white", edgecolor="#cccccc", linestyle=":")
            continue
        colour = SECTORS[nth[taking_part[lane] // SECTOR_BYTES] % len(SECTORS)]
        box(axes, lane, 0, 1, 0.86, colour)
        axes.text(lane + 0.5, 0.43, str(lane), ha="center", va="center", fontsize=8, color=ink_on(colour))


def _cell(axes: Any, request: Request, address: int, lanes: list[int], y: float, nth: dict[int, int]) -> None:
    x, width = address % LINE_BYTES / WORD, request.bytes / WORD
    colour = SECTORS[nth[address // SECTOR_BYTES] % len(SECTORS)]
    box(axes, x, y, width, 0.86, colour)
    text = str(lanes[0]) if len(lanes) == 1 else f"×{len(lanes)}"
    if width >= 1:
        axes.text(x + width / 2, y + 0.43, text, ha="center", va="center", fontsize=8, color=ink_on(colour))
