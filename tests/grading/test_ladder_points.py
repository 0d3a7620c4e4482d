"""Lab 02's points for counts reward the climb: each rung of the ladder, handed in, earns more than the one below."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from support.course import COURSE, ROOT
from support.rungs import counted

pytestmark = pytest.mark.slow

RUNGS = sorted((ROOT / "solutions" / "ladder").glob("[1-6]_*.cu"))


@pytest.fixture(scope="module")
def earned(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, float]]:
    """Exercise -> rung -> points."""
    folder = tmp_path_factory.mktemp("rungs")
    slugs = ("softmax_tuned", "softmax_block")
    return {slug: {k.stem: counted(folder, slug, k).earned for k in RUNGS} for slug in slugs}


@pytest.mark.sample(every=4)
def test_each_rung_earns_visibly_more_than_the_one_below(earned: dict[str, dict[str, float]]) -> None:
    points = list(earned["softmax_tuned"].values())
    assert len(points) == 6
    assert points[0] == 0, "a row a thread has no barrier, and that is no merit"
    assert all(above - below >= 1 for below, above in itertools.pairwise(points)), points
    most = sum(c.points for c in COURSE.exercises["softmax_tuned"].checks if c.kind.name == "memory")
    assert most - 0.2 <= points[-1] <= most


def test_no_rung_earns_less_as_softmax_block(earned: dict[str, dict[str, float]]) -> None:
    points = list(earned["softmax_block"].values())
    assert points == sorted(points)
    assert points[0] < points[1] < points[-1]


def test_the_last_rung_earns_all_in_three_types(tmp_path: Path) -> None:
    types = COURSE.exercises["softmax_tuned"].dtypes
    rung = counted(tmp_path, "softmax_tuned", ROOT / "solutions" / "ladder" / "10_regimes.cu", types)
    told = [str(f.message) for v in rung.verdicts for f in v.failures]
    assert len(types) == 3 and rung.earned == rung.exercise.points, told


def test_the_solution_earns_all_and_softmax_block_about_half(tmp_path: Path) -> None:
    solution = counted(tmp_path, "softmax_tuned", ROOT / "solutions" / "softmax_tuned.cu")
    assert solution.earned == solution.exercise.points
    block = counted(tmp_path, "softmax_tuned", ROOT / "solutions" / "softmax_block.cu")
    assert 0.4 * block.exercise.points <= block.earned <= 0.6 * block.exercise.points
    told = [str(f.message) for v in block.verdicts for f in v.failures]
    assert any("20 barriers per row" in t for t in told), told
