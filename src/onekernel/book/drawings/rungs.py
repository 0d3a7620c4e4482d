"""Chapter 02's rungs: passes, loads in flight, scopes, the cluster, the tile, the double buffer."""

from __future__ import annotations

from collections.abc import Callable

from onekernel.book.drawings.canvas import Canvas


def passes(c: Canvas, t: Callable[[str], str]) -> None:
    """How often the row crosses the memory's border, for three ways to write softmax."""
    rows = [("three", ("max", "sum", "y"), 3), ("online", ("m, s", "y"), 2), ("kept", ("m, s, y",), 1)]
    for k, (name, loops, reads) in enumerate(rows):
        y = 12 + 92 * k
        c.text(12, y + 10, t(name), 12.5, "start", bold=True)
        c.text(378, y + 10, t("bound").format(percent=round(200 / (reads + 1))), 12, "end")
        wide = 366 / len(loops)
        for n, loop in enumerate(loops):
            x = 12 + wide * n
            c.box(x, y + 18, wide - 6, 26, "orange", loop, mono=True)
            c.arrow(x + wide / 2 - 20, y + 70, x + wide / 2 - 20, y + 47, "blue")
            if n == len(loops) - 1:
                c.arrow(x + wide / 2 + 14, y + 47, x + wide / 2 + 14, y + 70, "red")
        c.line(((12, y + 72), (372, y + 72)), "blue", 3)
    c.text(12, 292, t("under"), 11.5, "start", faint=True)


def two_loops(c: Canvas, t: Callable[[str], str]) -> None:
    """One thread's loads over time: rung 3 sends sixteen before it uses one, rung 4 one after the other."""
    c.text(12, 18, t("three"), 12.5, "start", bold=True)
    for k in range(16):
        c.line(((14 + 4 * k, 30 + 5 * k), (150 + 4 * k, 30 + 5 * k)), "blue", 3)
    c.box(218, 28, 150, 80, "green", t("used"), 12)
    c.text(12, 136, t("four"), 12.5, "start", bold=True)
    for k in range(3):
        x = 14 + 122 * k
        c.line(((x, 152 + 16 * k), (x + 92, 152 + 16 * k)), "blue", 3)
        c.box(x + 95, 143 + 16 * k, 22, 18, "red", "if", 11.5, mono=True)
    c.arrow(14, 216, 374, 216, "grey")
    c.text(374, 234, t("time"), 11.5, "end", faint=True)
    c.text(12, 234, t("line"), 11.5, "start", faint=True)


def scopes(c: Canvas, t: Callable[[str], str]) -> None:
    """Who shares a row as the row grows; what each member keeps stays about the same."""
    rows = (("lanes", 1, "≤ 128"), ("warp", 2, "≤ 1024"), ("block", 5, "≤ 32k"), ("cluster", 8, "≤ 256k"),
            ("team", 12, "≤ 4M"))  # fmt: skip
    for k, (name, cells, cols) in enumerate(rows):
        y = 30 + 48 * k
        c.text(12, y + 12, t(name), 12.5, "start", bold=True)
        c.text(12, y + 28, t(f"{name}-by"), 11, "start", faint=True)
        for n in range(cells):
            c.box(138 + 15 * n, y, 13, 26, ("purple", "blue", "green", "orange", "red")[k])
        c.text(378, y + 18, cols, 12, "end", mono=True)
    c.text(138, 18, t("row"), 11.5, "start", faint=True)
    c.text(378, 18, t("cols"), 11.5, "end", faint=True)
    c.text(12, 288, t("same"), 12, "start")


def cluster(c: Canvas, t: Callable[[str], str]) -> None:
    """Four blocks hold a quarter of the row each and exchange eight bytes."""
    c.text(12, 18, t("row"), 12, "start")
    for k in range(4):
        x = 12 + 93 * k
        c.box(x, 26, 87, 26, "blue", "¼")
        c.arrow(x + 43, 54, x + 43, 72, "blue")
        c.box(x, 76, 87, 98, "grey")
        c.text(x + 43, 92, t("block") + f" {k}", 11.5, bold=True)
        c.box(x + 6, 98, 75, 30, "purple", t("regs"), 11)
        c.box(x + 6, 134, 75, 32, "green", "(m, s)", 12, mono=True)
        c.arrow(x + 43, 211, x + 43, 225, "red")
        c.box(x, 228, 87, 26, "red", "¼")
    c.line(((55, 176), (55, 190), (335, 190), (335, 176)), "orange", 2.5)
    for k in (1, 2):
        c.line(((55 + 93 * k, 190), (55 + 93 * k, 176)), "orange", 2.5)
    c.text(195, 204, t("eight"), 11.5)
    c.text(12, 274, t("written"), 12, "start")


def tile(c: Canvas, t: Callable[[str], str]) -> None:
    """A tile of C needs a band of A and a band of B, taken in steps of T."""
    for x, y, name in ((20, 150, "A"), (190, 20, "B"), (190, 150, "C")):
        c.box(x, y, 120, 120, "paper")
        c.text(x + 12, y + 18, name, 13, bold=True)
    for k in range(4):
        c.box(20 + 30 * k, 190, 28, 30, "blue" if k != 1 else "orange")
        c.box(235, 20 + 30 * k, 30, 28, "blue" if k != 1 else "orange")
    c.box(235, 190, 30, 30, "green")
    c.arrow(142, 205, 186, 205, "grey")
    c.arrow(250, 140, 250, 148, "grey")
    c.text(20, 60, t("step"), 12, "start")
    c.text(20, 290, t("reuse"), 12, "start")
    c.text(20, 308, "I = 2T³ / 8T² = T / 4", 13, "start", mono=True)


def double_buffer(c: Canvas, t: Callable[[str], str]) -> None:
    """With one buffer loading and computing take turns; with two they overlap."""
    c.text(12, 18, t("single"), 12.5, "start", bold=True)
    for k in range(3):
        c.box(12 + 122 * k, 28, 60, 28, "blue", t("load"), 11.5)
        c.box(73 + 122 * k, 28, 58, 28, "orange", t("compute"), 11.5)
    c.text(12, 86, t("double"), 12.5, "start", bold=True)
    for k in range(4):
        c.box(12 + 62 * k, 96, 60, 28, "blue", t("load") + f" {k}", 11.5)
        c.box(74 + 62 * k, 130, 60, 28, "orange", t("use") + f" {k}", 11.5)
    c.text(12, 182, t("under"), 11.5, "start", faint=True)


DRAWINGS: dict[str, tuple[float, Callable[[Canvas, Callable[[str], str]], None]]] = {
    "passes": (302, passes),
    "two-loops": (244, two_loops),
    "scopes": (300, scopes),
    "cluster": (286, cluster),
    "tile": (320, tile),
    "double-buffer": (194, double_buffer),
}
