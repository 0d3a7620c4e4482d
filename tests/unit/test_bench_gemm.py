"""The GEMM bench without a GPU: its cells, what it refuses as wrong, and the tables of what was measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from onekernel.bench import records
from onekernel.bench.gemm import both, figure, stalls, tables
from onekernel.bench.gemm.build import arch_of, code_hash
from onekernel.bench.gemm.cells import KINDS, Cell, grid
from onekernel.bench.roofline.points import RooflinePoint, Roofs
from onekernel.errors import UserError

ROOT = Path(__file__).parents[2]
RESULT = ROOT / "bench" / "results" / "h200" / "gemm.json"


def test_the_grid_has_more_than_forty_cells_once_and_every_kind() -> None:
    walk = list(grid())
    assert len(walk) == len(set(walk)) > 40 and {c.kind for c in walk} == set(KINDS)
    cell = Cell("square", "bfloat16", 4, 6, 10)
    assert cell.flops == 2 * 4 * 6 * 10 and cell.bytes == 2 * (40 + 60 + 24)


def test_hopper_is_built_for_with_its_own_instructions_and_no_other_card_is() -> None:
    assert [arch_of(capability) for capability in ("8.0", "8.9", "9.0", "12.0")] == ["80", "89", "90a", "120"]


@pytest.mark.parametrize("spoiled", ["an element", "a tile", "NaN", "nothing"])
def test_an_output_that_is_wrong_anywhere_is_refused(spoiled: str) -> None:
    torch = pytest.importorskip("torch")
    from onekernel.bench.gemm import answers

    cell = Cell("square", "bfloat16", 200, 96, 128, turned=True)
    torch.manual_seed(0)
    a, b = torch.randn(200, 128).bfloat16(), torch.randn(96, 128).bfloat16()
    want = (a.float() @ b.float().T).bfloat16()
    right, got = answers.reference(cell, a, b), want.clone()
    if spoiled == "an element":
        got[right.rows[1], 3] += 1
    elif spoiled == "a tile":
        free = next(r for r in range(0, 192, 8) if not set(range(r, r + 8)) & set(right.rows))
        got[free : free + 8, :8] = 0  # in none of the rows that are looked at one by one
    elif spoiled == "NaN":
        got[right.rows[0], 0] = torch.nan
    else:
        return answers.check(cell, "gemm_tensorcore", got, want, right)
    with pytest.raises(answers.WrongOutput, match=r"beyond the tolerance|differs from the library"):
        answers.check(cell, "gemm_tensorcore", got, want, right)


def test_a_share_is_of_the_librarys_better_door_and_absent_where_there_is_no_time() -> None:
    ways = {
        "cublas": {"median_s": 2.0},
        "cublaslt": {"median_s": 1.0},
        "mine": {"median_s": 4.0},
        "bad": {"failed": "x"},
    }
    cell = {"ways": ways, "m": 8, "n": 8, "k": 8, "turned": False}
    assert figure.share(cell, "mine") == 0.25 and figure.share(cell, "bad") is None
    assert tables.geometric_mean([cell, {**cell, "ways": {**ways, "mine": {"median_s": 1.0}}}], "mine") == 0.5


@pytest.mark.parametrize("lang", ["en", "es"])
@pytest.mark.parametrize("part", sorted(tables.PARTS))
def test_each_table_has_as_many_cells_in_each_row_as_columns(part: str, lang: str) -> None:
    lines = [line for line in tables.PARTS[part](RESULT, lang) if line.startswith("|")]
    assert len(lines) >= 3 and len({line.count("|") for line in lines}) == 1


def test_each_page_of_the_ladder_has_its_own_rungs_and_together_they_have_all() -> None:
    pages = [part for name, part in tables.PARTS.items() if name.startswith("rungs-")]
    rows = [line for part in pages for line in part(RESULT, "en") if line.startswith("| [`gemm_")]
    assert [int(row[9:11]) for row in rows] == list(range(1, 15))
    assert all((ROOT / "solutions" / f"{row.split('solutions/')[1].split(')')[0]}").is_file() for row in rows)
    assert rows[0].endswith("| - |") and rows[9].endswith("| - |")  # the first of each type has none before it


def test_softmax_and_gemm_stand_below_the_roofs_that_are_drawn() -> None:
    cells, roofline = records.read(RESULT)["cells"], records.read(RESULT.with_name("roofline.json"))
    points = [RooflinePoint.from_json(p) for p in roofline["points"]]
    roofs, found = Roofs.from_json(roofline["roofs"]), list(both.standings(cells, points))
    assert {s.column for s in found} == set(both.COLUMNS)
    for column, flat in (("fp32", roofs.fma), ("bf16", both.fastest(cells)), ("softmax", roofs.fma)):
        here = [s for s in found if s.column == column]
        assert len(here) > 5 and len({s.intensity for s in here}) == 1
        assert all(s.rate <= min(flat, 1.05 * s.intensity * roofs.copy) for s in here)
    assert {round(s.intensity) for s in found if s.column in ("fp32", "bf16")} == {683, 1365}  # sides / 6 and / 3


def test_what_is_measured_is_what_lies_here() -> None:
    """A kernel whose code was changed is measured again before its figures are shown."""
    for name, kept in records.read(RESULT)["kernels"].items():
        file = "gemm_tensorcore" if name == "gemm_mma" else name
        assert code_hash(ROOT / "solutions" / f"{file}.cu") == kept, name


def test_ncus_raw_page_is_read_and_another_file_is_refused(tmp_path: Path) -> None:
    names = [*stalls.METRICS.values(), "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio",
             "smsp__average_warps_issue_stalled_wait_per_issue_active.ratio",
             "smsp__average_warps_issue_stalled_selected_per_issue_active.ratio"]  # fmt: skip
    values = ["2,000", "50", "10", "20", "1,234", "64", "0.5", "1.5", "1"]
    rows = [["==PROF== Connected"], ["ID", "Kernel Name", *names], ["", "", *["%"] * len(names)],
            ["0", "void k<0>(float *)", *values]]  # fmt: skip
    path = tmp_path / "raw.csv"
    path.write_text("\n".join(",".join(f'"{v}"' for v in row) for row in rows), encoding="utf-8")
    (found,) = stalls.read(path)
    assert found["kernel"] == "k<0>" and found["seconds"] == pytest.approx(2e-6) and found["conflicts"] == 1234
    assert list(found["stalls"].items()) == [("wait", 1.5), ("barrier", 0.5)]
    path.write_text("nothing\n", encoding="utf-8")
    with pytest.raises(UserError, match="no raw page"):
        stalls.read(path)
