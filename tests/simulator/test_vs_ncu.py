"""The committed comparison with ncu: complete, explained, and still what the simulator counts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from audits.agreement import cases, compare, run, tables
from onekernel.errors import UserError

ROOT = Path(__file__).parents[2]

FOUND: dict[str, Any] = json.loads((ROOT / "bench/results/h200/simulator_vs_ncu.json").read_text(encoding="utf-8"))
FIXED = [r for r in FOUND["rows"] if r["case"]["file"].startswith("bench/kernels/")]  # nobody rewrites these to learn


def test_it_covers_the_course_and_what_goes_wrong() -> None:
    names = {r["case"]["file"] for r in FOUND["rows"]}
    assert len({r["kernel"] for r in FOUND["rows"]}) >= 12
    assert {"solutions/vector_add.cu", "solutions/softmax_naive.cu", "solutions/softmax_block.cu"} <= names
    assert {Path(n).stem for n in names} >= {"copy", "strided_copy", "misaligned_copy", "transpose", "divergent"}


@pytest.mark.parametrize("row", FOUND["rows"], ids=lambda r: f"{r['kernel']}-{r['case']['shape']}")
def test_counts_are_equal_or_the_difference_is_explained(row: dict[str, Any]) -> None:
    different = [m for m, (ours, theirs) in row["metrics"].items() if ours != theirs]
    assert row["different"] == different
    assert bool(compare.explain(row, compare.reasons())) == bool(different)


def test_a_reason_does_not_cover_everything() -> None:
    row = next(r for r in FOUND["rows"] if "B" in r["reasons"])
    name = row["different"][0]
    ours, theirs = row["metrics"][name]
    doubled = {**row, "metrics": {**row["metrics"], name: [ours, 2 * theirs]}}
    assert compare.explain(doubled, compare.reasons()) == []
    assert compare.explain({**row, "kernel": "another_kernel"}, compare.reasons()) == []


def test_compulsory_bytes_are_what_dram_delivers_beyond_l2() -> None:
    large = FOUND["beyond_l2"]
    assert len(large) >= 3 and all(r["compulsory"] > FOUND["device"]["l2_bytes"] for r in large)
    assert all(abs(r["dram_read"] / r["compulsory"] - 1) <= compare.WITHIN for r in large)


@pytest.mark.parametrize("row", FIXED, ids=lambda r: r["kernel"])
@pytest.mark.slow
def test_the_simulator_still_counts_the_same(row: dict[str, Any]) -> None:
    case = next(c for c in cases.CASES if c.label == row["label"])
    (kernel,) = compare.simulated(ROOT, case)
    assert {m: int(kernel.metrics.get(m, 0)) for m in compare.EQUAL} == {m: v[0] for m, v in row["metrics"].items()}


def test_the_committed_tables_are_those_of_the_committed_counts() -> None:
    assert tables.tables(FOUND["rows"], FOUND["beyond_l2"], compare.reasons()) == FOUND["tables"]


def test_a_name_that_no_case_has_is_told_before_anything_is_counted() -> None:
    with pytest.raises(UserError, match=r"solutions/record/softmax_tuned\.cu.*softmax_tuned 256 x 1,024"):
        run.main(["--only", "copy", "solutions/record/softmax_tuned.cu"])
