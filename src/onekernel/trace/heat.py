"""The picture of a kernel's source: the bytes that each line moves through global memory, beside its text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from onekernel.bench.style import FAINT, INK, stacked
from onekernel.counts import SECTOR_BYTES, KernelCounts, LineCounts
from onekernel.messages import say, written
from onekernel.numerals import Quantity
from onekernel.trace.palette import BAD, MONO, bare, box, ink_on

MOST_LINES = 46
WORTH_SAYING = 1.05  # times too much
AROUND = 3  # lines without counts that are shown beside one that has some


@dataclass(frozen=True)
class LineHeat:
    """A line of source: its requests to global memory, the bytes that they move (sectors x 32) and that would do, its
    shared wavefronts and those that would do."""

    number: int
    text: str
    moved: int
    needed: int
    requests: int
    wavefronts: int
    wavefronts_needed: int

    @property
    def sectors_per_request(self) -> float | None:
        return self.moved / SECTOR_BYTES / self.requests if self.requests else None

    @property
    def sectors_needed(self) -> float | None:
        """Sectors a request that would do, if neighbouring threads had neighbouring addresses."""
        return self.needed / SECTOR_BYTES / self.requests if self.requests else None

    @property
    def times(self) -> float:
        """How many times too much it moves: 1 is perfect."""
        return self.moved / self.needed if self.needed else 1.0

    @property
    def conflicts(self) -> bool:
        return self.wavefronts > WORTH_SAYING * self.wavefronts_needed


def lines_of(source: Path, counts: KernelCounts) -> list[LineHeat]:
    """The lines of the kernel that count something, and those near to them."""
    found = {n.line: n for n in counts.lines if Path(n.file).name == source.name}
    text = source.read_text(encoding="utf-8", errors="replace").splitlines()
    if not found:
        return []
    near = {k for n in found for k in range(n - AROUND, n + AROUND + 1)}
    first, last = max(min(found) - 1, 1), min(max(found) + 1, len(text))
    shown = [k for k in range(first, last + 1) if k in near][:MOST_LINES]
    out = [_line(n, text[n - 1], found.get(n) or LineCounts("", n, {})) for n in shown]
    while out and not out[-1].text.strip():
        out.pop()
    return out


def _line(number: int, text: str, counts: LineCounts) -> LineHeat:
    load, store = counts.side(load=True), counts.side(load=False)
    return LineHeat(
        number,
        text.partition("//")[0].rstrip(),
        int((load.sectors + store.sectors) * SECTOR_BYTES),
        round((load.needed + store.needed) * SECTOR_BYTES),
        int(load.requests + store.requests),
        int(counts.wavefronts),
        int(counts.wavefronts - counts.conflicts),
    )


def rows(lines: Sequence[LineHeat]) -> list[LineHeat | None]:
    """The lines with None where some are left out between two of them."""
    out: list[LineHeat | None] = []
    for line in lines:
        last = out[-1] if out else None
        if last is not None and line.number != last.number + 1:
            out.append(None)
        out.append(line)
    return out


def draw(panels: Sequence[tuple[str, list[LineHeat]]], heading: str, under: str, path: Path) -> list[Path]:
    """The source with a bar a line: in blue the bytes that would do, in orange those in vain. One panel for each
    (name, lines), one below the other. The written paths."""
    code = max(_code_width(lines) for _, lines in panels)
    shared = any(n.wavefronts for _, lines in panels for n in lines)
    heights = [2.3 + len(rows(lines)) + bool(name) for name, lines in panels]
    most = max((n.moved for _, lines in panels for n in lines), default=1) or 1
    inches = code + (6.3 if shared else 4.7), 1.1 + 0.235 * sum(heights)
    panel = partial(_panel, code=code, shared=shared, most=most)
    return stacked(panels, heights, inches, panel, heading, under, path)


def _code_width(lines: Sequence[LineHeat]) -> float:
    """Inches for the source."""
    return 0.085 * min(max(len(n.text) - _indent(lines) for n in lines), 96) + 0.6


def _indent(lines: Sequence[LineHeat]) -> int:
    return min((len(n.text) - len(n.text.lstrip()) for n in lines if n.text.strip()), default=0)


def _panel(axes: Any, name: str, lines: list[LineHeat], code: float, shared: bool, most: int) -> None:
    width = code + (6.0 if shared else 4.4)
    _headings(axes, code, shared)
    if name:
        axes.text(0, -2.1, name, fontsize=9.5, va="bottom", fontweight="bold")
    shown = rows(lines)
    for y, line in enumerate(shown):
        if line is None:
            axes.text(0.42, y + 0.5, "⋮", ha="right", va="center", fontsize=9, color=FAINT)
            continue
        text = _fitted(line.text[_indent(lines) :])
        axes.text(0.42, y + 0.5, str(line.number), ha="right", va="center", fontsize=8.5, color=FAINT, fontfamily=MONO)
        axes.text(0.56, y + 0.5, text, ha="left", va="center", fontsize=8.5, fontfamily=MONO)
        _bar(axes, code + 0.25, y, line, most)
        if line.moved:
            much = line.times > WORTH_SAYING
            _count(axes, code + 3.05, y, line.requests, ",")
            _count(axes, code + 3.75, y, line.sectors_per_request, ".3g", much)
            _count(axes, code + 4.35, y, line.sectors_needed, ".3g")
        if line.wavefronts:
            _count(axes, code + 5.35, y, line.wavefronts, ",", line.conflicts)
            _count(axes, code + 5.95, y, line.wavefronts_needed, ",")
    bottom = len(shown) + 0.35
    for x, key, colour in ((0.0, "needed", _shade(0.6)), (4.6, "vain", BAD)):
        box(axes, 0.56 + x, bottom + 0.1, 0.25, 0.6, colour, linewidth=0)
        axes.text(0.56 + x + 0.32, bottom + 0.42, say(f"trace.heat-legend-{key}"), va="center", fontsize=8.5)
    axes.set_xlim(0, width)
    axes.set_ylim(-3.1 if name else -2.0, bottom + 0.9)
    bare(axes)


def _bar(axes: Any, x: float, y: int, line: LineHeat, most: int) -> None:
    """What would do, then what is moved in vain, then the sum in words."""
    if not line.moved:
        return
    needed, whole = (max(1.9 * part / most, 0.02) for part in (line.needed, line.moved))
    colour = _shade(line.moved / most) if line.times <= WORTH_SAYING else _shade(0.6)
    box(axes, x, y + 0.08, needed, 0.84, colour, linewidth=0)
    if line.times > WORTH_SAYING:
        box(axes, x + needed, y + 0.08, max(whole - needed, 0.02), 0.84, BAD, linewidth=0)
    inside, under = whole > 1.05, BAD if line.times > WORTH_SAYING else colour
    axes.text(x + whole + (-0.06 if inside else 0.06), y + 0.5, written(Quantity(line.moved, "B")),
              ha="right" if inside else "left", va="center", fontsize=8.5,
              color=ink_on(under) if inside else INK)  # fmt: skip


def _count(axes: Any, x: float, y: int, value: float | None, spec: str, much: bool = False) -> None:
    if much:
        box(axes, x - 0.52, y + 0.08, 0.56, 0.84, BAD, linewidth=0)
    axes.text(x, y + 0.5, "" if value is None else written(value, spec), ha="right", va="center", fontsize=8.5,
              color=ink_on(BAD) if much else INK)  # fmt: skip


def _fitted(text: str) -> str:
    return text if len(text) <= 96 else text[:95] + "…"


def _headings(axes: Any, code: float, shared: bool) -> None:
    axes.plot([0, code + (5.95 if shared else 4.35)], [-0.08, -0.08], color=FAINT, linewidth=0.8)
    columns = [(0.25, "moved", "left"), (3.05, "requests", "right"), (3.75, "sectors", "right"), (4.35, "do", "right")]
    for x, key, side in [*columns, (5.35, "wavefronts", "right"), (5.95, "do", "right")] if shared else columns:
        axes.text(code + x, -0.25, say(f"trace.heat-{key}"), ha=side, va="bottom", fontsize=8.5, fontweight="bold")


def _shade(share: float) -> str:
    """From pale to dark blue, even in lightness."""
    light, dark = (0xDC, 0xEA, 0xF5), (0x08, 0x3B, 0x6B)
    t = share**0.7
    return "#" + "".join(f"{round(a + (b - a) * t):02x}" for a, b in zip(light, dark, strict=True))
