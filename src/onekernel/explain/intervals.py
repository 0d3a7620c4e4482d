"""Sets of moments, as sorted intervals that do not touch: union, difference, length."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

Interval = tuple[float, float]
Moments = list[Interval]


def union(intervals: Iterable[Interval]) -> Moments:
    """The moments that lie in any of the intervals; one without a length holds none."""
    found: Moments = []
    for start, end in sorted(i for i in intervals if i[1] > i[0]):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found


def minus(these: Sequence[Interval], those: Sequence[Interval]) -> Moments:
    """The moments of `these` that are not in `those`; both as `union` makes them."""
    found: Moments = []
    at = 0
    for start, end in these:
        while at < len(those) and those[at][1] <= start:
            at += 1
        k = at
        while k < len(those) and those[k][0] < end:
            if those[k][0] > start:
                found.append((start, those[k][0]))
            start = max(start, those[k][1])
            k += 1
        if start < end:
            found.append((start, end))
    return found


def both(these: Sequence[Interval], those: Sequence[Interval]) -> Moments:
    """The moments that lie in both."""
    return minus(these, minus(these, those))


def length(moments: Iterable[Interval]) -> float:
    return sum(end - start for start, end in moments)
