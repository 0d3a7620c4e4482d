"""Chapter 01, second half: what a warp does at a branch, at a load, while it waits, at a barrier; a loop unrolled."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from audits.book.drawings.canvas import Canvas
from onekernel.counts import SECTOR_BYTES

LANES = 32


def branch(c: Canvas, t: Callable[[str], str]) -> None:
    """Time downwards, lanes across: both sides of an if, one after the other."""
    steps = (("if (lane < 12)", range(LANES), "grey"), ("  a();", range(12), "blue"), ("else", None, ""),
             ("  b();", range(12, LANES), "orange"), (t("after"), range(LANES), "grey"))  # fmt: skip
    for k, (code, active, colour) in enumerate(steps):
        y = 34 + 34 * k
        c.text(8, y + 17, code, 12, "start", mono=True)
        for lane in range(LANES):
            if active is not None:
                on = lane in active
                c.box(124 + 8.1 * lane, y, 7.2, 26, colour if on else "paper", dashed=not on)
    c.text(124, 22, "0", 11, "start")
    c.text(381, 22, "31", 11, "end")
    c.text(252, 22, t("lanes"), 12)
    c.text(12, 222, t("under"), 12, "start", faint=True)


def sectors_of(addresses: Sequence[int]) -> list[int]:
    """The sectors of 32 bytes that 4-byte accesses at these bytes touch."""
    return sorted({byte // SECTOR_BYTES for a in addresses for byte in (a, a + 3)})


def sectors(c: Canvas, t: Callable[[str], str]) -> None:
    """Four ways in which 32 lanes read 4 bytes each, and the sectors that this takes."""
    ways: list[tuple[str, str, list[int]]] = [
        ("neighbours", "x[i]", [4 * i for i in range(LANES)]),
        ("shifted", "x[i + 1]", [4 * i + 4 for i in range(LANES)]),
        ("strided", "x[2 * i]", [8 * i for i in range(LANES)]),
        ("same", "x[0]", [0] * LANES),
    ]  # fmt: skip
    for k, (name, code, addresses) in enumerate(ways):
        y = 12 + 72 * k
        touched = sectors_of(addresses)
        c.text(12, y + 12, t(name), 12.5, "start", bold=True)
        c.text(378, y + 12, code, 12.5, "end", mono=True)
        for s in range(8):
            x = 12 + 46 * s
            c.box(x, y + 20, 44, 24, "blue" if s in touched else "paper", dashed=s not in touched)
            for word in range(8):
                if s * SECTOR_BYTES + 4 * word in addresses:
                    c.box(x + 2 + 5.1 * word, y + 24, 4.2, 16, "orange")
        used, moved = len(set(addresses)) * 4, len(touched) * SECTOR_BYTES
        c.text(12, y + 58, t("sum").format(sectors=len(touched), used=used, moved=moved), 11.5, "start", faint=True)


def latency(c: Canvas, t: Callable[[str], str]) -> None:
    """Warps take turns: while one waits for memory, others issue."""
    c.text(12, 18, t("few"), 12.5, "start", bold=True)
    _turns(c, t, 28, 2)
    c.text(12, 138, t("many"), 12.5, "start", bold=True)
    _turns(c, t, 148, 5)


def _turns(c: Canvas, t: Callable[[str], str], y: float, warps: int) -> None:
    """`warps` rows, each computing for one unit and waiting for five, and the scheduler's row below them."""
    unit = 300 / 12
    busy = set()
    for w in range(warps):
        c.text(62, y + 14, t("warp") + f" {w}", 11, "end")
        at = w
        while at < 12:
            c.box(68 + unit * at, y, unit - 1.5, 18, "orange")
            busy.add(at)
            end = min(12, at + 6)
            if end > at + 1:
                told = t("waits") if end > at + 3 else ""
                c.box(68 + unit * (at + 1), y, unit * (end - at - 1) - 1.5, 18, "paper", told, 11, dashed=True)
            at += 6
        y += 22
    c.text(62, y + 18, t("issues"), 11, "end")
    for k in range(12):
        c.box(68 + unit * k, y + 4, unit - 1.5, 18, "green" if k in busy else "red")


def barrier(c: Canvas, t: Callable[[str], str]) -> None:
    """Without a barrier a thread reads its neighbour's word before it is written; with one it cannot."""
    for side, (x, name) in enumerate(((12, "without"), (204, "with"))):
        c.text(x, 20, t(name), 12.5, "start", bold=True)
        for k in range(3):
            c.text(x + 28 + 58 * k, 40, t("warp") + f" {k}", 11.5)
        late = 58
        for k in range(3):
            down = late if k == 1 else 0
            c.box(x + 58 * k, 50 + down, 54, 28, "blue", "a[t] =", 11.5, mono=True)
            read = 88 if side == 0 else 172
            read += down if side == 0 else 0
            c.box(x + 58 * k, read, 56, 28, "orange", "=a[t+1]", 11, mono=True)
    c.line(((200, 158), (380, 158)), "green", 3)
    c.text(378, 150, "__syncthreads()", 11.5, "end", mono=True)
    c.line(((39, 116), (95, 132)), "red", 2.2, arrow=True)
    c.text(12, 196, t("race"), 11.5, "start")
    c.text(204, 222, t("ordered"), 11.5, "start")


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
    "branch": (234, branch),
    "sectors": (302, sectors),
    "latency": (292, latency),
    "barrier": (248, barrier),
    "unrolled": (276, unrolled),
}
