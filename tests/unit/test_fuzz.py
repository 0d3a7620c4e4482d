"""A sample of what audits/fuzz gives the readers of submissions: files changed at random."""

from __future__ import annotations

from pathlib import Path

import pytest

from audits.fuzz.run import Kind, kinds, tried
from onekernel.course import find_root


@pytest.mark.parametrize("kind", kinds(), ids=lambda kind: kind.name)
def test_a_changed_file_is_read_or_refused_in_a_sentence(kind: Kind) -> None:
    found = tried(kind, find_root(Path(__file__).parent), files=25, seed=1)
    assert not found["other"], found["first"]
    assert found["read"] + found["refused"] == 25
