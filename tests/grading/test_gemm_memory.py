"""Lab 06's points for counts reward the climb: an idea of the ladder, handed in, earns more than the one below."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from onekernel.course import find_root
from support.rungs import counted

pytestmark = pytest.mark.slow

LADDER = find_root(Path(__file__).parent) / "solutions" / "ladder"
# Between 04 and 07 stand two rungs that read A scattered: a tile of two dimensions alone is no gain in memory.
IDEAS = ("gemm_01_naive", "gemm_02_coalesced", "gemm_03_shared_tile", "gemm_04_register_tile_1d", "gemm_07_padding")


def test_each_idea_earns_visibly_more_than_the_one_below(tmp_path: Path) -> None:
    results = [counted(tmp_path, "gemm_tiled", LADDER / f"{idea}.cu") for idea in IDEAS]
    points = [r.earned for r in results]
    assert all(above - below >= 0.5 for below, above in itertools.pairwise(points)), points
    assert points[-1] >= results[-1].exercise.points - 1
