"""Chapter 01's own text: where a compiler notices a slip, and what an unrolled loop does to the waits of a thread."""

from __future__ import annotations

from collections.abc import Callable

from onekernel.book.drawings.canvas import Canvas


def compile_slip(c: Canvas, t: Callable[[str], str]) -> None:
    """Four lines: the first lacks its semicolon, the compiler stops in the second, and has not seen the others."""
    lines = ("int64_t i = ... + threadIdx.x", "if (i < n) {", "    y[i] = factor * x[i];", "}")
    c.arrow(18, 34, 18, 90, "blue")
    c.text(12, 20, t("reads"), 12, "start", faint=True)
    for k, line in enumerate(lines):
        y = 30 + 38 * k
        c.box(32, y, 244, 30, "blue" if k == 0 else "grey" if k == 1 else "paper", dashed=k > 1)
        indent = len(line) - len(line.lstrip())
        c.text(42 + 7.3 * indent, y + 20, line.strip(), 12, "start", mono=True)
    c.box(258, 34, 14, 22, "red", ";", 12.5, mono=True, dashed=True)
    c.box(36, 72, 26, 22, "orange", "if", 12.5, mono=True)
    c.text(286, 50, t("slip"), 12, "start", bold=True)
    c.text(286, 88, t("notices"), 12, "start", bold=True)
    c.text(286, 146, t("unread"), 12, "start", faint=True)
    c.text(12, 202, t("under"), 12, "start")


def unrolled(c: Canvas, t: Callable[[str], str]) -> None:
    """Four turns of a loop in one thread: load, wait, use, four times over; and four loads that wait together."""
    step, wait = 16.0, 52.0
    c.text(12, 20, t("turns"), 12.5, "start", bold=True)
    for k in range(4):
        _turn(c, 12 + (2 * step + wait + 8) * k, 30, step, wait)
    c.text(12, 74, t("turns-so"), 12, "start")
    c.text(12, 110, t("unrolled"), 12.5, "start", bold=True)
    for k in range(4):
        _turn(c, 12 + (step + 2) * k, 120 + 28 * k, step, wait)
    c.text(196, 160, t("unrolled-so"), 12, "start")
    for k, (colour, name) in enumerate((("blue", "load"), ("orange", "use"))):
        c.box(12 + 110 * k, 246, step, 18, colour)
        c.text(34 + 110 * k, 259, t(name), 12, "start")
    c.line(((232, 255), (262, 255)), "grey", dashed=True)
    c.text(268, 259, t("wait"), 12, "start")


def _turn(c: Canvas, x: float, y: float, step: float, wait: float) -> None:
    c.box(x, y, step, 24, "blue")
    c.line(((x + step + 3, y + 12), (x + step + wait - 3, y + 12)), "grey", dashed=True)
    c.box(x + step + wait, y, step, 24, "orange")


DRAWINGS: dict[str, tuple[float, Callable[[Canvas, Callable[[str], str]], None]]] = {
    "compile-slip": (214, compile_slip),
    "unrolled": (276, unrolled),
}
