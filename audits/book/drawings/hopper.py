"""Hopper, a page each: a tile beyond its matrix, a barrier's counts, a descriptor's bits, a pipeline with a producer,
blocks that stay, a copy for two blocks."""

from __future__ import annotations

from collections.abc import Callable

from audits.book.drawings.canvas import Canvas

ROWS, COLS, TILE = 150, 100, (64, 32)  # the matrix of 1_tensor_map.cu, and its tile
BITS = 64
# Of a wgmma descriptor: first bit, bits, colour, its word. PTX ISA, "Matrix descriptor format".
FIELDS = (
    (0, 14, "blue", "address"), (16, 14, "grey", "leading"), (32, 14, "green", "group"), (62, 2, "orange", "swizzle"),
)  # fmt: skip
TILE_BYTES = 8192
# What happens to a barrier of one arrival, and what it counts then: arrivals and bytes to come, phase.
EVENTS = (
    ("init", 1, 0, 0), ("expect", 0, TILE_BYTES, 0), ("half", 0, TILE_BYTES // 2, 0), ("rest", 1, 0, 1),
)  # fmt: skip


def inside(row: int, col: int) -> tuple[int, int]:
    """Rows and columns of a tile, its first element at (row, col), that lie in the matrix."""
    return max(0, min(TILE[0], ROWS - row)), max(0, min(TILE[1], COLS - col))


def tensor_map(c: Canvas, t: Callable[[str], str]) -> None:
    """The matrix, the tiles over it, and what arrives of the last one."""
    scale, left, top = 1.05, 12.0, 46.0
    c.text(left, 20, t("matrix"), 12, "start", bold=True)
    c.text(left, 36, f"{ROWS} x {COLS}", 11.5, "start", mono=True)
    c.box(left, top, COLS * scale, ROWS * scale, "blue")
    down, across = -(-ROWS // TILE[0]), -(-COLS // TILE[1])
    for row in range(down + 1):
        y = top + row * TILE[0] * scale
        c.line(((left, y), (left + across * TILE[1] * scale, y)), "grey", 1, dashed=True)
    for col in range(across + 1):
        x = left + col * TILE[1] * scale
        c.line(((x, top), (x, top + down * TILE[0] * scale)), "grey", 1, dashed=True)
    row, col = (down - 1) * TILE[0], (across - 1) * TILE[1]
    x, y = left + col * scale, top + row * scale
    right, bottom = x + TILE[1] * scale, y + TILE[0] * scale
    c.line(((x, y), (right, y), (right, bottom), (x, bottom), (x, y)), "orange", 2.4)
    c.box(164, 70, 84, 46, "grey", t("thread"), 11.5)
    c.text(206, 134, f"({row}, {col})", 12, mono=True)
    c.arrow(206, 142, 206, 160, "grey")
    c.box(164, 164, 84, 34, "orange", "TMA", 13, bold=True)
    c.arrow(right + 4, 190, 161, 182, "blue")
    c.arrow(250, 182, 278, 166, "blue")
    c.text(378, 36, t("shared"), 12, "end", bold=True)
    seen_rows, seen_cols = inside(row, col)
    c.box(284, 46, TILE[1] * 2.8, TILE[0] * 2.8, "paper", t("zeros"), 12)
    c.box(284, 46, seen_cols * 2.8, seen_rows * 2.8, "blue")
    c.text(12, 268, t("under"), 11.5, "start", faint=True)


def mbarrier(c: Canvas, t: Callable[[str], str]) -> None:
    """A barrier's counts, event after event, and which waits go on."""
    for x, name in ((206, "arrivals"), (278, "bytes"), (350, "phase")):
        c.text(x, 22, t(name), 12, bold=True)
    for k, (name, arrivals, bytes_, phase) in enumerate(EVENTS):
        y = 36 + 40 * k
        c.text(12, y + 19, t(name), 12, "start")
        for x, value in ((206, arrivals), (278, bytes_), (350, phase)):
            colour = "green" if x == 350 and phase else "blue" if x == 350 else "paper" if value else "grey"
            c.box(x - 32, y, 64, 30, colour, str(value), 12.5, mono=True)
        if k:
            c.arrow(350, y - 9, 350, y - 1, "grey")
    c.text(12, 214, t("even"), 12, "start")
    c.text(12, 234, t("odd"), 12, "start")
    c.text(12, 256, t("under"), 11.5, "start", faint=True)


def descriptor(c: Canvas, t: Callable[[str], str]) -> None:
    """The 64 bits, and the tile that they describe: rows of 128 bytes in groups of eight, four steps along k."""
    left, wide = 12.0, 366.0 / BITS
    c.text(left, 20, t("bits"), 12, "start", bold=True)
    c.box(left, 30, wide * BITS, 26, "paper")
    for first, count, colour, name in FIELDS:
        x = left + wide * (BITS - first - count)  # the highest bit on the left
        c.box(x, 30, wide * count, 26, colour)
        at, side = (x + wide * count / 2, "middle") if count > 2 else (left, "start")
        c.text(at, 72, f"{first + count - 1}-{first}", 11, side, mono=True)
        c.text(at, 87, t(name), 11, side)
    cell, top, x0 = 12.0, 120.0, 60.0
    c.text(x0, 112, t("tile"), 12, "start", bold=True)
    for row in range(8):
        for piece in range(8):
            step = (piece ^ row) // 2  # of the piece of the row that lies here
            c.box(x0 + cell * 2 * piece, top + cell * row, cell * 2 - 1, cell - 1, "blue" if step == 1 else "paper")
    y = top + 8 * cell + 6
    for group in (1, 2):
        c.box(x0, y, cell * 16 - 1, 16, "green", t("next") if group == 1 else t("after"), 11)
        y += 20
    c.arrow(x0 - 10, top + 4, x0 - 10, top + 8 * cell + 12, "green")
    c.text(x0 - 16, top + 52, "1024", 11, "end", mono=True)
    c.text(264, 136, t("step"), 12, "start")
    c.text(264, 186, t("swizzled"), 12, "start")
    c.text(12, 284, t("under"), 11.5, "start", faint=True)


def producer(c: Canvas, t: Callable[[str], str]) -> None:
    """A ring of three buffers in time: one asks for tiles, two multiply; full and empty barriers between."""
    c.text(12, 20, t("time"), 12, "start", faint=True)
    c.arrow(60, 16, 376, 16, "grey")
    c.text(12, 52, t("producer"), 12, "start", bold=True)
    c.text(12, 112, t("first"), 12, "start", bold=True)
    c.text(12, 162, t("second"), 12, "start", bold=True)
    start, load, multiply = 104.0, 28.0, 46.0
    for tile in range(5):
        asked = start + (load + 4) * tile if tile < 3 else start + 52 + multiply * (tile - 2)
        begins = start + 44 + multiply * tile
        c.box(asked, 36, load, 24, "blue", str(tile), 12)
        for top in (96, 146):
            c.box(begins, top, multiply - 4, 24, "green" if tile % 2 else "orange", str(tile), 12)
        if tile < 3:
            c.arrow(asked + load, 62, begins + 3, 94, "blue")
        else:
            c.arrow(start + 44 + multiply * (tile - 2) - 4, 94, asked + 4, 62, "grey", dashed=True)
    c.line(((112, 200), (136, 200)), "blue", 1.6, arrow=True)
    c.text(142, 204, t("full"), 12, "start")
    c.line(((112, 222), (136, 222)), "grey", 1.6, dashed=True, arrow=True)
    c.text(142, 226, t("empty"), 12, "start")
    c.text(12, 252, t("under"), 11.5, "start", faint=True)


def persistent(c: Canvas, t: Callable[[str], str]) -> None:
    """One place of a multiprocessor in time: a block for each tile, and a block that stays."""
    load, work = 52.0, 58.0
    c.text(12, 20, t("each"), 12.5, "start", bold=True)
    c.text(12, 130, t("stays"), 12.5, "start", bold=True)
    x = 12.0
    for tile in range(3):
        c.box(x, 32, load, 24, "blue", str(tile), 12)
        c.box(x + load + 2, 60, work, 24, "orange", str(tile), 12)
        if tile < 2:
            c.line(((x + load + work + 5, 28), (x + load + work + 5, 90)), "red", 2)
        x += load + work + 10
    ends = 12 + load + 2
    for tile in range(5):
        begins = 12 if tile == 0 else ends + (work + 4) * (tile - 1)
        c.box(begins, 142, load, 24, "blue", str(tile), 12)
        c.box(ends + (work + 4) * tile, 170, work, 24, "orange", str(tile), 12)
    for k, (colour, name) in enumerate((("blue", "way"), ("orange", "work"))):
        c.box(12 + 130 * k, 210, 14, 14, colour)
        c.text(32 + 130 * k, 222, t(name), 12, "start")
    c.line(((279, 208), (279, 226)), "red", 2)
    c.text(288, 222, t("ends"), 12, "start")
    c.text(12, 108, t("empty"), 11.5, "start", faint=True)
    c.text(12, 246, t("under"), 11.5, "start", faint=True)


def multicast(c: Canvas, t: Callable[[str], str]) -> None:
    """The halves of a tile from L2 into two blocks: each block asking for both, and each for one, for both blocks."""
    for k, name in enumerate(("alone", "shared")):
        left = 12.0 + 194 * k
        c.text(left, 20, t(name), 12.5, "start", bold=True)
        c.text(left, 42, "L2", 12, "start")
        for half, colour in enumerate(("blue", "orange")):
            c.box(left + 30 + 72 * half, 30, 60, 26, colour, t("half").format(half=half), 11.5)
        for block in range(2):
            x = left + 86 * block
            c.box(x, 128, 78, 74, "grey")
            c.text(x + 39, 218, t("block").format(block=block), 12)
            for half, colour in enumerate(("blue", "orange")):
                c.box(x + 6, 134 + 34 * half, 66, 28, colour, t("half").format(half=half), 11.5)
            for half, colour in enumerate(("blue", "orange")):
                start = left + 60 + 72 * half
                if k == 0:
                    c.arrow(start + 12 * block - 6, 58, x + 26 + 26 * half, 126, colour)
                else:
                    c.arrow(start, 92, x + 26 + 26 * half, 126, colour)
        if k == 1:
            for half, colour in enumerate(("blue", "orange")):
                c.line(((left + 60 + 72 * half, 58), (left + 60 + 72 * half, 92)), colour, 3)
    c.text(12, 246, t("reads").format(reads=4), 12, "start")
    c.text(206, 246, t("reads").format(reads=2), 12, "start")
    c.text(12, 270, t("under"), 11.5, "start", faint=True)


DRAWINGS = {
    "tensor-map": (282, tensor_map),
    "mbarrier": (270, mbarrier),
    "descriptor": (298, descriptor),
    "producer": (266, producer),
    "persistent": (260, persistent),
    "multicast": (284, multicast),
}
