"""Chapter 03: a tile and its lanes, masks, and the way from Python to machine code."""

from __future__ import annotations

from collections.abc import Callable

from audits.book.drawings.canvas import Canvas

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


def forgotten_key(c: Canvas, t: Callable[[str], str]) -> None:
    """A row of 4 and then one of 16: with an empty key the tile of the first also runs for the second."""
    for half, key in enumerate(("key=[]", 'key=["cols"]')):
        top = 132 * half
        c.text(12, top + 20, key, 13, "start", mono=True, bold=True)
        for call, cols in enumerate((4, 16)):
            y = top + 32 + 46 * call
            tile = cols if half else 4
            c.text(12, y + 10, t("asked" if half or not call else "known").format(cols=cols, tile=tile), 12, "start")
            for k in range(cols):
                c.box(12 + 22 * k, y + 16, 20, 18, "green" if k < tile else "red", dashed=k >= tile)
    c.text(12, 272, t("under"), 12, "start")


def unsaid(c: Canvas, t: Callable[[str], str]) -> None:
    """What CUDA C can say and Triton cannot: where blocks meet, and in how many bytes a row waits."""
    for half, name in enumerate(("cuda", "triton")):
        x = 12 + 190 * half
        c.text(x, 20, ("CUDA C", "Triton")[half], 13, "start", bold=True)
        c.text(x, 42, t(f"{name}-meet"), 11.5, "start", faint=True)
        for k in range(4):
            left = x + 44 * k
            c.box(left, 52, 40, 30, "blue", str(k), 12)
            if half:
                c.arrow(left + 14, 84, left + 14, 112, "red")
                c.arrow(left + 27, 112, left + 27, 84, "red")
            else:
                c.line(((left + 20, 82), (left + 20, 97)), "green", 2.5)
        if half:
            c.box(x, 114, 172, 26, "grey", t("global"), 11.5)
        else:
            c.line(((x + 20, 97), (x + 152, 97)), "green", 2.5)
            c.text(x + 86, 116, t("distributed"), 11.5)
        c.text(x, 172, t(f"{name}-wait"), 11.5, "start", faint=True)
        wide = 20 * (half + 1)
        for k in range(8):
            c.box(x + (wide + 2) * (k % 4), 184 + 24 * (k // 4), wide, 20, "orange" if half else "green")
    c.text(12, 252, t("under"), 12, "start")


DRAWINGS: dict[str, tuple[float, Callable[[Canvas, Callable[[str], str]], None]]] = {
    "tile-lanes": (210, tile_lanes),
    "mask": (208, mask),
    "triton-stages": (308, compiler),
    "forgotten-key": (284, forgotten_key),
    "unsaid": (264, unsaid),
}
