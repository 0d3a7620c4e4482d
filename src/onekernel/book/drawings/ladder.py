"""Chapter 02's first rung and its last three: lanes a row apart, a warp for each row, 16 bits packed, the choice."""

from __future__ import annotations

from collections.abc import Callable

from onekernel.book.drawings.canvas import Canvas


def row_per_thread(c: Canvas, t: Callable[[str], str]) -> None:
    """At one step of the loop each lane touches a sector of its own; the same load with the lanes side by side."""
    c.text(12, 18, t("apart"), 12.5, "start", bold=True)
    for lane in range(5):
        y = 30 + 26 * lane
        c.text(52, y + 14, t("lane") + f" {lane}" if lane < 4 else "…", 11.5, "end")
        for sector in range(10):
            c.box(58 + 32 * sector, y, 30, 20, "blue" if sector == 2 and lane < 4 else "paper")
    c.text(12, 178, t("many"), 12, "start")
    c.text(12, 208, t("beside"), 12.5, "start", bold=True)
    for sector in range(10):
        c.box(58 + 32 * sector, 220, 30, 20, "green" if sector in range(2, 6) else "paper")
    c.text(12, 262, t("few"), 12, "start")


def warp_per_row(c: Canvas, t: Callable[[str], str]) -> None:
    """Four warps on one short row, and four warps on four rows."""
    for k, (name, colour) in enumerate((("shared", "orange"), ("own", "green"))):
        y = 18 + 170 * k
        c.text(12, y, t(name), 12.5, "start", bold=True)
        for warp in range(4):
            top = y + 14 + 26 * warp
            c.box(12, top, 74, 20, "grey", t("warp") + f" {warp}", 11.5)
            if k == 0:
                c.line(((88, top + 10), (126 + 30, y + 14 + 49)), "grey", 1.2)
            else:
                c.arrow(88, top + 10, 122, top + 10, "green")
                c.box(126, top, 160, 20, colour, t("row") + f" {warp}", 11.5)
        if k == 0:
            for warp in range(4):
                c.box(158 + 32 * warp, y + 14 + 39, 30, 20, colour)
            c.box(300, y + 14, 80, 98, "red", t("barrier"), 11.5)
        else:
            c.box(300, y + 14, 80, 98, "paper", t("free"), 11.5, dashed=True)
        c.text(12, y + 136, t(name + "-so"), 12, "start")


def packed(c: Canvas, t: Callable[[str], str]) -> None:
    """16 bytes of fp16: four registers with two elements each, eight floats, and packed again."""
    c.text(12, 18, t("load"), 12, "start")
    for k in range(4):
        c.box(12 + 93 * k, 28, 87, 24, "blue", f"{2 * k} | {2 * k + 1}", 12, mono=True)
        c.box(12 + 93 * k, 164, 87, 24, "red", f"{2 * k} | {2 * k + 1}", 12, mono=True)
    for k in range(8):
        x, both = 12 + 46.5 * k + 21, 12 + 93 * (k // 2) + 43
        c.arrow(both, 53, x, 74, "grey")
        c.box(x - 21, 76, 43, 24, "orange", f"{k}", 12, mono=True)
        c.arrow(x, 130, both + (x - both) / 3, 162, "grey")
    c.text(12, 118, t("widen"), 12, "start")
    c.text(12, 208, t("pack"), 12, "start")
    c.text(12, 232, t("under"), 11.5, "start", faint=True)


def choose(c: Canvas, t: Callable[[str], str]) -> None:
    """What the last rung's launcher asks, and which scope it takes."""
    limits = (("1024", "warp", "green"), ("32768", "block", "blue"), ("262144", "cluster", "orange"))
    steps = (*limits, ("", "twice", "red"))
    for k, (limit, name, colour) in enumerate(steps):
        y = 12 + 62 * k
        if limit:
            c.box(12, y, 150, 38, "grey", t("up-to").format(cols=t(f"n{limit}")), 12)
            c.arrow(164, y + 19, 196, y + 19, colour)
            c.text(180, y + 12, t("yes"), 11, faint=True)
            c.arrow(87, y + 40, 87, y + 60, "grey")
            c.text(94, y + 54, t("no"), 11, "start", faint=True)
        else:
            c.arrow(87, y - 1, 194, y + 19, "grey")
        c.box(200, y, 180, 38, colour, t(name), 12)
    c.text(12, 272, t("under"), 11.5, "start", faint=True)


DRAWINGS: dict[str, tuple[float, Callable[[Canvas, Callable[[str], str]], None]]] = {
    "row-per-thread": (274, row_per_thread),
    "warp-per-row": (336, warp_per_row),
    "packed": (242, packed),
    "choose": (284, choose),
}
