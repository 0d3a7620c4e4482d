"""The GEMM bench without a GPU: its cells, what it refuses as wrong, and the tables of what was measured."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from audits import records
from audits.bench.gemm import figure, roofline, run, tables
from audits.bench.gemm.build import arch_of, code_hash
from audits.bench.gemm.cells import KINDS, Cell, grid
from audits.bench.gemm.ways import OWN, RUNG, contenders, takes_part
from audits.bench.roofline.points import RooflinePoint, Roofs
from onekernel.bench import device
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
    from audits.bench.gemm import measurement

    cell = Cell("square", "bfloat16", 200, 96, 128, turned=True)
    torch.manual_seed(0)
    a, b = torch.randn(200, 128).bfloat16(), torch.randn(96, 128).bfloat16()
    want = (a.float() @ b.float().T).bfloat16()
    right, got = measurement.reference(cell, a, b), want.clone()
    if spoiled == "an element":
        got[right.rows[1], 3] += 1
    elif spoiled == "a tile":
        free = next(r for r in range(0, 192, 8) if not set(range(r, r + 8)) & set(right.rows))
        got[free : free + 8, :8] = 0  # in none of the rows that are looked at one by one
    elif spoiled == "NaN":
        got[right.rows[0], 0] = torch.nan
    else:
        return measurement.check(cell, "gemm_tensorcore", got, want, right)
    with pytest.raises(measurement.WrongOutput, match=r"beyond the tolerance|differs from the library"):
        measurement.check(cell, "gemm_tensorcore", got, want, right)


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
    cells, softmax = records.read(RESULT)["cells"], records.read(RESULT.with_name("roofline.json"))
    points = [RooflinePoint.from_json(p) for p in softmax["points"]]
    roofs, found = Roofs.from_json(softmax["roofs"]), list(roofline.standings(cells, points))
    assert {s.column for s in found} == set(roofline.COLUMNS)
    for column, flat in (("fp32", roofs.fma), ("bf16", roofline.fastest(cells)), ("softmax", roofs.fma)):
        here = [s for s in found if s.column == column]
        assert len(here) > 5 and len({s.intensity for s in here}) == 1
        assert all(s.rate <= min(flat, 1.05 * s.intensity * roofs.copy) for s in here)
    assert {round(s.intensity) for s in found if s.column in ("fp32", "bf16")} == {683, 1365}  # sides / 6 and / 3


def test_every_kernel_of_the_course_and_every_rung_has_cells_that_it_is_made_for() -> None:
    found = contenders(ROOT)
    assert [name for name in found if not name.startswith(RUNG)] == list(OWN)
    cells = {name: [cell for cell in grid() if takes_part(name, cell)] for name in found}
    assert all(cells.values())
    assert [(c.dtype, c.m) for c in cells["gemm_tiled"]] == [("float32", size) for size in (8192, 4096, 2048)]
    assert {c.dtype for c in cells[f"{RUNG}gemm_09_warp_tiles"]} == {"float32"}


def _sample(seconds: float) -> dict[str, Any]:
    return {"median_s": seconds, "q1_s": seconds, "q3_s": seconds, "count": 11}


@pytest.fixture
def without(tmp_path: Path) -> Path:
    """The record of the H200 as it is without gemm_tiled, in a folder of its own."""
    data = records.read(RESULT)
    data.pop("later", None)
    data["kernels"].pop("gemm_tiled", None)
    for cell in data["cells"]:
        cell["ways"].pop("gemm_tiled", None)
    path = tmp_path / "bench" / "results" / "h200" / "gemm.json"
    records.write(path, data)
    return path


def _measured_later(
    path: Path, monkeypatch: pytest.MonkeyPatch, seconds: float = 4e-3, names: tuple[str, ...] = ("gemm_tiled",)
) -> None:
    """A run of `--ways` in which cuBLAS takes 3 ms and each way of `names` takes `seconds`, without a GPU."""
    pytest.importorskip("torch")

    def measured(cell: Cell, ways: object, emptier: object) -> dict[str, Any]:
        library = {"cublas": _sample(3e-3), "cublaslt": _sample(5e-3)}
        part = {name: _sample(seconds) for name in names if takes_part(name, cell)}
        return {"kind": cell.kind, "dtype": cell.dtype, "m": cell.m, "n": cell.n, "k": cell.k, "turned": cell.turned,
                "flops": cell.flops, "bytes": cell.bytes, "ways": library | part, "state": {}}  # fmt: skip

    card = records.read(RESULT)["device"]
    monkeypatch.setattr(run.command, "has_gpu", lambda instead: True)
    monkeypatch.setattr(run.device, "current", lambda: device.Device(**card))
    monkeypatch.setattr(run, "L2Emptier", lambda: None)
    monkeypatch.setattr(
        run, "Ways", lambda root, arch, only: SimpleNamespace(sources={name: contenders(root)[name] for name in only})
    )
    monkeypatch.setattr(run, "measure", measured)
    monkeypatch.setattr(run, "draw", lambda *_: 0)
    assert run.main(["--ways", *names, "--out", str(path.parent)]) == 0


def test_a_kernel_that_is_measured_later_joins_the_record_and_nothing_else_changes(
    without: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = records.read(without)
    _measured_later(without, monkeypatch)
    after = records.read(without)
    assert after["kernels"] == before["kernels"] | {"gemm_tiled": code_hash(ROOT / "solutions" / "gemm_tiled.cu")}
    (told,) = after.pop("later")
    assert told["ways"] == ["gemm_tiled"] and {"versions", "date", "command"} < set(told)
    mine = [cell["ways"].pop("gemm_tiled") for cell in after["cells"] if "gemm_tiled" in cell["ways"]]
    assert len(mine) == 3 and after | {"kernels": 0} == before | {"kernels": 0}


def test_its_share_is_of_the_library_in_its_own_run(without: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _measured_later(without, monkeypatch)
    for cell in records.read(without)["cells"]:
        if "gemm_tiled" in cell["ways"]:
            assert figure.share(cell, "gemm_tiled") == 0.75 and figure.best(cell) != 3e-3


def test_a_kernel_that_is_measured_twice_later_is_told_of_once(without: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _measured_later(without, monkeypatch)
    _measured_later(without, monkeypatch, 6e-3, ("gemm_tiled", "gemm_skinny"))
    data = records.read(without)
    assert [told["ways"] for told in data["later"]] == [["gemm_skinny", "gemm_tiled"]]
    assert {figure.share(cell, "gemm_tiled") for cell in data["cells"]} == {None, 0.5}


def test_a_cell_that_the_record_lacks_is_taken_whole(without: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = records.read(without)
    data["cells"] = [cell for cell in data["cells"] if cell["dtype"] != "float32"]
    records.write(without, data)
    _measured_later(without, monkeypatch)
    found = [cell for cell in records.read(without)["cells"] if cell["dtype"] == "float32"]
    assert len(found) == 3 and all(figure.share(cell, "gemm_tiled") == 0.75 for cell in found)


@pytest.mark.parametrize("lang", ["en", "es"])
def test_a_kernel_has_a_column_and_a_word_below_the_table_once_it_was_measured(
    without: Path, monkeypatch: pytest.MonkeyPatch, lang: str
) -> None:
    absent = tables.shares(without, lang)
    _measured_later(without, monkeypatch)
    present = tables.shares(without, lang)
    assert "gemm_tiled" not in "".join(absent) and "| gemm_tiled |" in present[0]
    assert [line.split("|")[-3].strip() for line in present if "4096 x 4096 x 4096 | float32" in line] == ["75"]
    assert "gemm_tiled (" in present[-1] and "gemm_tiled (" not in absent[-1]
    assert "gemm_tiled" not in tables.ladder(without, lang)[-1]  # which does not show it


@pytest.mark.slow
@pytest.mark.parametrize("lang", ["en", "es"])
def test_the_figures_are_drawn_with_it_and_without(
    without: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, lang: str
) -> None:
    def drawn() -> str:
        data = records.read(without)
        paths = figure.draw(tmp_path / "one", data["cells"], "heading", "under", lang)
        return next(p for p in paths if p.suffix == ".svg").read_text(encoding="utf-8")

    first = drawn()
    _measured_later(without, monkeypatch)
    assert drawn() != first
    points = [RooflinePoint.from_json(p) for p in records.read(RESULT.with_name("roofline.json"))["points"]]
    (mine,) = (s for s in roofline.standings(records.read(without)["cells"], points) if s.name == "gemm_tiled")
    assert mine.column == "fp32" and mine.rate == pytest.approx(2 * 4096**3 / 4e-3)


def test_a_dry_run_names_each_kernel_with_its_cells(capsys: pytest.CaptureFixture[str]) -> None:
    assert run.main(["--dry-run", "--ways", "gemm_tiled"]) == 0
    told = capsys.readouterr().out
    assert "gemm_tiled beside cublas, cublaslt: 3 cells" in told and "gemm_mma" not in told
    assert run.main(["--dry-run"]) == 0
    assert "gemm_tiled beside" in (told := capsys.readouterr().out) and "gemm_14" in told
    with pytest.raises(UserError, match="gemm_unheard"):
        run.main(["--dry-run", "--ways", "gemm_unheard"])


def test_what_is_measured_is_what_lies_here() -> None:
    """A kernel whose code was changed is measured again before its figures are shown."""
    for name, kept in records.read(RESULT)["kernels"].items():
        file = "gemm_tensorcore" if name == "gemm_mma" else name
        assert code_hash(ROOT / "solutions" / f"{file}.cu") == kept, name


def test_ncus_raw_page_is_read_and_another_file_is_refused(tmp_path: Path) -> None:
    names = [*run.PROFILED.values(), "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio",
             "smsp__average_warps_issue_stalled_wait_per_issue_active.ratio",
             "smsp__average_warps_issue_stalled_selected_per_issue_active.ratio"]  # fmt: skip
    values = ["2,000", "50", "10", "20", "1,234", "64", "0.5", "1.5", "1"]
    rows = [["==PROF== Connected"], ["ID", "Kernel Name", *names], ["", "", *["%"] * len(names)],
            ["0", "void k<0>(float *)", *values]]  # fmt: skip
    path = tmp_path / "raw.csv"
    path.write_text("\n".join(",".join(f'"{v}"' for v in row) for row in rows), encoding="utf-8")
    (found,) = run.rungs_profiled(path)
    assert found["kernel"] == "k<0>" and found["seconds"] == pytest.approx(2e-6) and found["conflicts"] == 1234
    assert list(found["stalls"].items()) == [("wait", 1.5), ("barrier", 0.5)]
    path.write_text("nothing\n", encoding="utf-8")
    with pytest.raises(UserError, match="not a raw page"):
        run.rungs_profiled(path)
