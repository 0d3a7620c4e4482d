"""The sample that the suite runs of a long list: small, and in the end all of it."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest

from support import sample


def cases(test: str, *marks: Any) -> list[Any]:
    """Items of a test, each with the keywords of its mark `sample`, or with none."""
    def item(n: int, given: dict[str, Any] | None) -> Any:
        found = pytest.mark.sample(**given).mark if given else None
        return SimpleNamespace(nodeid=f"{test}[{n}]", get_closest_marker={"sample": found}.get)

    return [_Hashable(item(n, given)) for n, given in enumerate(marks)]


class _Hashable:
    def __init__(self, item: Any) -> None:
        self.nodeid, self.get_closest_marker = item.nodeid, item.get_closest_marker


def test_each_case_has_its_day_and_what_has_no_mark_has_each() -> None:
    listed = cases("a.py::test", *[{"every": 4}] * 10, None)
    ran = Counter(n for turn in range(4) for n, item in enumerate(listed) if item not in sample.left_out(listed, turn))
    assert ran == {**dict.fromkeys(range(10), 1), 10: 4}
    assert sample.left_out(listed, 3) == sample.left_out(listed, 7) != sample.left_out(listed, 4)


def test_tests_of_a_file_take_the_same_cases() -> None:
    one, other = cases("a.py::one", *[{"every": 4}] * 10), cases("a.py::other", *[{"every": 4}] * 10)
    for turn in range(4):
        out = sample.left_out([*one, *other], turn)
        assert [item in out for item in one] == [item in out for item in other]


def test_each_class_is_there_each_day_and_each_case_some_day() -> None:
    classes = [{"x"}, {"x", "y"}, {"y"}, {"z"}, {"x"}]
    listed = cases("a.py::test", *[{"classes": c} for c in classes])
    days = [[n for n, item in enumerate(listed) if item not in sample.left_out(listed, turn)] for turn in range(5)]
    assert all(set().union(*(classes[n] for n in day)) == {"x", "y", "z"} and len(day) < 5 for day in days)
    assert {n for day in days for n in day} == set(range(5))
