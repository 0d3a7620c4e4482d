"""Chapter 01, first half: the machine, host and device, streams, a launch and its numbers, bounds, rows and strides;
errors, where a compiler notices a slip, and the numbers that fp32 has room for."""

from __future__ import annotations

from collections.abc import Callable

from audits.book.drawings.canvas import Canvas


def machine(c: Canvas, t: Callable[[str], str]) -> None:
    """Grid to SM to memory: where blocks run, and what lies between them and DRAM."""
    c.text(12, 20, t("grid"), 12.5, "start", bold=True)
    for k in range(9):
        c.box(12 + 41 * k, 28, 36, 26, "orange", str(k) if k < 8 else "…", mono=True)
    for k, sm in enumerate((20, 142, 264)):
        c.arrow(30 + 41 * k, 56, sm + 50, 88, "orange")
        c.box(sm, 92, 108, 136, "grey")
        c.text(sm + 54, 108, f"SM {k}" if k < 2 else "SM 131", 12.5, bold=True)
        c.box(sm + 8, 116, 92, 30, "paper", t("warps"), 11)
        c.box(sm + 8, 150, 92, 32, "purple", t("registers"), 11)
        c.box(sm + 8, 186, 92, 36, "green", t("l1"), 11)
        c.arrow(sm + 54, 230, sm + 54, 248, "grey")
    c.text(256, 164, "…", 16)
    c.box(20, 252, 352, 34, "blue", t("l2"))
    c.arrow(196, 288, 196, 304, "grey")
    c.box(20, 308, 352, 34, "blue", t("dram"))
    c.text(195, 360, t("speed"), 11.5, faint=True)


def host(c: Canvas, t: Callable[[str], str]) -> None:
    """What main() does, and when each side works: the launch returns before the kernel has run."""
    c.text(70, 20, t("cpu"), 12.5, bold=True)
    c.text(300, 20, t("gpu"), 12.5, bold=True)
    steps = [("cudaMalloc", "blue", t("room")), ("cudaMemcpy →", "blue", t("copied")), ("kernel<<<…>>>", "orange", ""),
             ("cudaMemcpy ←", "blue", ""), ("cudaFree", "blue", "")]  # fmt: skip
    y = 32.0
    for k, (name, colour, note) in enumerate(steps):
        c.box(12, y, 116, 30, colour, name, 12, mono=True)
        if note:
            c.arrow(130, y + 15, 214, y + 15, "blue")
            c.box(218, y, 160, 30, "blue", note, 12)
        if k == 2:
            c.arrow(130, y + 15, 214, y + 15, "orange")
            c.box(218, y, 160, 66, "orange", t("runs"))
            c.text(70, y + 52, t("on"), 11.5, faint=True)
            y += 42
        if k == 3:
            c.box(12, y + 34, 116, 30, "grey", t("waits"), 12, dashed=True)
            c.arrow(214, y + 49, 132, y + 49, "blue")
            c.box(218, y + 34, 160, 30, "blue", t("back"), 12)
            y += 40
        y += 38


def streams(c: Canvas, t: Callable[[str], str]) -> None:
    """Two queues: order inside each of them, none between them."""
    c.text(12, 20, t("cpu"), 12.5, "start", bold=True)
    for k, (name, colour) in enumerate((("A", "orange"), ("B", "orange"), (t("copy"), "blue"), ("C", "green"))):
        c.box(12 + 58 * k, 28, 54, 26, colour, name, 12)
    c.text(378, 46, t("on"), 11.5, "end", faint=True)
    c.text(12, 86, t("one"), 12.5, "start", bold=True)
    c.box(44, 94, 130, 32, "orange", t("kernel") + " A")
    c.box(178, 94, 100, 32, "orange", t("kernel") + " B")
    c.box(282, 94, 96, 32, "blue", t("copy"))
    c.text(12, 154, t("other"), 12.5, "start", bold=True)
    c.box(84, 162, 130, 32, "green")
    c.text(92, 182, t("kernel") + " C", 12.5, "start")  # clear of the line
    c.arrow(12, 214, 378, 214, "grey")
    c.text(378, 232, t("time"), 12, "end", faint=True)
    c.line(((176, 90), (176, 206)), "grey", 1.4, dashed=True)
    c.text(12, 232, t("late"), 11.5, "start", faint=True)


