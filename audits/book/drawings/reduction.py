"""Many values become one: the tree, the butterfly, two stages; and maximum and sum joined in any order."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from audits.book.drawings.canvas import Canvas
from onekernel.numerals import number

VALUES = (3, 1, 4, 1, 5, 9, 2, 6)


def tree(c: Canvas, t: Callable[[str], str]) -> None:
    """Eight values, half of the threads at each level; thread t adds t + half."""
    level, half, y = list(VALUES), 4, 28.0
    c.text(12, 16, t("values"), 12, "start", faint=True)
    while True:
        for k, value in enumerate(level):
            c.box(20 + 44 * k, y, 36, 26, "blue" if len(level) > 1 else "green", str(value), mono=True)
        if len(level) == 1:
            break
        for k in range(half):
            c.arrow(38 + 44 * k, y + 28, 38 + 44 * k, y + 54, "grey")
            c.arrow(38 + 44 * (k + half), y + 28, 46 + 44 * k, y + 54, "orange")
        c.text(378, y + 50, f"half = {half}", 12, "end", mono=True)
        level = [level[k] + level[k + half] for k in range(half)]
        half, y = half // 2, y + 58
    c.text(72, y + 17, t("after"), 12, "start")


def butterfly(c: Canvas, t: Callable[[str], str]) -> None:
    """Lanes exchange with the lane whose number differs in one bit; all of them end with the sum."""
    values, y, step = list(VALUES), 40.0, 4
    c.text(12, 16, t("lane"), 11.5, "start", faint=True)
    for k in range(8):
        c.text(38 + 44 * k, 32, str(k), 11.5, faint=True, mono=True)
    while True:
        for k, value in enumerate(values):
            c.box(20 + 44 * k, y, 36, 26, "blue" if step else "green", str(value), mono=True)
        if not step:
            break
        for k in range(8):
            c.arrow(38 + 44 * (k ^ step), y + 28, 38 + 44 * k, y + 60, "orange")
        values = [values[k] + values[k ^ step] for k in range(8)]
        y, step = y + 64, step // 2
    c.text(12, y + 46, t("under"), 12, "start", faint=True)


def two_stages(c: Canvas, t: Callable[[str], str]) -> None:
    """Warps reduce themselves, their results meet in shared memory, a warp reduces those."""
    for k in range(4):
        x = 12 + 93 * k
        c.box(x, 28, 87, 34, "blue", t("warp") + f" {k}")
        c.arrow(x + 43, 64, x + 43, 88, "orange")
        c.box(x + 20, 92, 46, 26, "orange", "Σ", 13)
        c.arrow(x + 43, 120, 162 + 30 * k, 158, "grey")
        c.box(149 + 30 * k, 162, 27, 26, "green")
    c.text(12, 18, t("first"), 12, "start")
    c.text(12, 180, t("shared"), 12, "start")
    c.line(((12, 200), (378, 200)), "red", 2.5)
    c.text(378, 216, "__syncthreads()", 12, "end", mono=True)
    c.arrow(195, 190, 195, 226, "grey")
    c.box(150, 230, 90, 30, "orange", t("warp") + " 0")
    c.arrow(242, 245, 276, 245, "grey")
    c.box(280, 230, 46, 30, "green", "Σ", 13)
    c.text(12, 249, t("second"), 12, "start")


def exp(x: np.float32) -> np.float32:
    """exp rounded to fp32 from fp64: the same bits on every machine, which a library's own does not promise."""
    return np.float32(math.exp(float(x)))


def part(values: np.ndarray) -> tuple[np.float32, np.float32]:
    """Maximum and sum of exp(x - max), in fp32, added from left to right."""
    m = np.float32(values.max())
    total = np.float32(0)
    for v in values:
        total = np.float32(total + exp(np.float32(v - m)))
    return m, total


