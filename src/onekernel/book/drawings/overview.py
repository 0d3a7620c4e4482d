"""Chapter 02 from above: what each rung changes, and what a block has to wait for beyond the ladder."""

from __future__ import annotations

from collections.abc import Callable

from onekernel.book.drawings.canvas import Canvas

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


def ladder(c: Canvas, t: Callable[[str], str]) -> None:
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


DRAWINGS: dict[str, tuple[float, Callable[[Canvas, Callable[[str], str]], None]]] = {
    "ladder-map": (346, ladder),
    "counted": (246, counted),
}
