"""The inputs of a softmax, in groups that a lab asks for: each kind of row tells some wrong kernel from the right
ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from onekernel.messages import Message
from onekernel.ops.base import (
    BEYOND_32_BITS,
    MANY_ROWS,
    ON_GPU,
    SIMULATED,
    Arrays,
    Case,
    Fill,
    Sizes,
    between,
    of_paths,
)
from onekernel.ways import REFUSED, SPARSE


def normal(scale: float = 1.0, shift: float = 0.0) -> Fill:
    def fill(rng: np.random.Generator, sizes: Sizes) -> Arrays:
        return {"x": rng.standard_normal((sizes["rows"], sizes["cols"])) * scale + shift}

    return fill


def peaked(last_column: bool) -> Fill:
    """Rows with one element far above the others, at a random column or at the last."""

    def fill(rng: np.random.Generator, sizes: Sizes) -> Arrays:
        rows, cols = sizes["rows"], sizes["cols"]
        x = rng.standard_normal((rows, cols))
        columns = np.full(rows, cols - 1) if last_column else rng.integers(0, cols, rows)
        x[np.arange(rows), columns] += 12.0
        return {"x": x}

    return fill


def far(rng: np.random.Generator, sizes: Sizes) -> Arrays:
    """One element of each row, at a random column, so far above the others that exp(x - anything else) overflows."""
    x = rng.standard_normal((sizes["rows"], sizes["cols"]))
    x[np.arange(len(x)), rng.integers(0, sizes["cols"], len(x))] += 150.0
    return {"x": x}


def outlier(rng: np.random.Generator, sizes: Sizes) -> Arrays:
    """One element 120 above the others: row 0 has it first, row 1 last, row 2 in the middle, and so on."""
    x = rng.standard_normal((sizes["rows"], sizes["cols"]))
    places = np.array([0, sizes["cols"] - 1, sizes["cols"] // 2])
    x[np.arange(len(x)), places[np.arange(len(x)) % 3]] += 120.0
    return {"x": x}


def climbing(rng: np.random.Generator, sizes: Sizes) -> Arrays:
    """Each row climbs, so that a running maximum changes at every step."""
    return {"x": np.sort(rng.standard_normal((sizes["rows"], sizes["cols"])) * 5, axis=1)}


def negative(rng: np.random.Generator, sizes: Sizes) -> Arrays:
    return {"x": -1.0 - 20.0 * rng.random((sizes["rows"], sizes["cols"]))}


def sunken(rng: np.random.Generator, sizes: Sizes) -> Arrays:
    """All negative, each row spread over 95 and 40 below the one before: exp() of a whole row underflows unless its own
    maximum was subtracted."""
    rows, cols = sizes["rows"], sizes["cols"]
    return {"x": -1.0 - 40.0 * np.arange(rows)[:, None] - 95.0 * rng.random((rows, cols))}


def levels(rng: np.random.Generator, sizes: Sizes) -> Arrays:
    """Rows at very different levels: what suits the largest row, or the first, drowns the others."""
    x = rng.standard_normal((sizes["rows"], sizes["cols"]))
    return {"x": x + 300.0 * rng.permutation(sizes["rows"])[:, None]}


def crowd(rng: np.random.Generator, sizes: Sizes) -> Arrays:
    """As `levels`, for hundreds of rows: from -30,000 to 30,000, the range of every element type."""
    rows = sizes["rows"]
    x = rng.standard_normal((rows, sizes["cols"]))
    return {"x": x + (60_000.0 / rows * rng.permutation(rows) - 30_000.0)[:, None]}


def beyond_half(rng: np.random.Generator, sizes: Sizes) -> Arrays:
    """Rows by turns below and above 0, at levels from 100,000 to 100,000,000: in half precision infinite, and a
    float's steps are up to 8. No further: so far exp2(fma(x, log2(e), -max * log2(e))) is right."""
    rows = np.arange(sizes["rows"])
    level = np.where(rows % 2, 1.0, -1.0) * 10.0 ** (5 + rows // 2 % 4)
    return {"x": rng.standard_normal((sizes["rows"], sizes["cols"])) * 8 + level[:, None]}


def abyss(rng: np.random.Generator, sizes: Sizes) -> Arrays:
    """Each row a third of one power of two, from -2^31 to -2^127, and for the rest half as far again below it: whoever
    begins a maximum at -1e9 or -1e30 has no exponential left. Of a power of two and log2(e) no product is rounded, so
    that exp2(fma(x, log2(e), -max * log2(e))) is right here, too."""
    level = -(2.0 ** np.linspace(31, 127, sizes["rows"]).round())[:, None]
    x = np.where(rng.random((sizes["rows"], sizes["cols"])) < 1 / 3, level, 1.5 * level)
    x[np.arange(len(x)), rng.integers(0, sizes["cols"], len(x))] = level[:, 0]
    return {"x": x}


def masked(rng: np.random.Generator, sizes: Sizes) -> Arrays:
    """About half of each row is -inf, as a causal mask leaves it; one element at least is finite."""
    x = rng.standard_normal((sizes["rows"], sizes["cols"]))
    x[rng.random(x.shape) < 0.5] = -np.inf
    x[np.arange(len(x)), rng.integers(0, sizes["cols"], len(x))] = 0.5
    return {"x": x}


def special(rng: np.random.Generator, sizes: Sizes) -> Arrays:
    """Row r % 5 == 0: all -inf; 1: a NaN; 2: a +inf; 3: NaN in the last column; 4: plain, and must stay so."""
    x = rng.standard_normal((sizes["rows"], sizes["cols"]))
    columns = rng.integers(0, sizes["cols"], len(x))
    for r, c in enumerate(columns):
        if r % 5 == 0:
            x[r] = -np.inf
        elif r % 5 < 4:
            x[r, c if r % 5 < 3 else -1] = np.inf if r % 5 == 2 else np.nan
    return {"x": x}


def late(rng: np.random.Generator, sizes: Sizes) -> Arrays:
    """Rows that begin with -inf: all but the last few columns of row 0, the first half of row 1, a third of row 2, and
    so on. Whoever walks a row in tiles meets whole ones without a finite element first."""
    rows, cols = sizes["rows"], sizes["cols"]
    x = rng.standard_normal((rows, cols))
    for r in range(rows):
        x[r, : cols - 7 if r == 0 else cols // (r + 1)] = -np.inf
    return {"x": x}


def placed(rng: np.random.Generator, sizes: Sizes) -> Arrays:
    """Row by row a +inf, then a NaN, in the first column, the last, the second, the middle one, the last but one: where
    a thread, a warp or a tile begins or ends, whoever begins a maximum at an element of its own or compares with `>`
    loses it. Of rows that are left one is +inf throughout, and one has a finite element in its first column alone."""
    rows, cols = sizes["rows"], sizes["cols"]
    x = rng.standard_normal((rows, cols))
    places = [place % cols for place in (0, cols - 1, 1, cols // 2, cols - 2)]
    odd = [(place, value) for place in places for value in (np.inf, np.nan)]
    for r, (place, value) in zip(range(rows), odd, strict=False):
        x[r, place] = value
    if rows > len(odd):
        x[len(odd)] = np.inf
    if rows > len(odd) + 1:
        x[len(odd) + 1, 1:] = -np.inf
    return {"x": x}


def anywhere(rng: np.random.Generator, sizes: Sizes) -> Arrays:
    """Row by row a +inf, then a NaN, in one column: with two rows for each column in all of them, one after the other;
    with fewer beside multiples of 32, drawn, where the part of a warp, a block or a tile begins and ends."""
    rows, cols = sizes["rows"], sizes["cols"]
    x = rng.standard_normal((rows, cols))
    beside = rng.integers(0, cols // 32 + 1, rows) * 32 + rng.integers(-1, 2, rows)
    columns = np.arange(rows) // 2 if rows >= 2 * cols else np.clip(beside, 0, cols - 1)
    x[np.arange(rows), columns % cols] = np.where(np.arange(rows) % 2, np.nan, np.inf)
    return {"x": x}


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
    up = [_case(group, "normal", normal(), 2, cols) for cols in lengths]
    return *up, *(_case(group, "peak_last", peaked(last_column=True), 2, cols) for cols in reversed(lengths))


def _moved(case: Case, tensor: str) -> Case:
    """With that tensor alone an element off its alignment."""
    return replace(case, name=f"{case.name}-{tensor}1", apart={tensor: 1})


def _of_path(group: str, rows: int, cols: int, gap: int) -> Case:
    gaps = (gap, gap + 72) if gap else (0, 0)
    return _case(group, "large" if gap else "many", normal(), rows, cols, gaps)


def _in_vectors(group: str, rows: int, cols: int, fill: Fill) -> Case:
    """Rows that begin on 16 bytes in each element type and end within them: what follows is somebody else's."""
    gap = -cols % 8
    return _case(group, "strided", fill, rows, cols, (gap, gap + 8))


# The first call's size with one argument changed, and between them as it was: a key that lacks an argument, or what is
# kept from the call before, has the answer for the one ready when the other comes.
REPEATED = between(
    _case("shapes", "normal", normal(), *_FIRST),
    (
        _case("strides", "strided", normal(), *_FIRST, gaps=(3, 0)),
        _case("strides", "strided", normal(), *_FIRST, gaps=(0, 5)),
        _case("strides", "normal", normal(), 3 * _FIRST[0], _FIRST[1]),
        *(_moved(_case("unaligned", "unaligned", normal(), *_FIRST), name) for name in "xy"),
    ),
)

CASES = (
    *(_case("shapes", "normal", normal(), r, c) for r, c in _SHAPES),
    *(_case("powers", "normal", normal(), 2, c) for c in _POWERS),
    *(_case("rows", "normal", normal(), 70_001, c) for c in (1, 2)),
    replace(_case("rows", "large", normal(), BEYOND_32_BITS // 2, 2), way=SPARSE),
    *(_case("empty", "empty", normal(), r, c) for r, c in [(0, 5), (5, 0), (0, 0)]),
    _case("peaked", "peak", peaked(last_column=False), 7, 129),
    _case("peaked", "peak_last", peaked(last_column=True), 5, 33),
    _case("peaked", "peak_last", peaked(last_column=True), 3, 1025),
    _case("peaked", "climbing", climbing, 3, 257),
    *(_case("peaked", "outlier", outlier, 3, c) for c in (3, 33, 257, 513, 1025)),
    _case("range", "wide", normal(scale=30.0), 4, 300),
    _case("range", "high", normal(shift=1e4), 4, 257),
    _case("range", "low", normal(shift=-2e4), 3, 100),
    _case("range", "levels", levels, 6, 90),
    _case("range", "far", far, 8, 300),
    _case("range", "negative", negative, 4, 65),
    _case("range", "sunken", sunken, 5, 300),
    _case("range", "crowd", crowd, 300, 7),
    _case("range", "beyond_half", beyond_half, 8, 67),
    _case("range", "abyss", abyss, 5, 67),
    _case("special", "masked", masked, 6, 130),
    _case("special", "late", late, 3, 70),
    _case("special", "late", late, 4, 1100),
    _case("special", "special", special, 11, 70),
    _case("special", "special", special, 5, 1),
    _case("strides", "strided", normal(), 5, 33, gaps=(7, 0)),
    _case("strides", "strided", normal(), 4, 64, gaps=(0, 3)),
    _case("strides", "strided", peaked(last_column=True), 3, 130, gaps=(5, 2)),
    _case("strides", "strided", peaked(last_column=True), 2, 1030, gaps=(3, 6)),
    _case("unaligned", "unaligned", normal(), 5, 64, shift=1),
    _case("unaligned", "unaligned", normal(), 4, 101, shift=3),
    _case("unaligned", "unaligned", normal(), 3, 256, gaps=(1, 3), shift=1),
    _case("long", "normal", normal(), 2, 12345),
    _case("long", "peak_last", peaked(last_column=True), 1, 50257),
    _case("long", "wide", normal(scale=30.0), 1, 70001),
    _case("long", "low", normal(shift=-2e4), 2, 12_289),  # parts of a row are joined: from -inf, not from 0
    _case("long", "outlier", outlier, 3, 4099),
    _case("long", "outlier", outlier, 3, 12_289),
    _case("long", "strided", normal(), 2, 12_301, gaps=(5, 2)),
    _case("long", "late", late, 1, 26_000),
    replace(_case("large", "large", normal(), 3, 5, gaps=(2**31 + 11, 2**31 + 77)), way=SPARSE),
    replace(_case("large", "many", normal(), 70_001, 2), way=SPARSE),
    # As many rows as a grid has blocks in x, nearly: one block for each row is no mistake, but minutes of a GPU.
    replace(_case("large", "large", normal(), 2_147_000_001, 3), way=SPARSE, only=SIMULATED),
    replace(_case("large", "large", normal(), *MANY_ROWS), way=SPARSE, only=ON_GPU),
    replace(_case("errors", "refused", normal(), 4, 33), way=REFUSED),
    replace(_case("errors", "refused", normal(), 2, 12_400), way=REFUSED),
    replace(_case("errors", "refused", normal(), 1, 40_000), way=REFUSED),
    *_up_and_down("lengths", _LENGTHS),
    *_up_and_down("huge", _HUGE_LENGTHS),
    # One of the two tensors alone: whoever tests only the other one's address takes vectors where none begin.
    *(_moved(_case("unaligned", "unaligned", normal(), 3, 128), name) for name in "xy"),
    # More than a block or a program holds, in rows that lie apart.
    _case("long", "strided", normal(), 2, 33_001, gaps=(5, 2)),
    # Aligned tensors of rows that divide by 4, and whose second row is not aligned.
    _case("unaligned", "strided", normal(), 3, 64, gaps=(5, 2)),
    *(_in_vectors("strides", rows, cols, normal()) for rows, cols in ((5, 37), (3, 131), (3, 1029))),
    _in_vectors("long", 3, 12_299, normal()),
    *of_paths(_of_path),
    _case("special", "special", placed, 12, 70),
    _case("special", "special", placed, 4, 1100),
    _case("long", "special", placed, 4, 12_290),
    _case("special", "special", anywhere, 74, 37),
    _case("special", "special", anywhere, 6, 1100),
    _case("long", "special", anywhere, 6, 12_290),
    *REPEATED,
)