def join(a: tuple[np.float32, np.float32], b: tuple[np.float32, np.float32]) -> tuple[np.float32, np.float32]:
    """The state of both parts together, each product and each exponential rounded to fp32."""
    m = max(a[0], b[0])
    left, right = (np.float32(s * exp(np.float32(top - m))) for top, s in (a, b))
    return m, np.float32(left + right)


def online(c: Canvas, t: Callable[[str], str]) -> None:
    """Two parts of a row and their states; the joined one."""
    left, right = np.array([1, 3], np.float32), np.array([2, 5, 4], np.float32)
    a, b = part(left), part(right)
    both = join(a, b)
    for x, values, (m, s), name, colour in ((12, left, a, "A", "blue"), (204, right, b, "B", "orange")):
        for k, v in enumerate(values):
            c.box(x + 56 * k, 24, 52, 28, colour, f"{v:.0f}", 13, mono=True)
        c.text(x, 16, t("part") + f" {name}", 12, "start")
        c.arrow(x + 84, 54, x + 84, 74, "grey")
        c.box(x, 78, 172, 44, colour, f"m = {m:.0f}\ns = {number(float(s), '.4f', c.lang)}", 12.5, mono=True)
    c.arrow(98, 124, 150, 152, "blue")
    c.arrow(290, 124, 240, 152, "orange")
    c.text(14, 148, f"s × e^({a[0]:.0f} - {both[0]:.0f})", 12, "start", mono=True)
    c.text(376, 148, f"s × e^({b[0]:.0f} - {both[0]:.0f})", 12, "end", mono=True)
    joined = f"m = {both[0]:.0f}\ns = {number(float(both[1]), '.4f', c.lang)}"
    c.box(109, 156, 172, 44, "green", joined, 12.5, mono=True)
    c.text(195, 222, t("same"), 12)


def grouping(c: Canvas, t: Callable[[str], str]) -> None:
    """Three parts joined in two groupings: the same number, other bits."""
    parts = differing_parts()
    first = join(join(parts[0], parts[1]), parts[2])[1]
    second = join(parts[0], join(parts[1], parts[2]))[1]
    for y, name, value, pairs in ((14, "(A ⊕ B) ⊕ C", first, 0), (150, "A ⊕ (B ⊕ C)", second, 1)):
        c.text(12, y + 12, name, 13, "start", mono=True)
        for k, letter in enumerate("ABC"):
            c.box(20 + 64 * k, y + 22, 44, 26, ("blue", "orange", "purple")[k], letter, mono=True)
        inner = 74 + 64 * pairs
        c.line(((42 + 64 * pairs, y + 50), (inner, y + 68)), "grey")
        c.line(((106 + 64 * pairs, y + 50), (inner, y + 68)), "grey")
        other = 170 if pairs == 0 else 42
        c.dot(inner, y + 68, 5, "green")
        c.line(((inner, y + 68), (106, y + 94)), "grey")
        c.line(((other, y + 50), (106, y + 94)), "grey")
        c.dot(106, y + 94, 6, "green")
        c.text(122, y + 102, f"s = {number(float(value), '.9g', c.lang)}", 12.5, "start", mono=True)
        c.text(378, y + 56, f"0x{value.view(np.uint32):08x}", 12.5, "end", mono=True)
    c.text(12, 284, t("exact"), 12, "start", faint=True)


def differing_parts() -> list[tuple[np.float32, np.float32]]:
    """Three parts of a row of normally distributed numbers whose two groupings differ: the first such seed."""
    for seed in range(100):
        row = np.random.default_rng(seed).standard_normal(96).astype(np.float32)
        parts = [part(piece) for piece in np.split(row, 3)]
        if join(join(parts[0], parts[1]), parts[2])[1] != join(parts[0], join(parts[1], parts[2]))[1]:
            return parts
    raise ValueError("no seed of 100 tells the groupings apart")


DRAWINGS: dict[str, tuple[float, Callable[[Canvas, Callable[[str], str]], None]]] = {
    "tree": (238, tree),
    "butterfly": (290, butterfly),
    "two-stages": (270, two_stages),
    "online-join": (234, online),
    "grouping": (296, grouping),
}
