"""Of a long list of cases the suite runs a sample, another one each day: `pytest --turn N` repeats that of day N, and
`pytest --corpora` runs them all.

    @pytest.mark.sample(every=8)          one of eight, each once in eight days; a test alone, each eighth day
    pytest.mark.sample(classes={...})     of a pytest.param: it belongs to these; enough are run for one of each class
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Sequence

import pytest


def representatives(classes: Sequence[Collection[Hashable]], turn: int = 0) -> set[int]:
    """Places that have each class at least once, where something may belong to several; begun at place `turn`."""
    seen: set[Hashable] = set()
    found = set()
    for n in ((n + turn) % len(classes) for n in range(len(classes))):
        if not seen.issuperset(classes[n]):
            found.add(n)
            seen |= set(classes[n])
    return found


def one_of(every: int, count: int, turn: int) -> set[int]:
    """Every `every`-th place of `count`, the next one at each `turn`."""
    return {n for n in range(count) if (n + turn) % every == 0}


def left_out(items: Iterable[pytest.Item], turn: int) -> set[pytest.Item]:
    """The items with the mark `sample` that are not in the sample of this turn.

    Tests of one file take the same cases of a list that they share: what one has built, the next one finds built.
    """
    lists: dict[tuple[str, str], list[pytest.Item]] = defaultdict(list)
    for item in items:
        if (mark := item.get_closest_marker("sample")) is not None:
            lists[item.nodeid.partition("[")[0], min(mark.kwargs)].append(item)
    out: set[pytest.Item] = set()
    for (test, kind), cases in lists.items():
        given = [case.get_closest_marker("sample").kwargs[kind] for case in cases]
        at = turn + zlib.crc32(test.partition("::")[0].encode())  # another day for each file
        chosen = representatives(given, at) if kind == "classes" else one_of(given[0], len(cases), at)
        out.update(case for n, case in enumerate(cases) if n not in chosen)
    return out
