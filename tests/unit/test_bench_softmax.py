"""Which contenders bench/softmax.py measures at which shape, and what --resume leaves to be measured."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from onekernel.bench import contenders
from onekernel.bench.cells import Cell
from onekernel.bench.softmax_tables import LADDER_SHAPES

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def bench():
    spec = importlib.util.spec_from_file_location("bench_softmax", ROOT / "bench" / "softmax.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


IN_TABLE, ELSEWHERE = Cell("float32", 8192, 4096), Cell("float32", 8192, 4095)


def who(bench, cell, kept=(), everywhere=False) -> set[str] | None:
    """The names of those who are measured at a shape; None where nothing is left to measure."""
    found, _ = contenders.all_contenders(ROOT)
    left = bench.plan([cell], found, kept, everywhere)
    return {c.name for c in left[0][1]} if left else None


def kept(cell, names) -> list[dict]:
    shape = {"dtype": cell.dtype, "rows": cell.rows, "cols": cell.cols, "shift": cell.shift}
    return [{**shape, "contenders": {name: {} for name in ("copy", *names)}}]


def test_every_rung_of_the_ladder_is_benched_at_the_shapes_of_its_table(bench):
    assert IN_TABLE.name in LADDER_SHAPES and ELSEWHERE.name not in LADDER_SHAPES
    rungs = set(contenders.rungs(ROOT))
    assert len(rungs) == len(list((ROOT / "solutions" / "ladder").glob("[1-9t]*.*"))) >= 10
    assert rungs <= who(bench, IN_TABLE)
    assert not rungs & who(bench, ELSEWHERE)
    assert rungs <= who(bench, ELSEWHERE, everywhere=True)
    assert "softmax_tuned" in who(bench, ELSEWHERE)


def test_resume_measures_a_shape_again_that_lacks_a_contender(bench):
    everyone = who(bench, IN_TABLE)
    assert who(bench, IN_TABLE, kept(IN_TABLE, everyone)) is None
    assert who(bench, IN_TABLE, kept(IN_TABLE, everyone - {"ladder/7_cluster"})) == everyone
    assert who(bench, IN_TABLE, kept(ELSEWHERE, everyone)) == everyone
