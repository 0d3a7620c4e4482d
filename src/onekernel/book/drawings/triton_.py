"""Chapter 03: a tile and its lanes, masks, and the way from Python to machine code."""

from __future__ import annotations

from collections.abc import Callable

from onekernel.book.drawings.canvas import Canvas

COLOURS = ("blue", "orange", "green", "purple")


def tile_lanes(c: Canvas, t: Callable[[str], str]) -> None:
    """What you write, a tile; what the compiler deals out, four neighbours to a lane."""
    c.text(12, 18, t("tile"), 12.5, "start")
    for k in range(16):
        c.box(12 + 23 * k, 28, 21, 28, COLOURS[k // 4 % 4], str(k), 11, mono=True)
    for lane in range(4):
        x = 12 + 92 * lane
        c.arrow(x + 44, 60, x + 44, 86, "grey")
        c.box(x, 90, 86, 66, COLOURS[lane])
        c.text(x + 43, 108, t("lane") + f" {lane}", 12, bold=True)
        for n in range(4):
            c.box(x + 4 + 20 * n, 118, 18, 28, "paper", str(4 * lane + n), 11, mono=True)
    c.text(12, 178, t("wide"), 12, "start")
    c.text(12, 198, "#blocked<{sizePerThread = [4], ...}>", 12, "start", mono=True)


def mask(c: Canvas, t: Callable[[str], str]) -> None:
    """A row of 5 in a tile of 8: what the missing lanes get decides the maximum."""
    values = (-5, -6, -7, -5, -9)
    for half, (other, shown) in enumerate((("-inf", "-∞"), ("0", "0"))):
        y = 12 + 104 * half
        c.text(12, y + 12, f"other={other}", 13, "start", mono=True)
        for k in range(8):
            inside = k < len(values)
            text = str(values[k]) if inside else shown
            c.box(12 + 45 * k, y + 22, 42, 30, "blue" if inside else "paper", text, 13, mono=True, dashed=not inside)
        largest = max(values) if half == 0 else 0
        c.text(12, y + 72, f"tl.max = {largest}", 13, "start", mono=True)
        c.text(378, y + 72, t("right" if half == 0 else "wrong"), 12, "end")


def compiler(c: Canvas, t: Callable[[str], str]) -> None:
    """From Python to SASS: what each stage decides."""
    stages = (("Python", "grey"), ("TTIR", "blue"), ("TTGIR", "green"), ("LLVM IR", "purple"), ("PTX", "orange"),
              ("SASS", "red"))  # fmt: skip
    for k, (name, colour) in enumerate(stages):
        y = 10 + 50 * k
        c.box(12, y, 96, 34, colour, name, 13, bold=True)
        c.text(120, y + 15, t(f"what-{k}"), 12, "start")
        c.text(120, y + 31, t(f"look-{k}"), 11.5, "start", faint=True)
        if k:
            c.arrow(60, y - 15, 60, y - 3, "grey")


DRAWINGS: dict[str, tuple[float, Callable[[Canvas, Callable[[str], str]], None]]] = {
    "tile-lanes": (210, tile_lanes),
    "mask": (208, mask),
    "triton-stages": (308, compiler),
}
