"""Chapter 02's ladder: its rungs from above, what each of them changes, and what a block waits for beyond them."""

from __future__ import annotations

from collections.abc import Callable

from audits.book.drawings.canvas import Canvas

# For each rung: who shares a row, what joins the parts, reads per element of a row that fits, elements per load.
RUNGS: tuple[tuple[str | int, ...], ...] = (
    ("thread", "nothing", 3, "1"),
    ("block", "tree", 3, "1"),
    ("block", "shuffles", 3, "1"),
    ("block", "shuffles", 2, "1"),
    ("block", "shuffles", 2, "4"),
    ("block", "shuffles", 1, "4"),
    ("cluster", "shuffles", 1, "4"),
    ("warp", "shuffles", 1, "4"),
    ("block", "shuffles", 1, "4, 8"),
    ("any", "shuffles", 1, "4, 8"),
)
BLOCKS = ((120, 300), (150, 250), (136, 322), (128, 270))  # when a block's Part was stored, and its last output


def ladder_map(c: Canvas, t: Callable[[str], str]) -> None:
    """Ten rungs from above: in orange, what a rung changes of the one before."""
    columns = ((36, 84, "who"), (124, 92, "join"), (220, 76, "reads"), (300, 78, "load"))
    for x, w, name in columns:
        c.text(x + w / 2, 18, t(name), 11.5, faint=True)
    for k, rung in enumerate(RUNGS):
        y = 28 + 29 * k
        c.text(22, y + 17, str(k + 1), 12.5, bold=True)
        before = RUNGS[k - 1] if k else rung
        for (x, w, _), now, then in zip(columns, rung, before, strict=True):
            told = "" if isinstance(now, int) else t(now) if now.isalpha() else now
            c.box(x, y, w, 25, "orange" if now != then else "paper", told, 12)
            if isinstance(now, int):
                for read in range(now):
                    c.box(x + 8 + 21 * read, y + 5, 18, 15, "blue")
    c.text(12, 336, t("under"), 11.5, "start", faint=True)


def counted(c: Canvas, t: Callable[[str], str]) -> None:
    """Four blocks of a cluster in time: the 8 bytes that are wanted, and all the stores that a barrier waits for."""
    for k, (part, last) in enumerate(BLOCKS):
        y = 44 + 34 * k
        c.text(12, y + 15, t("block") + f" {k}", 12, "start")
        c.box(80, y, last - 80, 22, "grey")
        c.box(part - 12, y + 3, 12, 16, "orange")
    first, all_ = max(part for part, _ in BLOCKS), max(last for _, last in BLOCKS)
    for x, colour in ((first + 4, "green"), (all_ + 6, "red")):
        c.line(((x, 30), (x, 180)), colour, 2)
    c.text(first + 4, 22, t("mbarrier"), 12, bold=True)
    c.text(all_ + 6, 22, t("barrier"), 12, bold=True)
    c.box(12, 196, 12, 16, "orange")
    c.text(32, 209, t("part"), 12, "start")
    c.box(12, 220, 12, 16, "grey")
    c.text(32, 233, t("stores"), 12, "start")


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
    "ladder-map": (346, ladder_map),
    "counted": (246, counted),
    "row-per-thread": (274, row_per_thread),
    "warp-per-row": (336, warp_per_row),
    "packed": (242, packed),
    "choose": (284, choose),
    "passes": (302, passes),
    "two-loops": (244, two_loops),
    "scopes": (300, scopes),
    "cluster": (286, cluster),
    "tile": (320, tile),
    "double-buffer": (194, double_buffer),
}