def numbers(c: Canvas, t: Callable[[str], str]) -> None:
    """Each thread's number: blockIdx.x * blockDim.x + threadIdx.x."""
    c.text(12, 20, "blockDim.x = 4, gridDim.x = 3", 12, "start", mono=True)
    for block in range(3):
        x = 12 + 124 * block
        c.box(x, 32, 118, 112, "grey")
        c.text(x + 59, 50, f"blockIdx.x = {block}", 12, mono=True)
        for thread in range(4):
            mine = block == 2 and thread == 1
            c.box(x + 5 + 27 * thread, 62, 26, 26, "orange" if mine else "paper", str(thread), mono=True)
            c.box(x + 5 + 27 * thread, 106, 26, 26, "orange" if mine else "blue", str(4 * block + thread), mono=True)
            c.arrow(x + 18 + 27 * thread, 90, x + 18 + 27 * thread, 104, "grey")
    c.text(12, 166, t("thread"), 12, "start", faint=True)
    c.text(12, 186, "i = 2 * 4 + 1 = 9", 13.5, "start", mono=True)


def bounds(c: Canvas, t: Callable[[str], str]) -> None:
    """The last block sticks out past the work."""
    n, per, blocks = 1000, 256, 4
    wide = 352 / (per * blocks)
    for b in range(blocks):
        c.box(18 + b * per * wide, 40, per * wide - 2, 34, "orange", t("block") + f" {b}", 12)
    c.box(18, 96, n * wide, 34, "blue", t("elements"), 12)
    edge = 18 + n * wide
    c.line(((edge, 28), (edge, 134)), "red", 2, dashed=True)
    c.text(edge - 4, 24, "n = 1000", 12, "end", mono=True)
    c.text(372, 148, t("idle"), 12, "end")
    c.text(18, 172, "if (i < n) ...", 13, "start", mono=True)
    c.text(372, 172, t("guard"), 12, "end", faint=True)


def plane(c: Canvas, t: Callable[[str], str]) -> None:
    """Two-dimensional blocks over a matrix: row from y, column from x."""
    c.arrow(40, 22, 250, 22, "grey")
    c.text(258, 26, "x →  " + t("columns"), 12, "start")
    c.arrow(22, 40, 22, 218, "grey")
    c.text(8, 238, "y ↓  " + t("rows"), 12, "start")
    for by in range(2):
        for bx in range(2):
            for ty in range(3):
                for tx in range(4):
                    mine = (bx, by, tx, ty) == (1, 1, 2, 0)
                    colour = "orange" if mine else ("blue", "green")[(bx + by) % 2]
                    c.box(40 + (bx * 4 + tx) * 28, 36 + (by * 3 + ty) * 29, 26, 27, colour)
    c.text(276, 66, "blockDim", 12, "start", mono=True)
    c.text(276, 83, "= (4, 3)", 12, "start", mono=True)
    c.text(276, 118, "blockIdx", 12, "start", mono=True)
    c.text(276, 135, "= (1, 1)", 12, "start", mono=True)
    c.text(276, 160, "threadIdx", 12, "start", mono=True)
    c.text(276, 177, "= (2, 0)", 12, "start", mono=True)
    c.text(12, 264, "col = 1 * 4 + 2 = 6", 13, "start", mono=True)
    c.text(12, 284, "row = 1 * 3 + 0 = 3", 13, "start", mono=True)


