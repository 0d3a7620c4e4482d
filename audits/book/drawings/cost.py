"""Chapter 00: what costs time. A chain of operations, the regimes, the roofs over softmax, the roofline."""

from __future__ import annotations

import math
from collections.abc import Callable

from audits.book.drawings.canvas import Canvas

SMS, CLOCK = 132, 1.98e9  # an H200
COPY, FMA = 4.26e12, 66.9e12  # bytes/s of a large copy, FLOP/s
ELEMENTS = 8192 * 4096


def chain(c: Canvas, t: Callable[[str], str]) -> None:
    """Four operations, each with its trip to memory; and one kernel that does the four."""
    for top, height in ((28, 150), (216, 116)):
        c.box(12, top + height - 40, 366, 34, "blue", t("memory"))
    c.text(12, 20, t("apart"), anchor="start", bold=True)
    for k, name in enumerate(("+ 1", "gelu", "× 2", "- 1")):
        x = 20 + 92 * k
        c.box(x, 36, 74, 34, "orange", name, mono=True)
        c.arrow(x + 20, 136, x + 20, 73, "blue")
        c.arrow(x + 54, 73, x + 54, 136, "red")
        c.text(x + 37, 110, t("trip"), 11)
    c.text(12, 208, t("fused"), anchor="start", bold=True)
    c.box(66, 222, 258, 34, "orange", "+ 1    gelu    × 2    - 1", mono=True)
    c.arrow(110, 290, 110, 259, "blue")
    c.arrow(280, 259, 280, 290, "red")
    c.text(195, 280, t("one"), 12)


def regimes(c: Canvas, t: Callable[[str], str]) -> None:
    """Five answers to "what binds?", each with its sign and its remedy."""
    colours = ("grey", "purple", "blue", "orange", "red")
    for k, (name, colour) in enumerate(zip(("launch", "latency", "memory", "issue", "compute"), colours, strict=True)):
        y = 10 + 68 * k
        c.box(10, y, 112, 58, colour, t(name), bold=True)
        c.text(132, y + 17, t(f"{name}-what"), 12, "start")
        c.text(132, y + 34, t(f"{name}-sign"), 11.5, "start", faint=True)
        c.text(132, y + 51, "→ " + t(f"{name}-do"), 11.5, "start")


def roofs(c: Canvas, t: Callable[[str], str]) -> None:
    """How much of each unit a softmax of 8192 x 4096 uses while a copy of its bytes takes place."""
    seconds = 8 * ELEMENTS / COPY
    lanes = {"fma": 4 * ELEMENTS / (SMS * 128 * CLOCK), "exp": 2 * ELEMENTS / (SMS * 16 * CLOCK),
             "issue": 31.2e6 / (SMS * 4 * CLOCK)}  # fmt: skip
    rows = [("fma", lanes["fma"] / seconds, "green"), ("exp", lanes["exp"] / seconds, "purple"),
            ("issue", lanes["issue"] / seconds, "orange"), ("memory", 1.0, "blue")]  # fmt: skip
    for k, (name, share, colour) in enumerate(rows):
        y = 14 + 62 * k
        c.text(12, y + 10, t(name), 12.5, "start")
        c.box(12, y + 17, 320, 24, "paper")
        c.box(12, y + 17, 320 * share, 24, colour)
        c.text(338, y + 34, f"{100 * share:.0f} %", 13, "start", bold=True)
    c.text(12, 274, t("under"), 11.5, "start", faint=True)


def roofline(c: Canvas, t: Callable[[str], str]) -> None:
    """The two roofs on logarithmic axes, and where three operators stand under them."""
    left, right, top, bottom = 52, 372, 26, 236

    def at(intensity: float, rate: float) -> tuple[float, float]:
        x = left + (right - left) * (math.log10(intensity) + 1.3) / 4.6
        y = bottom - (bottom - top) * (math.log10(rate) - 11) / 3.1
        return x, y

    ridge = FMA / COPY
    c.line(((left, top - 12), (left, bottom), (right, bottom)), "grey")
    c.line((at(0.05, 0.05 * COPY), at(ridge, FMA)), "blue", 3)
    c.line((at(ridge, FMA), at(2000, FMA)), "red", 3)
    c.line((at(ridge, FMA), (at(ridge, FMA)[0], bottom)), "grey", dashed=True)
    c.text(at(ridge, FMA)[0], bottom + 16, t("ridge"), 11.5)
    c.text(right, at(100, FMA)[1] - 8, t("compute"), 12, "end")
    c.text(66, 62, t("memory"), 12, "start")
    for name, intensity, dx, anchor in (("add", 1 / 12, 9, "start"), ("softmax", 5 / 8, 9, "start"),
                                        ("matmul", 683.0, -1, "end")):  # fmt: skip
        x, y = at(intensity, min(FMA, intensity * COPY))
        c.line(((x, y), (x, bottom)), "grey", 1, dashed=True)
        c.dot(x, y, 6, "orange")
        c.text(x + (dx if dx > 0 else -6), y + (4 if dx > 0 else 24), t(name), 12, anchor)
    c.text(right, bottom + 34, t("x"), 11.5, "end", faint=True)
    c.text(8, 18, t("y"), 11.5, "start", faint=True)


DRAWINGS: dict[str, tuple[float, Callable[[Canvas, Callable[[str], str]], None]]] = {
    "chain": (342, chain),
    "regimes": (352, regimes),
    "roofs": (286, roofs),
    "two-roofs": (278, roofline),
}
