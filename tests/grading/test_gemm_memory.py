"""Lab 06's points for counts reward the climb: an idea of the ladder, handed in, earns more than the one below."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from onekernel.backends.machine_code import disassembler
from onekernel.course import find_root
from onekernel.cuda import nvcc
from onekernel.grading.verdicts import NOT_ASSESSED
from support.rungs import counted

pytestmark = pytest.mark.slow

LADDER = find_root(Path(__file__).parent) / "solutions" / "ladder"
# Between 04 and 07 stand two rungs that read A scattered: a tile of two dimensions alone is no gain in memory.
IDEAS = ("gemm_01_naive", "gemm_02_coalesced", "gemm_03_shared_tile", "gemm_04_register_tile_1d", "gemm_07_padding")


@pytest.mark.skipif(
    nvcc.find() is None or disassembler() is None, reason="NVIDIA's compiler and its disassembler are not here"
)
@pytest.mark.sample(every=4)
def test_each_idea_earns_visibly_more_than_the_one_below(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONEKERNEL_NVCC", "on")
    results = [counted(tmp_path, "gemm_tiled", LADDER / f"{idea}.cu") for idea in IDEAS]
    points = [r.earned for r in results]
    assert all(above - below >= 0.5 for below, above in itertools.pairwise(points)), points
    assert points[-1] >= results[-1].exercise.points - 1


def test_without_nvidias_compiler_what_it_may_merge_is_not_assessed_and_the_climb_earns_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It loads neighbouring words of a tile at once: as written, two tiles would lose points that they earn."""
    monkeypatch.setenv("ONEKERNEL_NVCC", "off")
    results = [counted(tmp_path, "gemm_tiled", LADDER / f"{idea}.cu") for idea in IDEAS]
    points = [r.earned for r in results]
    assert points == sorted(set(points)), points
    open_ = [{v.check.options["measure"] for v in r.verdicts if v.status == NOT_ASSESSED} for r in results]
    assert open_ == [set(), set(), {"shared_per_fma"}, {"shared_per_fma"}, set()]
