"""Spaces of memory, wide accesses, bytes in flight, banks."""

from __future__ import annotations

from collections.abc import Callable

from audits.book.drawings.canvas import Canvas
from onekernel.trace.banks import BANKS

SMS, LATENCY, BANDWIDTH = 132, 600e-9, 4.8e12  # an H200; a round figure; its datasheet
NEEDED = BANDWIDTH * LATENCY / SMS / 1000  # KB in flight in each SM, by Little's law


def spaces(c: Canvas, t: Callable[[str], str]) -> None:
    """Who sees what: a thread its registers, a block its shared memory, everybody global memory."""
    c.box(8, 8, 374, 262, "blue")
    c.text(18, 260, t("global"), 12.5, "start")
    for k in range(2):
        x = 18 + 180 * k
        c.box(x, 20, 174, 208, "green")
        c.text(x + 10, 36, t("block") + f" {k}", 12.5, "start", bold=True)
        c.text(x + 10, 218, t("shared"), 11.5, "start")
        for n in range(3):
            c.box(x + 8 + 54 * n, 46, 50, 148, "purple")
            c.text(x + 33 + 54 * n, 64, t("thread"), 11)
            c.text(x + 33 + 54 * n, 78, str(n), 11)
            c.box(x + 13 + 54 * n, 88, 40, 40, "paper", t("regs"), 11)
            c.box(x + 11 + 54 * n, 134, 44, 52, "blue", t("local"), 11, dashed=True)


def wide(c: Canvas, t: Callable[[str], str]) -> None:
    """One load instruction of a lane: 4 bytes, 16 bytes of fp32, 16 bytes of fp16."""
    rows = (("float", 1, "float v = x[i];", 4), ("float4", 4, "float4 v = ...", 4),
            ("8 x __half", 8, "uint4 v = ...", 2))  # fmt: skip
    for k, (name, parts, code, size) in enumerate(rows):
        y = 14 + 66 * k
        c.text(12, y + 12, name, 12.5, "start", mono=True, bold=True)
        c.text(378, y + 12, code, 12, "end", mono=True)
        for n in range(parts):
            c.box(12 + n * size * 14, y + 20, size * 14 - 2, 24, "blue" if n % 2 == 0 else "green")
        c.text(250, y + 37, t("asks").format(bytes=parts * size, warp=32 * parts * size), 12, "start")


def head_tail(c: Canvas, t: Callable[[str], str]) -> None:
    """A row that begins off a 16-byte boundary: head, vectors, tail."""
    start, length = 3, 14
    for k in range(20):
        inside = start <= k < start + length
        head, tail = k < 4, k >= 16
        colour = "paper" if not inside else "orange" if head or tail else "blue"
        c.box(15 + 18 * k, 46, 17, 30, colour, dashed=not inside)
        if k % 4 == 0:
            c.line(((14.5 + 18 * k, 36), (14.5 + 18 * k, 90)), "red", 2)
    c.text(14, 26, t("boundary"), 12, "start")
    c.text(78, 108, t("head"), 12)
    c.text(195, 108, t("vectors"), 12)
    c.text(318, 108, t("tail"), 12)


def in_flight(c: Canvas, t: Callable[[str], str]) -> None:
    """Bytes in flight in an SM against what Little's law asks for, for four ways to load."""
    most = 66.0
    rows = (("one", 2048 * 4 / 1000), ("half", 1024 * 16 / 1000), ("vector", 2048 * 16 / 1000),
            ("four", 1024 * 64 / 1000))  # fmt: skip
    for k, (name, kilobytes) in enumerate(rows):
        y = 12 + 58 * k
        c.text(12, y + 12, t(name), 12, "start")
        c.box(12, y + 19, 306 * kilobytes / most, 22, "green" if kilobytes > NEEDED else "red")
        c.text(378, y + 35, f"{kilobytes:.0f} KB", 12.5, "end", bold=True)
    x = 12 + 306 * NEEDED / most
    for k in range(len(rows)):
        c.line(((x, 28 + 58 * k), (x, 56 + 58 * k)), "blue", 2.5, dashed=True)
    c.text(x - 6, 252, t("needed").format(kilobytes=f"{NEEDED:.0f}"), 12, "start")


def banks(c: Canvas, t: Callable[[str], str]) -> None:
    """A column of a [32][32] and of a [32][33] array: which bank each of 32 lanes needs."""
    for half, width in enumerate((32, 33)):
        y = 14 + 170 * half
        words = [lane * width for lane in range(32)]
        wanted = [sum(w % BANKS == bank for w in words) for bank in range(BANKS)]
        c.text(12, y + 10, f"float tile[32][{width}]", 12.5, "start", mono=True)
        c.text(378, y + 10, t("cycles").format(cycles=max(wanted)), 12.5, "end", bold=True)
        for row in range(4):
            c.text(40, y + 35 + 21 * row, t("row") + f" {row}", 11, "end")
            for bank in range(BANKS):
                word = row * BANKS + bank
                hit = word in words
                colour = ("red" if width == 32 else "green") if hit else "paper"
                c.box(46 + 10.4 * bank, y + 22 + 21 * row, 9.2, 18, colour)
        c.text(46, y + 120, "0", 11, "start")
        c.text(378, y + 120, "31", 11, "end")
        c.text(212, y + 120, t("banks"), 11.5)
        c.text(12, y + 142, t(f"told-{width}"), 11.5, "start", faint=True)


DRAWINGS: dict[str, tuple[float, Callable[[Canvas, Callable[[str], str]], None]]] = {
    "memory-spaces": (278, spaces),
    "wide-loads": (206, wide),
    "head-tail": (122, head_tail),
    "in-flight": (264, in_flight),
    "banks": (342, banks),
}
