"""The inputs of a softmax, in groups that a lab asks for."""

from __future__ import annotations

from dataclasses import replace

from onekernel.messages import Message
from onekernel.ops.base import BEYOND_32_BITS, MANY_ROWS, ON_GPU, SIMULATED, Case, Fill, between, of_paths
from onekernel.ops.softmax import fills
from onekernel.ways import REFUSED, SPARSE


def _case(
    group: str, kind: str, fill: Fill, rows: int, cols: int, gaps: tuple[int, int] = (0, 0), shift: int = 0
) -> Case:
    name = f"{kind}-{rows}x{cols}" + (f"-gap{gaps[0]},{gaps[1]}" if any(gaps) else "")
    name += f"-shift{shift}" if shift else ""
    about = Message(f"ops.softmax_{kind}", {"rows": rows, "cols": cols, "x_gap": gaps[0], "y_gap": gaps[1]})
    return Case(name, group, {"rows": rows, "cols": cols}, fill, about, {"x": gaps[0], "y": gaps[1]}, shift)


# The first call of a process, that of a size that suits everybody: what a launcher keeps from it (that rows divide by
# the width of a vector, that addresses do) is wrong on later ones. Calls that differ in one argument alone follow.
_FIRST = (8, 64)
# Neighbours of the powers of two, and a length between each two numbers of threads that a block is likely to have.
_SHAPES = [
    _FIRST, (1, 1), (3, 1), (1, 31), (5, 32), (4, 33), (300, 3), (3, 255), (2, 1023), (2, 1025), (1, 4097),
    (3, 48), (2, 80), (2, 160), (2, 200), (2, 384), (1, 512), (1, 700), (1, 1024),
]  # fmt: skip
_POWERS = tuple(c for power in (512, 1024, 2048, 4096) for c in (power - 1, power, power + 1, power + power // 2))

# Lengths for one process, up and then down: what a kernel keeps from one call (a tuned configuration, scratch memory,
# a launch) meets lengths on both sides of it. Neighbours, since a rounded length is often a key; 3 x 2^k, since a power
# of two is as often a limit. The way down has its weight in the last column, which a tile too short would lose.
_LENGTHS = (47, 96, 97, 768, 1537, 3072, 3073, 6144, 12288)
_HUGE_LENGTHS = (25001, 65537, 500_000, 2_000_000)


def _up_and_down(group: str, lengths: tuple[int, ...]) -> tuple[Case, ...]:
    up = [_case(group, "normal", fills.normal(), 2, cols) for cols in lengths]
    return *up, *(_case(group, "peak_last", fills.peaked(last_column=True), 2, cols) for cols in reversed(lengths))


def _moved(case: Case, tensor: str) -> Case:
    """With that tensor alone an element off its alignment."""
    return replace(case, name=f"{case.name}-{tensor}1", apart={tensor: 1})


def _of_path(group: str, rows: int, cols: int, gap: int) -> Case:
    gaps = (gap, gap + 72) if gap else (0, 0)
    return _case(group, "large" if gap else "many", fills.normal(), rows, cols, gaps)


def _in_vectors(group: str, rows: int, cols: int, fill: Fill, apart: tuple[int, int] = (0, 8)) -> Case:
    """Rows that begin on 16 bytes in each element type and end within them: what follows is somebody else's."""
    gaps = tuple(-cols % 8 + more for more in apart)
    return _case(group, "strided", fill, rows, cols, (gaps[0], gaps[1]))


# The first call's size with one argument changed, and between them as it was: a key that lacks an argument, or what is
# kept from the call before, has the answer for the one ready when the other comes.
REPEATED = between(
    _case("shapes", "normal", fills.normal(), *_FIRST),
    (
        _case("strides", "strided", fills.normal(), *_FIRST, gaps=(3, 0)),
        _case("strides", "strided", fills.normal(), *_FIRST, gaps=(0, 5)),
        _case("strides", "normal", fills.normal(), 3 * _FIRST[0], _FIRST[1]),
        *(_moved(_case("unaligned", "unaligned", fills.normal(), *_FIRST), name) for name in "xy"),
    ),
)

CASES = (
    *(_case("shapes", "normal", fills.normal(), r, c) for r, c in _SHAPES),
    *(_case("powers", "normal", fills.normal(), 2, c) for c in _POWERS),
    *(_case("rows", "normal", fills.normal(), 70_001, c) for c in (1, 2)),
    replace(_case("rows", "large", fills.normal(), BEYOND_32_BITS // 2, 2), way=SPARSE),
    *(_case("empty", "empty", fills.normal(), r, c) for r, c in [(0, 5), (5, 0), (0, 0)]),
    _case("peaked", "peak", fills.peaked(last_column=False), 7, 129),
    _case("peaked", "peak_last", fills.peaked(last_column=True), 5, 33),
    _case("peaked", "peak_last", fills.peaked(last_column=True), 3, 1025),
    _case("peaked", "climbing", fills.climbing, 3, 257),
    *(_case("peaked", "outlier", fills.outlier, 3, c) for c in (3, 33, 257, 513, 1025)),
    _case("range", "wide", fills.normal(scale=30.0), 4, 300),
    _case("range", "high", fills.normal(shift=1e4), 4, 257),
    _case("range", "low", fills.normal(shift=-2e4), 3, 100),
    _case("range", "levels", fills.levels, 6, 90),
    _case("range", "far", fills.far, 8, 300),
    _case("range", "negative", fills.negative, 4, 65),
    _case("range", "sunken", fills.sunken, 5, 300),
    _case("range", "crowd", fills.crowd, 300, 7),
    _case("range", "beyond_half", fills.beyond_half, 8, 67),
    _case("range", "abyss", fills.abyss, 5, 67),
    _case("special", "masked", fills.masked, 6, 130),
    _case("special", "late", fills.late, 3, 70),
    _case("special", "late", fills.late, 4, 1100),
    _case("special", "special", fills.special, 11, 70),
    _case("special", "special", fills.special, 5, 1),
    _case("strides", "strided", fills.normal(), 5, 33, gaps=(7, 0)),
    _case("strides", "strided", fills.normal(), 4, 64, gaps=(0, 3)),
    _case("strides", "strided", fills.peaked(last_column=True), 3, 130, gaps=(5, 2)),
    _case("strides", "strided", fills.peaked(last_column=True), 2, 1030, gaps=(3, 6)),
    _case("unaligned", "unaligned", fills.normal(), 5, 64, shift=1),
    _case("unaligned", "unaligned", fills.normal(), 4, 101, shift=3),
    _case("unaligned", "unaligned", fills.normal(), 3, 256, gaps=(1, 3), shift=1),
    _case("long", "normal", fills.normal(), 2, 12345),
    _case("long", "peak_last", fills.peaked(last_column=True), 1, 50257),
    _case("long", "wide", fills.normal(scale=30.0), 1, 70001),
    _case("long", "low", fills.normal(shift=-2e4), 2, 12_289),  # parts of a row are joined: from -inf, not from 0
    _case("long", "outlier", fills.outlier, 3, 4099),
    _case("long", "outlier", fills.outlier, 3, 12_289),
    _case("long", "strided", fills.normal(), 2, 12_301, gaps=(5, 2)),
    _case("long", "late", fills.late, 1, 26_000),
    replace(_case("large", "large", fills.normal(), 3, 5, gaps=(2**31 + 11, 2**31 + 77)), way=SPARSE),
    replace(_case("large", "many", fills.normal(), 70_001, 2), way=SPARSE),
    # As many rows as a grid has blocks in x, nearly: one block for each row is no mistake, but minutes of a GPU.
    replace(_case("large", "large", fills.normal(), 2_147_000_001, 3), way=SPARSE, only=SIMULATED),
    replace(_case("large", "large", fills.normal(), *MANY_ROWS), way=SPARSE, only=ON_GPU),
    replace(_case("errors", "refused", fills.normal(), 4, 33), way=REFUSED),
    replace(_case("errors", "refused", fills.normal(), 2, 12_400), way=REFUSED),
    replace(_case("errors", "refused", fills.normal(), 1, 40_000), way=REFUSED),
    *_up_and_down("lengths", _LENGTHS),
    *_up_and_down("huge", _HUGE_LENGTHS),
    # One of the two tensors alone: whoever tests only the other one's address takes vectors where none begin.
    *(_moved(_case("unaligned", "unaligned", fills.normal(), 3, 128), name) for name in "xy"),
    # More than a block or a program holds, in rows that lie apart.
    _case("long", "strided", fills.normal(), 2, 33_001, gaps=(5, 2)),
    # Aligned tensors of rows that divide by 4, and whose second row is not aligned.
    _case("unaligned", "strided", fills.normal(), 3, 64, gaps=(5, 2)),
    *(_in_vectors("strides", rows, cols, fills.normal()) for rows, cols in ((5, 37), (3, 131), (3, 1029))),
    _in_vectors("long", 3, 12_299, fills.normal()),
    *of_paths(_of_path),
    _case("special", "special", fills.placed, 12, 70),
    _case("special", "special", fills.placed, 4, 1100),
    _case("long", "special", fills.placed, 4, 12_290),
    _case("special", "special", fills.anywhere, 74, 37),
    _case("special", "special", fills.anywhere, 6, 1100),
    _case("long", "special", fills.anywhere, 6, 12_290),
    *REPEATED,
)
