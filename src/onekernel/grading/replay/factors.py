"""What wrong results have in common where no mistake gives their numbers: a factor, a difference, a sign.

Told from the results, not made on purpose: of each row, or of all.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from onekernel.messages import Message
from onekernel.ops.base import DTYPES

SPREAD = {"float32": 1e-4, "float16": 2.0**-9, "bfloat16": 2.0**-6}  # of a factor: what rounding makes of it
FROM = {"float32": 1e-3, "float16": 0.1, "bfloat16": 0.1}  # of a row's largest element: smaller ones have few digits
OFF = 3  # spreads from 1 on it is a factor
FEW = 8  # numbers, less than which have a factor in common by chance
APART = 4  # different right answers in whose place one number stands, less than which may be so by chance


def of_rows(got: np.ndarray, want: np.ndarray, dtype: str) -> tuple[int, float] | None:
    """A row of (rows, cols), all finite elements of which are off by one factor, and the factor; None unless it is so
    in each row that is wrong."""
    there = np.isfinite(want)
    if not got.size or not np.array_equal(np.isfinite(got), there):
        return None
    size = np.where(there, np.abs(want), 0)
    looked_at = size > FROM[dtype] * size.max(axis=1, keepdims=True)
    ratio = np.divide(got, want, out=np.ones_like(got), where=looked_at)
    low = np.where(looked_at, ratio, np.inf).min(axis=1)
    high = np.where(looked_at, ratio, -np.inf).max(axis=1)
    off = looked_at.any(axis=1) & (np.abs(low - 1) > OFF * SPREAD[dtype])
    if not off.any() or not (high - low <= SPREAD[dtype] * np.abs(high))[looked_at.any(axis=1)].all():
        return None
    factor = np.where(looked_at.any(axis=1), low, 1.0)[:, None]  # the small ones, too, as far as they have digits
    beside = SPREAD[dtype] * FROM[dtype] * np.abs(factor) * size.max(axis=1, keepdims=True)
    away = np.abs(got - factor * want)
    if (there & (away > OFF * SPREAD[dtype] * np.abs(factor * want) + beside)).any():
        return None
    row = int(np.argmax(off))
    return row, float(low[row])


Results = Sequence[tuple[np.ndarray, np.ndarray, str]]
"""Of each input what came out, the right answer, and the type."""


def of_all(wrong: Results, right: Results = ()) -> Message | None:
    """What all elements of all wrong results have in common; a bound, what the right ones have, too."""
    if sum(got.size for got, _, _ in wrong) < FEW:
        return None
    if all(_nan_lost(*one) for one in wrong):
        return Message("replay.nan-lost")
    if bound := _bound(wrong, right):
        return bound
    flat = [(got.reshape(1, -1), want.reshape(1, -1), dtype) for got, want, dtype in wrong]
    if factor := _the_same([f[1] if (f := of_rows(*one)) else None for one in flat], _spread(wrong)):
        return Message("replay.factor", {"factor": factor}) if factor != -1 else Message("replay.sign-turned")
    negative = all((want < 0).any() for _, want, _ in flat)  # else the right answer is its own absolute value
    for cause, turned in {"sign-lost": -1, "negatives-lost": 0}.items() if negative else ():
        made = [(got, np.where(want < 0, turned * want, want), dtype) for got, want, dtype in flat]
        if all(np.allclose(got, sought, SPREAD[dtype], 0, equal_nan=True) for got, sought, dtype in made):
            return Message(f"replay.{cause}")
    offset = _the_same([_difference(*one) for one in flat], _spread(wrong))
    return Message("replay.offset", {"offset": offset}) if offset else None


def _bound(wrong: Results, right: Results) -> Message | None:
    """The one number that stands in the place of all that lie beyond it: of several, and nothing else lies there."""
    for which, beyond in {"most": np.greater, "least": np.less}.items():
        ends: set[float] = set()
        hidden: set[float] = set()
        instead_of_nan = False  # as fminf gives the other number
        for got, want, dtype in wrong:
            want = want.astype(DTYPES[dtype]).astype(np.float64)
            off = ~_near(got, want, _beside(got, dtype), dtype) & ~np.isnan(want)
            ends |= {float(x) for x in got[off]}
            hidden |= {float(x) for x in want[off]}
            if len(ends) != 1 or not beyond(want[off], got[off]).all():
                break
            instead_of_nan |= bool((np.isnan(want) & np.isin(got, list(ends))).any())
        else:
            (end,) = ends
            every = [*wrong, *right]
            over = (beyond(got, end) & ~_near(got, end, _beside(got, dtype), dtype) for got, _, dtype in every)
            if (instead_of_nan or len(hidden) >= APART) and not any(each.any() for each in over):
                return Message(f"replay.at-{which}", {"bound": end})
    return None


def _near(got: np.ndarray, want: np.ndarray | float, beside: float, dtype: str) -> np.ndarray:
    return np.asarray(np.isclose(got, want, SPREAD[dtype], beside, equal_nan=True))


def _beside(got: np.ndarray, dtype: str) -> float:
    """What is nothing beside the largest number, a bound, say."""
    return float(SPREAD[dtype] * np.abs(got[np.isfinite(got)]).max(initial=0.0))


def _nan_lost(got: np.ndarray, want: np.ndarray, dtype: str) -> bool:
    """Whether all is right but for numbers where there must be NaN."""
    there = ~np.isnan(want)
    return bool(np.isnan(got).sum() < np.isnan(want).sum()) and np.allclose(got[there], want[there], SPREAD[dtype], 0)


def _spread(wrong: Results) -> float:
    return max(SPREAD[dtype] for _, _, dtype in wrong)


def _the_same(found: Sequence[float | None], spread: float) -> float | None:
    """The number that all of these are, None where they differ or one is none or 0; whole, where it is nearly."""
    known = [f for f in found if f]
    if len(known) < len(found) or max(known) - min(known) > spread * abs(known[0]):
        return None
    whole = round(known[0])
    return float(whole) if abs(known[0] - whole) <= spread * abs(whole) else known[0]


def _difference(got: np.ndarray, want: np.ndarray, dtype: str) -> float | None:
    """By how much all finite elements differ; by a larger one's rounding a difference may differ."""
    there = np.isfinite(want)
    if not there.any() or not np.array_equal(np.isfinite(got), there):
        return None
    by = (got - want)[there]
    middle = float(np.median(by))
    slack = SPREAD[dtype] * (np.abs(want[there]) * 1e-2 + abs(middle))
    return middle if (np.abs(by - middle) <= slack).all() else None
