"""Chapter 05: a reduction with its epilogue, and a kernel that is set up before the one before it has ended."""

from __future__ import annotations

from collections.abc import Callable

from onekernel.book.drawings.canvas import Canvas


def epilogue(c: Canvas, t: Callable[[str], str]) -> None:
    """softmax(x) * w: what two kernels read and write, and what one does."""
    c.text(12, 18, t("two"), 12.5, "start", bold=True)
    for x, name in ((20, "softmax"), (220, t("times"))):
        c.box(x, 34, 150, 34, "orange", name, 12.5)
    c.line(((12, 118), (378, 118)), "blue", 3)
    for x, name, down in ((50, "x", False), (140, "s", True), (240, "s", False), (290, "w", False), (345, "y", True)):
        first, last = ((70, 115) if down else (115, 71))
        c.arrow(x, first, x, last, "red" if down else "blue")
        c.text(x, 134, name, 12, mono=True)
    c.text(12, 162, t("five"), 12, "start")
    c.text(12, 196, t("one"), 12.5, "start", bold=True)
    c.box(20, 212, 350, 34, "green", t("fused"), 12.5)
    c.line(((12, 296), (378, 296)), "blue", 3)
    for x, name, down in ((80, "x", False), (190, "w", False), (300, "y", True)):
        first, last = ((248, 293) if down else (293, 249))
        c.arrow(x, first, x, last, "red" if down else "blue")
        c.text(x, 312, name, 12, mono=True)
    c.text(12, 340, t("three"), 12, "start")


def early_launch(c: Canvas, t: Callable[[str], str]) -> None:
    """Two kernels in time: one after the other, and with the second one set up before the first one's end."""
    for k, (name, early) in enumerate((("plain", False), ("early", True))):
        y = 18 + 128 * k
        c.text(12, y, t(name), 12.5, "start", bold=True)
        c.box(12, y + 12, 150, 28, "blue", t("first"), 12)
        begin = 84 if early else 196
        c.box(begin, y + 48, 62, 28, "grey", t("setup"), 11.5)
        wait = 162 - begin - 62 if early else 0
        if wait > 0:
            c.box(begin + 62, y + 48, wait, 28, "paper", "", 11, dashed=True)
        work = max(begin + 62, 164)
        c.box(work, y + 48, 118, 28, "orange", t("second"), 12)
        c.arrow(12, y + 90, 378, y + 90, "grey")
    c.text(378, 262, t("time"), 11.5, "end", faint=True)
    c.text(12, 262, t("under"), 11.5, "start", faint=True)


DRAWINGS: dict[str, tuple[float, Callable[[Canvas, Callable[[str], str]], None]]] = {
    "epilogue": (352, epilogue),
    "early-launch": (274, early_launch),
}
