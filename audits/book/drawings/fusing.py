"""Chapter 05: operators and their trips to memory, a reduction with its epilogue, what a clock sees, early launches,
digits that cancel."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from audits.book.drawings.canvas import Canvas
from onekernel.numerals import number

X = -5.0  # where chapter 05 looks at GeLU


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


def gelu_ledger(c: Canvas, t: Callable[[str], str]) -> None:
    """GeLU by tanh: what each of eight operators reads and writes, and what one kernel does."""
    c.text(12, 18, t("eight"), 12.5, "start", bold=True)
    c.line(((12, 96), (378, 96)), "blue", 3)
    for k, (name, reads) in enumerate(GELU):
        x = 12 + 46 * k
        c.box(x, 30, 44, 30, "orange", name, 11, mono=True)
        for r in range(reads):
            c.arrow(x + 10 + 12 * r, 93, x + 10 + 12 * r, 63, "blue")
        c.arrow(x + 36, 63, x + 36, 93, "red")
    total = sum(reads for _, reads in GELU)
    c.text(12, 116, t("apart").format(reads=total, writes=len(GELU)), 12, "start")
    c.text(12, 150, t("one"), 12.5, "start", bold=True)
    c.line(((12, 228), (378, 228)), "blue", 3)
    c.box(12, 162, 366, 30, "green", "gelu", 12, mono=True)
    c.arrow(150, 225, 150, 195, "blue")
    c.arrow(240, 195, 240, 225, "red")
    c.text(12, 248, t("together"), 12, "start")


GELU = (("x**3", 1), ("c *", 1), ("x +", 2), ("d *", 1), ("tanh", 1), ("1 +", 1), (".5*x", 1), ("*", 2))


def clock(c: Canvas, t: Callable[[str], str]) -> None:
    """What the CPU's clock sees of kernels that it only launches."""
    c.text(12, 20, "CPU", 12.5, "start", bold=True)
    c.text(12, 84, "GPU", 12.5, "start", bold=True)
    for k in range(4):
        c.box(54 + 26 * k, 32, 24, 26, "orange", "f", 12, mono=True)
        c.box(66 + 76 * k, 94, 74, 30, "blue", "f", 12, mono=True)
    for x, name in ((52, "t0"), (160, "t1")):
        c.line(((x, 26), (x, 138)), "red", 1.6, dashed=True)
        c.text(x, 152, name, 12, mono=True)
    c.text(170, 49, t("seen"), 11.5, "start", faint=True)
    c.line(((371, 90), (371, 138)), "green", 1.6, dashed=True)
    c.text(378, 152, t("done"), 12, "end")
    c.arrow(12, 164, 378, 164, "grey")
    c.text(378, 182, t("time"), 11.5, "end", faint=True)


def compile_path(c: Canvas, t: Callable[[str], str]) -> None:
    """From a Python function to kernels: what each part of torch.compile decides."""
    steps = (("python", "grey"), ("dynamo", "purple"), ("inductor", "orange"), ("triton", "blue"))
    for k, (name, colour) in enumerate(steps):
        c.box(12, 12 + 62 * k, 122, 40, colour, t(name), 12, bold=True)
        c.text(146, 36 + 62 * k, t(f"{name}-does"), 12, "start")
        if k:
            c.arrow(73, 54 + 62 * (k - 1), 73, 10 + 62 * k, "grey")


def graph_break(c: Canvas, t: Callable[[str], str]) -> None:
    """A print in the middle: two graphs, and a trip to memory between them."""
    c.box(12, 26, 132, 44, "orange", t("graph") + " 1", 12.5)
    c.box(152, 26, 86, 44, "grey", "print(...)", 11.5, mono=True, dashed=True)
    c.box(246, 26, 132, 44, "orange", t("graph") + " 2", 12.5)
    c.line(((12, 126), (378, 126)), "blue", 3)
    for x, down in ((40, False), (124, True), (266, False), (350, True)):
        first, last = ((73, 122) if down else (122, 73))
        c.arrow(x, first, x, last, "red" if down else "blue")
    c.text(195, 100, t("trip"), 11.5)
    c.text(12, 146, t("memory"), 12, "start", faint=True)


def recompute(c: Canvas, t: Callable[[str], str]) -> None:
    """f of a column: once for each element in one kernel, once for each column in two."""
    for k, name in enumerate(("one", "two")):
        x = 12 + 196 * k
        c.text(x, 20, t(name), 12.5, "start", bold=True)
        colour, does = (("red", "f"), ("blue", "w*f"))[k]
        for row in range(4):
            for col in range(4):
                c.box(x + 42 * col, 76 + 32 * row, 38, 28, colour, does, 11.5, mono=True)
        if k:
            for col in range(4):
                c.box(x + 42 * col, 32, 38, 28, "orange", "f", 11.5, mono=True)
                c.arrow(x + 42 * col + 19, 61, x + 42 * col + 19, 75, "orange")
    c.text(12, 224, t("sixteen"), 12, "start")
    c.text(208, 224, t("four"), 12, "start")


def cancellation(c: Canvas, t: Callable[[str], str]) -> None:
    """1 + tanh(u) at x = -5 on the grid that fp32 leaves it, and the logistic function on its own."""
    u = math.sqrt(2 / math.pi) * (X + 0.044715 * X**3)
    step = 2.0**-24  # between neighbours in fp32 just above -1
    logistic = 1 / (1 + math.exp(-2 * u))
    right, finer = 2 * logistic / step, step / (2 * float(np.spacing(np.float32(logistic))))
    left, apart = 24.0, 112.0
    c.text(12, 20, t("tanh"), 12.5, "start", bold=True)
    c.line(((left, 70), (378, 70)), "grey")
    for k in range(4):
        c.line(((left + apart * k, 62), (left + apart * k, 78)), "blue", 2.5)
        c.text(left + apart * k, 96, str(k), 12)
    c.dot(left + apart * right, 70, 5, "green")
    c.text(left + apart * right, 48, t("right").format(steps=number(right, ".2f", c.lang)), 12)
    c.text(12, 118, t("steps"), 11.5, "start", faint=True)
    c.text(12, 152, t("logistic"), 12.5, "start", bold=True)
    c.line(((left, 186), (378, 186)), "grey")
    for k in range(113):
        c.line(((left + 3 * k, 181), (left + 3 * k, 191)), "blue", 1)
    c.dot(left + apart * right, 186, 5, "green")
    c.text(12, 216, t("finer").format(times=number(finer / 1e6, ".1f", c.lang)), 12, "start")


DRAWINGS: dict[str, tuple[float, Callable[[Canvas, Callable[[str], str]], None]]] = {
    "gelu-ledger": (258, gelu_ledger),
    "recompute": (236, recompute),
    "clock": (190, clock),
    "compile-path": (250, compile_path),
    "graph-break": (156, graph_break),
    "epilogue": (352, epilogue),
    "early-launch": (274, early_launch),
    "cancellation": (228, cancellation),
}
