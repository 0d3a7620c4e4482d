"""Chapter 06: tile in tile in tile, a tile in registers, a swizzled tile's banks, an mma's fragments, a split sum."""

from __future__ import annotations

from collections.abc import Callable

from audits.book.drawings.canvas import Canvas
from onekernel.numerals import number

LANE = 13  # the one whose elements are shown
ROW_BYTES, PIECE_BYTES, BANKS_BYTES = 128, 16, 128  # of a tile of 64 elements of 16 bits


def elements(lane: int) -> dict[str, list[tuple[int, int]]]:
    """What a lane holds of A (16 x 16), B (16 x 8) and D (16 x 8) in mma.m16n8k16, by (row, column): PTX ISA 9.7.14."""
    group, quad = divmod(lane, 4)
    pairs = [2 * quad, 2 * quad + 1, 2 * quad + 8, 2 * quad + 9]
    return {
        "a": [(row, p) for p in pairs for row in (group, group + 8)],
        "b": [(p, group) for p in pairs],
        "d": [(row, p) for row in (group, group + 8) for p in pairs[:2]],
    }


def gemm_tiles(c: Canvas, t: Callable[[str], str]) -> None:
    """C in blocks, a block in warps, a warp in threads: each level's part, enlarged beside it."""
    levels = ((12, 4, 4, "blue", "block"), (140, 4, 2, "orange", "warp"), (268, 4, 8, "green", "thread"))
    side, high = 110.0, 110.0
    for k, (left, rows, cols, colour, name) in enumerate(levels):
        c.text(left + side / 2, 20, t(f"of-{name}"), 12)
        for row in range(rows):
            for col in range(cols):
                mine = (row, col) == (1, 1)
                fill = colour if mine else "paper"
                c.box(left + side / cols * col, 30 + high / rows * row, side / cols - 2, high / rows - 2, fill)
        c.text(left + side / 2, 160, t(name), 12, bold=True)
        c.text(left + side / 2, 178, t(f"{name}-size"), 11.5, mono=True)
        if k < 2:
            c.arrow(left + side * 2 / cols - 1, 30 + high * 1.5 / rows, left + 127, 85, colour)
    c.text(12, 206, t("under"), 11.5, "start", faint=True)


def fragments(c: Canvas, t: Callable[[str], str]) -> None:
    """One lane's elements in A, B and D, where a row and a column of the product meet."""
    held, cell = elements(LANE), 10.0
    places = {
        "a": (40.0, 220.0, 16, 16, "blue"),
        "b": (240.0, 40.0, 16, 8, "orange"),
        "d": (240.0, 220.0, 16, 8, "green"),
    }
    for name, (left, top, rows, cols, colour) in places.items():
        for row in range(rows):
            for col in range(cols):
                mine = (row, col) in held[name]
                c.box(left + cell * col, top + cell * row, cell - 1, cell - 1, colour if mine else "paper")
        c.text(left, top - 8, t(name), 12, "start")
    c.text(12, 20, t("lane").format(lane=LANE), 12.5, "start", bold=True)
    c.text(40, 120, t("pairs"), 11.5, "start", faint=True)
    c.text(12, 400, t("under"), 11.5, "start", faint=True)


def bank_of(row: int, piece: int, swizzled: bool) -> int:
    """The group of four banks in which a piece of 16 bytes lies, in a tile whose rows have 128 bytes."""
    at = piece ^ row % 8 if swizzled else piece
    return (row * ROW_BYTES + at * PIECE_BYTES) % BANKS_BYTES // PIECE_BYTES


def swizzle(c: Canvas, t: Callable[[str], str]) -> None:
    """Where the eight pieces of one column lie: all in the same banks, or each in its own."""
    for k, swizzled in enumerate((False, True)):
        left = 34 + 186 * k
        c.text(left, 20, t("swizzled" if swizzled else "plain"), 12.5, "start", bold=True)
        for row in range(8):
            if k == 0:
                c.text(28, 46 + 22 * row, str(row), 11, "end", faint=True)
            for group in range(8):
                mine = bank_of(row, 2, swizzled) == group
                colour = ("green" if swizzled else "red") if mine else "paper"
                c.box(left + 20 * group, 32 + 22 * row, 18, 20, colour)
        waves = max([bank_of(row, 2, swizzled) for row in range(8)].count(g) for g in range(8))
        c.text(left, 228, t("waves").format(waves=waves), 12, "start")
    c.text(12, 252, t("under"), 11.5, "start", faint=True)


def register_tile(c: Canvas, t: Callable[[str], str]) -> None:
    """One step of k in one thread, for three sizes of its tile: the words that it reads, the FMAs that it does."""
    cell = 11.0
    for k, (rows, cols) in enumerate(((1, 1), (8, 1), (8, 8))):
        left, top = (54.5, 148.5, 246.0)[k], 62.0
        c.text(left + cell * cols / 2, 20, f"{rows} x {cols}", 13, bold=True)
        for col in range(cols):
            c.box(left + cell * col, top - cell - 6, cell - 1, cell - 1, "orange")
        for row in range(rows):
            c.box(left - cell - 6, top + cell * row, cell - 1, cell - 1, "blue")
            for col in range(cols):
                c.box(left + cell * col, top + cell * row, cell - 1, cell - 1, "green")
        words, fmas = rows + cols, rows * cols
        x = left + cell * cols / 2
        c.text(x, 172, t("words").format(words=words), 12)
        c.text(x, 190, t("fmas").format(fmas=fmas), 12)
        c.text(x, 212, number(words / fmas, ".4g", c.lang), 13, bold=True, mono=True)
    for k, (colour, name) in enumerate((("blue", "a"), ("orange", "b"), ("green", "sums"))):
        c.box((12, 122, 232)[k], 232, 14, 14, colour)
        c.text((32, 142, 252)[k], 244, t(name), 12, "start")
    c.text(12, 268, t("under"), 11.5, "start", faint=True)


def split_k(c: Canvas, t: Callable[[str], str]) -> None:
    """One tile of C and a long k: four blocks take a part of the sum each, and the parts are added."""
    colours = ("blue", "orange", "purple", "red")
    c.text(12, 20, t("strips"), 12.5, "start", bold=True)
    for k in range(8):
        c.box(12 + 20 * k, 96, 18, 30, colours[k // 2])
        c.box(192, 34 + 20 * k, 30, 18, colours[k // 2])
    c.text(12, 90, "A", 13, "start", bold=True)
    c.text(207, 28, "B", 13, bold=True)
    for part, colour in enumerate(colours):
        y = 34 + 40 * part
        c.arrow(226, y + 20, 262, y + 20, colour)
        c.box(266, y + 3, 112, 32, colour, t("partial").format(part=part), 12)
    c.line(((322, 190), (322, 216)), "grey", 1.6, arrow=True)
    c.text(310, 208, t("add"), 12, "end")
    c.box(266, 220, 112, 32, "green", t("tile"), 12)
    c.text(12, 160, t("one"), 12, "start")
    c.text(12, 276, t("under"), 11.5, "start", faint=True)


DRAWINGS = {
    "gemm-tiles": (220, gemm_tiles),
    "fragments": (414, fragments),
    "swizzle": (266, swizzle),
    "register-tile": (280, register_tile),
    "split-k": (288, split_k),
}
