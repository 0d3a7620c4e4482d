"""Which contenders the softmax bench measures at which shape, and what --resume leaves to be measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from audits.bench.softmax import contenders
from audits.bench.softmax.cases import Case
from audits.bench.softmax.gpus import join
from audits.bench.softmax.recording import plan
from audits.bench.softmax.tables import LADDER_SHAPES
from onekernel.course import rungs
from onekernel.errors import UserError

ROOT = Path(__file__).parents[2]
IN_TABLE, ELSEWHERE = Case("float32", 8192, 4096), Case("float32", 8192, 4095)


def who(case, kept=(), everywhere=False) -> set[str] | None:
    """The names of those who are measured at a shape; None where nothing is left to measure."""
    found, _ = contenders.all_contenders(ROOT)
    left = plan([case], found, kept, everywhere)
    return {c.name for c in left[0][1]} if left else None


def kept(case, names) -> list[dict]:
    shape = {"dtype": case.dtype, "rows": case.rows, "cols": case.cols, "shift": case.shift}
    return [{**shape, "contenders": {name: {} for name in ("copy", *names)}}]


def test_every_rung_of_the_ladder_is_benched_at_the_shapes_of_its_table():
    assert IN_TABLE.name in LADDER_SHAPES and ELSEWHERE.name not in LADDER_SHAPES
    ladder = set(rungs(ROOT))
    assert len(ladder) == len(list((ROOT / "solutions" / "ladder").glob("[1-9t]*.*"))) >= 10
    numbered = [int(name.split("/")[1].split("_")[0]) for name in rungs(ROOT) if "triton" not in name]
    assert numbered == list(range(1, len(numbered) + 1))
    assert ladder <= who(IN_TABLE)
    assert not ladder & who(ELSEWHERE)
    assert ladder <= who(ELSEWHERE, everywhere=True)
    assert "softmax_tuned" in who(ELSEWHERE)


def test_resume_measures_a_shape_again_that_lacks_a_contender():
    everyone = who(IN_TABLE)
    assert who(IN_TABLE, kept(IN_TABLE, everyone)) is None
    assert who(IN_TABLE, kept(IN_TABLE, everyone - {"ladder/7_cluster"})) == everyone
    assert who(IN_TABLE, kept(ELSEWHERE, everyone)) == everyone


def part(dtype: str, driver: str = "580.1") -> dict:
    cell = {"dtype": dtype, "rows": 8, "cols": 8, "shift": 0, "took": {"wall_s": 2.0, "gpu_s": 0.5}}
    same = {"versions": {}, "sources": {}, "absent": {}, "method": {}}
    return {"bench": "softmax", "device": {"driver": driver}, **same, "cells": [cell], "took": cell["took"]}


def test_the_parts_of_several_gpus_are_one_run():
    joined = join([part("float16"), part("float32")], ["float32", "float16"])
    assert [cell["dtype"] for cell in joined["cells"]] == ["float32", "float16"]
    assert joined["took"] == {"wall_s": 4.0, "gpu_s": 1.0}


@pytest.mark.parametrize(
    ("parts", "said"), [([], "None of the GPUs"), ([part("float16"), part("float32", "581.2")], "agree on device")]
)
def test_parts_that_are_not_of_one_run_are_refused(parts, said):
    with pytest.raises(UserError, match=said):
        join(parts, ["float32", "float16"])
