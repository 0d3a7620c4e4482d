"""The picture of a kernel's source: the bytes that each line moves through global memory, beside its text."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from onekernel.counts import (
    LOAD_REQUESTS,
    LOAD_SECTORS,
    SECTOR_BYTES,
    SHARED_LOAD_WAVEFRONTS,
    SHARED_STORE_WAVEFRONTS,
    STORE_REQUESTS,
    STORE_SECTORS,
    KernelCounts,
)
from onekernel.measure.style import FAINT, INK, figure, save, title
from onekernel.messages import language, say
from onekernel.trace.palette import MONO, bare, box, ink_on
from onekernel.units import in_language, show

MOST_LINES = 46
AROUND = 3  # lines without counts that are shown beside one that has some


@dataclass(frozen=True)
class LineHeat:
    """A line of source: its requests to global memory, the bytes that they move (sectors x 32), shared wavefronts."""

    number: int
    text: str
    moved: int
    requests: int
    wavefronts: int

    @property
    def sectors_per_request(self) -> float | None:
        return self.moved / SECTOR_BYTES / self.requests if self.requests else None


def lines_of(source: Path, counts: KernelCounts) -> list[LineHeat]:
    """The lines of the kernel that count something, and those near to them."""
    found = {n.line: n.metrics for n in counts.lines if Path(n.file).name == source.name}
    text = source.read_text(encoding="utf-8").splitlines()
    if not found:
        return []
    near = {k for n in found for k in range(n - AROUND, n + AROUND + 1)}
    first, last = max(min(found) - 1, 1), min(max(found) + 1, len(text))
    shown = [k for k in range(first, last + 1) if k in near][:MOST_LINES]
    out = []
    for number in shown:
        m = found.get(number, {})
        sectors = m.get(LOAD_SECTORS, 0) + m.get(STORE_SECTORS, 0)
        requests = m.get(LOAD_REQUESTS, 0) + m.get(STORE_REQUESTS, 0)
        out.append(
            LineHeat(
                number, text[number - 1].partition("//")[0].rstrip(), int(sectors * SECTOR_BYTES),
                int(requests),
                int(m.get(SHARED_LOAD_WAVEFRONTS, 0) + m.get(SHARED_STORE_WAVEFRONTS, 0)),
            )
        )  # fmt: skip
    while out and not out[-1].text.strip():
        out.pop()
    return out


def draw(lines: list[LineHeat], heading: str, under: str, path: Path) -> list[Path]:
    """The source with a bar a line, darker and longer for more bytes. The written paths."""
    indent = min((len(n.text) - len(n.text.lstrip()) for n in lines if n.text.strip()), default=0)
    columns = max(len(n.text) - indent for n in lines)
    code = 0.085 * min(columns, 96) + 0.6  # inches
    shared = any(n.wavefronts for n in lines)
    fig = figure(code + (5.0 if shared else 4.1), 1.35 + 0.235 * len(lines))
    axes = fig.add_subplot()
    most = max((n.moved for n in lines), default=1) or 1
    _headings(axes, code, shared)
    for y, line in enumerate(lines):
        share = line.moved / most
        axes.text(0.42, y + 0.5, str(line.number), ha="right", va="center", fontsize=8.5, color=FAINT, fontfamily=MONO)
        axes.text(0.56, y + 0.5, _fitted(line.text[indent:]), ha="left", va="center", fontsize=8.5, fontfamily=MONO)
        if line.moved:
            colour = _shade(share)
            box(axes, code + 0.25, y + 0.08, max(1.9 * share, 0.02), 0.84, colour, linewidth=0)
            inside = share > 0.55
            end = code + 0.25 + 1.9 * share
            axes.text(end + (-0.06 if inside else 0.06), y + 0.5, show(line.moved, "B", language()),
                      ha="right" if inside else "left", va="center", fontsize=8.5,
                      color=ink_on(colour) if inside else INK)  # fmt: skip
            _count(axes, code + 2.95, y, f"{line.requests:,}")
            _count(axes, code + 3.75, y, f"{line.sectors_per_request:.3g}")
        if line.wavefronts:
            _count(axes, code + 4.65, y, f"{line.wavefronts:,}")
    axes.set_xlim(0, code + (4.7 if shared else 3.8))
    axes.set_ylim(-2.0, len(lines) + 0.1)
    bare(axes)
    title(fig, heading, under)
    return save(fig, path)


def _count(axes: Any, x: float, y: int, text: str) -> None:
    axes.text(x, y + 0.5, in_language(text, language()), ha="right", va="center", fontsize=8.5)


def _fitted(text: str) -> str:
    return text if len(text) <= 96 else text[:95] + "…"


def _headings(axes: Any, code: float, shared: bool) -> None:
    axes.plot([0, code + (4.65 if shared else 3.75)], [-0.08, -0.08], color=FAINT, linewidth=0.8)
    columns = [(0.25, "moved", "left"), (2.95, "requests", "right"), (3.75, "sectors", "right")]
    for x, key, side in [*columns, (4.65, "wavefronts", "right")] if shared else columns:
        axes.text(code + x, -0.25, say(f"trace.heat-{key}"), ha=side, va="bottom", fontsize=8.5, fontweight="bold")


def _shade(share: float) -> str:
    """From pale to dark blue, even in lightness."""
    light, dark = (0xDC, 0xEA, 0xF5), (0x08, 0x3B, 0x6B)
    t = share**0.7
    return "#" + "".join(f"{round(a + (b - a) * t):02x}" for a, b in zip(light, dark, strict=True))