def strides(c: Canvas, t: Callable[[str], str]) -> None:
    """A slice of a matrix in memory: rows of 6 elements, 8 apart."""
    c.text(12, 20, "cols = 6, row_stride = 8", 12.5, "start", mono=True)
    for r in range(3):
        c.text(40, 50 + 32 * r, t("row") + f" {r}", 12, "end")
        for k in range(8):
            hit = (r, k) == (1, 2)
            colour = "orange" if hit else "blue" if k < 6 else "paper"
            c.box(48 + 40 * k, 32 + 32 * r, 36, 26, colour, str(8 * r + k), 12, mono=True, dashed=k >= 6)
    c.text(12, 152, t("line"), 12, "start")
    for k in range(24):
        hit = k == 10
        c.box(12 + 15.2 * k, 162, 14, 24, "orange" if hit else "blue" if k % 8 < 6 else "paper", dashed=k % 8 >= 6)
    c.text(12, 208, "(1, 2)  →  1 * 8 + 2 = 10", 13, "start", mono=True)
    c.text(378, 208, t("gap"), 11.5, "end", faint=True)


LOWEST, HIGHEST = -103, 88  # x beyond which exp(x) in fp32 is 0, and inf


def exp_range(c: Canvas, t: Callable[[str], str]) -> None:
    """Where fp32 has room for exp(x), and what subtracting the largest element does to a row."""
    zero, one = 195 + 1.4 * LOWEST, 195 + 1.4 * HIGHEST
    c.box(12, 30, zero - 12, 30, "grey", "0", 12, mono=True)
    c.box(zero, 30, one - zero, 30, "green", t("finite"), 12)
    c.box(one, 30, 378 - one, 30, "red", "inf", 12, mono=True)
    c.text(12, 20, t("of"), 12, "start", bold=True)
    for x in (LOWEST, 0, HIGHEST):
        c.line(((195 + 1.4 * x, 62), (195 + 1.4 * x, 68)), "grey")
        c.text(195 + 1.4 * x, 82, str(x), 11.5, mono=True)
    row = (95, 110, 122)
    for y, moved, name in ((112, 0, "before"), (158, max(row), "after")):
        c.text(12, y + 5, t(name), 12, "start", mono=True)
        c.line(((70, y), (378, y)), "grey", 1)
        for x in row:
            c.dot(195 + 1.4 * (x - moved), y, 5, "orange")
    c.text(12, 190, t("so"), 12, "start", faint=True)


def error_times(c: Canvas, t: Callable[[str], str]) -> None:
    """When each of two kinds of error is learnt of: at once, or from a later call."""
    for k, kind in enumerate(("refused", "failed")):
        y = 20 + 112 * k
        c.text(12, y, t(kind), 12.5, "start", bold=True)
        c.box(12, y + 10, 90, 28, "orange", "<<<...>>>", 12, mono=True)
        c.box(110, y + 10, 112, 28, "red" if kind == "refused" else "green", t(f"{kind}-asked"), 11.5)
        c.box(230, y + 10, 148, 28, "grey" if kind == "refused" else "red", t(f"{kind}-copy"), 11.5)
        if kind == "failed":
            c.box(110, y + 46, 150, 26, "blue", t("runs"), 11.5)
            c.arrow(262, y + 59, 300, y + 42, "red")
        else:
            c.text(110, y + 62, t("nothing"), 11.5, "start", faint=True)
        c.arrow(12, y + 82, 378, y + 82, "grey")
    c.text(378, 230, t("time"), 11.5, "end", faint=True)


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


DRAWINGS: dict[str, tuple[float, Callable[[Canvas, Callable[[str], str]], None]]] = {
    "machine": (370, machine),
    "host-device": (300, host),
    "streams": (244, streams),
    "error-times": (240, error_times),
    "exp-range": (200, exp_range),
    "thread-numbers": (198, numbers),
    "bounds": (184, bounds),
    "plane": (296, plane),
    "row-stride": (220, strides),
    "compile-slip": (214, compile_slip),
}
