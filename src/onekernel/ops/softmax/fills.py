"""How the values of a softmax's inputs are drawn: each kind of row tells some wrong kernel from the right ones."""

from __future__ import annotations

import numpy as np

from onekernel.ops.base import Arrays, Fill, Sizes


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
