"""Measurement without a GPU: samples, limits, rooflines, result files, tables, figures, credit."""

from __future__ import annotations

import itertools
import json
import sys
from pathlib import Path

import pytest

from audits.bench import labels
from audits.bench.intensity import figure as intensity_figure
from audits.bench.roofline import figure as roofline_figure
from audits.bench.roofline import run as roofline_run
from audits.bench.roofline import traffic
from audits.bench.roofline.points import RooflinePoint, Roofs
from audits.bench.softmax import cases, results
from audits.book import tables
from onekernel.bench import credit, device
from onekernel.bench.sample import AboveRoof, Sample, compare, floor_seconds, refuse_above_roof
from onekernel.course import rungs
from onekernel.errors import UserError

ROOT = Path(__file__).resolve().parents[2]


def _around(median: float, spread: float = 0.01, count: int = 9) -> Sample:
    return Sample.of([median * (1 + spread * (i - count // 2) / count) for i in range(count)])


# --- samples ---------------------------------------------------------------------------------------------------------
def test_a_sample_is_median_and_quartiles():
    sample = Sample.of([5.0, 1.0, 2.0, 4.0, 3.0])
    assert (sample.median, sample.q1, sample.q3, sample.count) == (3.0, 2.0, 4.0, 5)
    assert sample.spread == pytest.approx(2 / 3)
    assert Sample.from_json(json.loads(json.dumps(sample.to_json()))) == sample


@pytest.mark.parametrize("times", [[], [1.0, 0.0], [-1.0]])
def test_times_that_cannot_be_are_refused(times):
    with pytest.raises(ValueError, match="above zero"):
        Sample.of(times)


def test_a_difference_within_the_spread_is_inconclusive():
    assert compare(_around(1.0), _around(1.2)) == "faster"
    assert compare(_around(1.2), _around(1.0)) == "slower"
    assert compare(_around(1.0, spread=0.5), _around(1.1, spread=0.5)) == "inconclusive"


def test_a_time_below_what_the_traffic_takes_is_refused():
    floor = floor_seconds(100e6, 100e6, 4e12, l2_bytes=60e6)
    assert floor == pytest.approx(140e6 / 4e12)  # 60 MB of the writes may still lie in L2
    assert floor_seconds(100e6, 10e6, 4e12, 60e6) == pytest.approx(25e-6)
    refuse_above_roof(_around(36e-6), floor)
    with pytest.raises(AboveRoof):
        refuse_above_roof(_around(34e-6), floor)


# --- roofline --------------------------------------------------------------------------------------------------------
ROOFS = Roofs(copy=4e12, datasheet=4.8e12, fma=60e12)


def test_the_ridge_divides_memory_from_compute():
    assert ROOFS.ridge == 15.0
    assert (ROOFS.binds(0.625), ROOFS.binds(20.0)) == ("memory", "compute")
    assert ROOFS.attainable(0.5) == 2e12 and ROOFS.attainable(100.0) == 60e12
    assert Roofs(0.0, 4.8e12, 60e12).ridge == 12.5  # nobody measured a copy


def test_a_point_lies_by_the_bytes_that_moved_and_its_bandwidth_counts_the_useful_ones():
    point = RooflinePoint("k", flops=5e6, useful_bytes=8e6, seconds=4e-6, moved_bytes=16e6)
    assert point.intensity == 0.3125
    assert point.bandwidth == pytest.approx(2e12) and point.rate(ROOFS) == pytest.approx(1.25e12)
    predicted = RooflinePoint("k", 5e6, 8e6, None)
    assert predicted.bandwidth is None and predicted.rate(ROOFS) == 0.625 * 4e12
    assert RooflinePoint.from_json(json.loads(json.dumps(point.to_json()))) == point


# --- the grid --------------------------------------------------------------------------------------------------------
def test_the_grid_holds_the_widths_that_trip_kernels():
    every = list(cases.grid())
    widths = {63, 781, 1025, 2049, 4097, 9217, 24513, 128256, 151936, 4095, 12345, 50257, 4194304}
    for dtype in ("float32", "float16", "bfloat16"):
        assert widths <= {c.cols for c in every if c.dtype == dtype}
        assert any(c.shift == 1 for c in every if c.dtype == dtype)
    assert len(set(every)) == len(every)


def test_a_cell_counts_one_read_and_one_write():
    cell = cases.Case("bfloat16", 1024, 1024)
    assert cell.bytes == 4 << 20 and cell.launch_bound
    assert not cases.Case("float32", 8192, 4096).launch_bound


@pytest.mark.parametrize(
    ("name", "slug"),
    [("NVIDIA H200", "h200"), ("NVIDIA GeForce RTX 4090", "rtx-4090"), ("NVIDIA A100-SXM4-80GB", "a100-sxm4-80gb")],
)
def test_a_card_has_one_folder(name, slug):
    assert device.slug_of(name) == slug


def test_the_command_of_a_result_does_not_say_where_it_was_written(monkeypatch):
    argv = ["/home/someone/repo/bench/softmax.py", "--quick", "--out", "/tmp/x.json", "--resume"]
    monkeypatch.setattr("sys.argv", argv)
    monkeypatch.setattr(sys.modules["__main__"], "__spec__", None)  # these tests may be run by `python -m pytest`
    made = device.provenance()
    assert made["command"] == "python bench/softmax.py --quick --resume"
    assert made["versions"]["python"]


# --- result files and tables -----------------------------------------------------------------------------------------
def _cell(rows, cols, dtype="float32", method="events", shift=0, **micros):
    size = 2 * rows * cols * (4 if dtype == "float32" else 2)
    contenders = {n: _around(t * 1e-6).to_json() if isinstance(t, float) else t for n, t in micros.items()}
    return {"dtype": dtype, "rows": rows, "cols": cols, "shift": shift, "bytes": size, "method": method,
            "contenders": contenders}  # fmt: skip


@pytest.fixture
def repository(tmp_path):
    """A root with one result file: a win, a tie, a loss, a cell below the goal, a discarded time, a small shape."""
    data = {
        "device": {"name": "NVIDIA Test", "driver": "580"}, "versions": {"python": "3", "torch": "2.11"},
        "date": "2026-01-02", "command": "python bench/softmax.py", "method": {"kinds": {"ladder/a": "ladder"}},
        "cells": [
            _cell(8192, 4096, copy=100.0, softmax_tuned=101.0, **{"F.softmax": 160.0, "ladder/a": 200.0}),
            _cell(8192, 8192, copy=100.0, softmax_tuned=101.0, QuACK=101.2),
            _cell(8192, 4095, copy=100.0, softmax_tuned=120.0, QuACK=110.0, Liger={"failed": "no"}),
            _cell(1, 4194304, copy=100.0, softmax_tuned={"median_s": 1e-9, "q1_s": 1e-9, "q3_s": 1e-9, "count": 9,
                                                        "discarded": "above the roof"}),
            _cell(128, 4096, method="graph", copy=3.0, softmax_tuned=4.0, QuACK=3.5),
        ],
    }  # fmt: skip
    folder = tmp_path / "bench" / "results" / "test"
    folder.mkdir(parents=True)
    (folder / "softmax.json").write_text(json.dumps(data))
    other = {**data, "tables": {"main": {"columns": [{"en": "what", "es": "qué"}, "us"], "rows": [["a", 1.5]]}}}
    (folder / "gelu.json").write_text(json.dumps(other))
    (tmp_path / "docs" / "es").mkdir(parents=True)
    return tmp_path


def _page(root, name, part, path="README.md"):
    page = root / path
    page.write_text(f"before\n<!-- table: {name} -->\nold\n<!-- /table -->\nafter {part}\n")
    return page


def test_shortfalls_are_what_misses_a_goal_beyond_the_spread(repository):
    _, measured = results.read(repository / "bench/results/test/softmax.json")
    found = [(s.case.shape, s.goal, s.peer) for s in results.shortfalls(measured)]
    assert found == [
        ("8192 x 4095", "peer", "QuACK"), ("8192 x 4095", "copy", "copy"), ("128 x 4096", "peer", "QuACK"),
    ]  # fmt: skip
    tie = next(c for c in measured if c.cols == 8192)
    assert tie.best_peer() == "QuACK" and tie.against_best_peer() == "inconclusive"


def test_a_discarded_time_appears_nowhere(repository):
    _, measured = results.read(repository / "bench/results/test/softmax.json")
    assert next(c for c in measured if c.cols == 4194304).of_copy("softmax_tuned") is None


def test_the_geometric_mean_is_over_large_cells(repository):
    _, measured = results.read(repository / "bench/results/test/softmax.json")
    mean, lowest, count = results.geometric_mean(measured, "softmax_tuned")
    assert count == 3 and lowest == pytest.approx(100 / 120)
    assert mean == pytest.approx((100 / 101 * 100 / 101 * 100 / 120) ** (1 / 3))
    assert results.geometric_mean(measured, "nobody") is None


def test_a_stale_table_is_found_then_written_then_clean(repository):
    page = _page(repository, "test/softmax/float32", "x")
    assert tables.refresh(repository, check=True) == [page]
    assert "old" in page.read_text()
    assert tables.refresh(repository) == [page]
    text = page.read_text()
    assert "old" not in text and text.startswith("before\n") and text.endswith("after x\n")
    assert "| 8192 x 4096 | 2.68 | 99 | 62 |" in text and "100 is the speed of torch's copy" in text
    assert "aligned" not in text
    assert "101 ~" not in text and "99 ~" in text  # the tie is marked, at the peer
    assert tables.refresh(repository, check=True) == []


EVERY_PART = ["summary", "shortfalls", "ladder", "latency", "triton-vs-cuda", "float32", "compiled"]


@pytest.mark.parametrize("part", EVERY_PART)
def test_every_part_exists_in_both_languages(repository, part):
    name = f"test/softmax/{part}"
    english, spanish = _page(repository, name, "en"), _page(repository, name, "es", "docs/es/page.md")
    tables.refresh(repository)
    assert "Reproduce" in english.read_text() and "Para reproducirlo" in spanish.read_text()


def test_a_shifted_shape_is_told_against_the_aligned_copy_too(repository):
    path = repository / "bench/results/test/softmax.json"
    data = json.loads(path.read_text())
    data["cells"].append(_cell(8192, 4096, shift=1, copy=110.0, softmax_tuned=104.0))
    path.write_text(json.dumps(data))
    page = _page(repository, "test/softmax/float32", "x")
    tables.refresh(repository)
    assert "+1: shifted by one element" in page.read_text()
    assert "| 8192 x 4096 +1 | 2.44 | 106 |" in page.read_text()
    assert "| 8192 x 4096 +1, of the aligned copy | 2.68 | 96 |" in page.read_text()


def test_what_torch_compile_reaches_is_told_by_length_and_alignment(repository):
    path = repository / "bench/results/test/softmax.json"
    data = json.loads(path.read_text())
    shapes = [(9000, 512, 0, 101.0), (9000, 1000, 0, 125.0), (9000, 2048, 0, 160.0), (9000, 4096, 0, 200.0),
              (9000, 4096, 1, 400.0), (9000, 2049, 0, 250.0), (16, 262144, 0, 500.0)]  # fmt: skip
    data["cells"] = [_cell(r, c, shift=s, copy=100.0, **{"torch.compile": t}) for r, c, s, t in shapes]
    path.write_text(json.dumps(data))
    page = _page(repository, "test/softmax/compiled", "x", "docs/es/page.md")
    english = _page(repository, "test/softmax/compiled", "x")
    tables.refresh(repository)
    lines = english.read_text().splitlines()
    assert [line for line in lines if line.startswith("| ") and "rows |" not in line] == [
        "| up to 1024 columns, a multiple of 16 | 99 |", "| up to 1024, all others | 80 |",
        "| above 1024, a multiple of 16 | 50 to 62 |", "| above 1024, all others | 25 to 40 |",
        "| 128 rows or fewer | 20 |",
    ]  # fmt: skip
    assert "de 50 a 62" in page.read_text()


def test_what_chapter_03_says_of_torch_compile_is_what_was_measured():
    """Its ledger's bound above 1024 columns, 2 / 3 of a copy, holds but for aligned rows in fp32; the pages' prose."""
    _, cells = results.read(Path(__file__).parents[2] / "bench/results/h200/softmax.json")
    above = [c for c in cells if c.cols > 1024 and c.method == "events" and "torch.compile" in c.samples]
    past = [c for c in above if c.of_copy("torch.compile") > 2 / 3]
    assert past and all(c.dtype == "float32" and c.cols % 16 == 0 and not c.shift for c in past)
    for lang in ("en", "es"):
        page = Path(__file__).parents[2] / "docs" / lang / "03-06-limits.md"
        assert "<!-- table: h200/softmax/compiled -->" in page.read_text(encoding="utf-8")


def test_a_slow_kernel_is_not_shown_as_standing_still(repository):
    path = repository / "bench/results/test/softmax.json"
    data = json.loads(path.read_text())
    data["cells"][0]["contenders"]["ladder/a"] = _around(0.1).to_json()
    path.write_text(json.dumps(data))
    page = _page(repository, "test/softmax/ladder", "x")
    tables.refresh(repository)
    assert "| `ladder/a` | 0.1 |" in page.read_text()


def test_a_figure_s_caption_and_the_standing_of_its_kernels_are_written_from_the_results(repository):
    data = {
        "device": {"name": "NVIDIA Test", "driver": "580"}, "versions": {"torch": "2.11"}, "date": "2026-01-02",
        "command": "python bench/roofline.py", "roofs": {"copy": 4e12, "datasheet": 4.8e12, "fma": 6e13},
        "points": [
            RooflinePoint(name, 1e6, 8e6, seconds, in_l2=in_l2).to_json()
            for name, seconds, in_l2 in (("softmax_naive", 1e-3, False), ("softmax_tuned", 2e-6, False),
                                         ("ladder/1", 2e-5, False), ("ladder/2", 4e-6, False), ("warm", 1e-6, True))
        ],
    }  # fmt: skip
    (repository / "bench/results/test/roofline.json").write_text(json.dumps(data))
    english = _page(repository, "test/roofline/standing", "x")
    spanish = _page(repository, "test/roofline/caption", "x", "README.es.md")
    tables.refresh(repository)
    shares = "`softmax_naive`: 0.2 %; reading ladder: 10 to 50 %; `softmax_tuned`: 100 %."
    assert f"As a percentage of the 4.00 TB/s of a 1 GiB copy: {shares} NVIDIA Test" in english.read_text()
    assert "controlador 580, torch 2.11, 2026-01-02" in spanish.read_text() and "100" not in spanish.read_text()


def test_a_result_of_the_cpu_has_a_caption_too(repository):
    folder = repository / "bench/results/cpu"
    folder.mkdir()
    cost = {"columns": ["row", "s"], "rows": [["numpy", "0.1"]]}
    data = {"machine": "a laptop", "versions": {"numpy": "2.4"}, "date": "2026-01-02", "command": "c"}
    (folder / "minigpt.json").write_text(json.dumps(data | {"tables": {"cost": cost}}))
    page = _page(repository, "cpu/minigpt/cost", "x")
    tables.refresh(repository)
    assert "| numpy | 0.1 |" in page.read_text() and "a laptop, numpy 2.4, 2026-01-02" in page.read_text()


def test_any_bench_may_bring_its_own_table(repository):
    english = _page(repository, "test/gelu/main", "x")
    spanish = _page(repository, "test/gelu/main", "x", "README.es.md")
    tables.refresh(repository)
    assert "| what | us |" in english.read_text() and "| a | 1.5 |" in english.read_text()
    assert "| qué | us |" in spanish.read_text()


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("other/softmax/float32", "bench/results/other/softmax.json"),
        ("test/softmax/nothing", "there is no table"),
        ("test/gelu/nothing", "known: main, caption"),
        ("short", "there is no table"),
    ],
)
def test_a_marker_that_cannot_be_filled_names_page_line_and_mend(repository, name, says):
    page = _page(repository, name, "x")
    before = page.read_text()
    with pytest.raises(UserError, match=r"README\.md:2") as caught:
        tables.refresh(repository)
    assert says in str(caught.value) and page.read_text() == before


def test_a_table_without_an_end_loses_nothing(repository):
    page = repository / "README.md"
    page.write_text("<!-- table: test/softmax/float32 -->\nprecious\n")
    with pytest.raises(UserError, match="never closed"):
        tables.refresh(repository)
    assert "precious" in page.read_text()


def test_the_tenth_rung_comes_after_the_ninth():
    ladder = list(rungs(ROOT))
    assert ladder.index("ladder/10_regimes") == ladder.index("ladder/9_sixteen_bits") + 1
    names = ("ladder/10_regimes", "ladder/9_sixteen_bits", "F.softmax", "ladder/1_row_per_thread")
    points = [RooflinePoint(name, 1.0, 1.0, 1.0) for name in names]
    assert [p.name for p in roofline_run._ordered(points)] == [names[k] for k in (2, 3, 1, 0)]


# --- figures ---------------------------------------------------------------------------------------------------------
def test_labels_keep_their_order_and_their_distance():
    wanted = [0.0, 1.0, 1.5, 50.0, 51.0, 100.0]
    placed = labels._spread(wanted, 12.0)
    assert all(b - a >= 12.0 - 1e-9 for a, b in itertools.pairwise(placed))
    assert placed[-1] == 100.0  # nobody near: it stays


def test_labels_stay_below_what_they_must_not_cross():
    assert labels._below(10.0, [3.0, 9.0, 12.0, 30.0], 4.0) == [-2.0, 2.0, 6.0, 10.0]
    assert labels._below(100.0, [3.0, 9.0], 4.0) == [3.0, 9.0]


@pytest.mark.parametrize("lang", ["en", "es"])
@pytest.mark.slow
def test_figures_are_written_twice_and_are_reproducible(tmp_path, lang):
    points = [
        RooflinePoint("softmax_naive", 5e6, 8e6, 1e-3),
        RooflinePoint("softmax_tuned", 5e6, 8e6, 2.1e-6),
        RooflinePoint("ladder/one", 5e6, 8e6, 9e-6, moved_bytes=2e7),
        RooflinePoint("ladder/two", 5e6, 8e6, 3e-6),
        RooflinePoint("softmax_tuned small", 5e6, 8e6, 1e-6, in_l2=True),
    ]
    first = roofline_figure.draw(tmp_path / "a", points, ROOFS, "heading", "under", lang, predicted=False)
    again = roofline_figure.draw(tmp_path / "b", points, ROOFS, "heading", "under", lang, predicted=False)
    assert [p.suffix for p in first] == [".png", ".svg"]
    assert [p.read_bytes() for p in first] == [p.read_bytes() for p in again]
    walk = ([1, 2, 4], [4e12, 4e12, 2e12], [1e12, 2e12, 2e12])
    intensity_figure.draw(tmp_path / "c", *walk, ROOFS, {"ridge-datasheet": 3.0}, "h", "u", lang, True)
    assert (tmp_path / "c.png").stat().st_size > 10_000


# --- predictions -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("ledger", "expected"),
    [
        ("// Ledger: reads 3, writes 1", 16.0),
        ("// Ledger: reads 2*cols+1, writes 1", 4 * (2 * 100 + 2)),
        ("# Ledger (tile): reads 1, writes 1\n# Ledger (split): reads 2, writes 1", 8.0),
    ],
)
def test_a_ledger_is_read_as_traffic(tmp_path, ledger, expected):
    path = tmp_path / "kernel.py"
    path.write_text(ledger + "\n")
    assert traffic.traffic(path, cols=100) == traffic.Traffic(expected, "ledger")


def test_a_file_without_a_ledger_predicts_nothing(tmp_path):
    path = tmp_path / "kernel.py"
    path.write_text("pass\n")
    assert traffic.traffic(path, cols=100) is None


# --- credit ----------------------------------------------------------------------------------------------------------
def _times(share_of_copy: float, torch_share: float = 0.6, **changes):
    times = {}
    for dtype in credit.DTYPES:
        for shape in credit.SHAPES:
            ours = _around(100e-6 / share_of_copy)
            times[dtype, *shape] = credit.Timed(ours, _around(100e-6), _around(100e-6 / torch_share), 80e-6, True)
    return times | changes


@pytest.mark.parametrize(
    ("share", "fraction"),
    [(0.90, 1.0), (1.0, 1.0), (0.45, 0.4 + 0.6 * 0.5), (0.19, 0.4 + 0.6 * 0.19 / 0.9), (0.17, 0.0)],
)
def test_credit_starts_at_a_third_of_torch_and_is_full_near_the_copy(share, fraction):
    assert credit.score(_times(share)).fraction == pytest.approx(fraction, rel=1e-6)


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"right": False}, "bench.credit-wrong"),
        ({"ours": _around(50e-6)}, "bench.credit-above-roof"),  # faster than the card
        (None, "bench.credit-missing"),
    ],
)
def test_a_time_that_cannot_be_believed_counts_as_zero(change, key):
    times = _times(0.95)
    odd = ("bfloat16", *credit.SHAPES[0])
    if change is None:
        del times[odd]
    else:
        times[odd] = credit.Timed(**{**vars(times[odd]), **change})
    scored = credit.score(times)
    assert scored.fraction == pytest.approx(0.4 + 0.6 * 0.9 * 0.95 / 0.9, rel=1e-6)
    assert [note.key for note in scored.notes] == [key, "bench.credit-copy"]
    assert all(note.text(lang) for note in scored.notes for lang in ("en", "es"))


def test_one_time_is_told_beside_the_copy_and_torch_or_why_it_does_not_stand():
    timed = credit.Timed(_around(100e-6), _around(80e-6), _around(150e-6), 70e-6, True)
    told = credit.tell(timed, "bfloat16", (64, 4095)).text("en")
    assert told.startswith("bfloat16 64 x 4095: 100.0 us")
    assert "80 % of the copy" in told and "150 % of the speed of F.softmax" in told
    assert credit.tell(None, "float32", (1, 1)).key == "bench.credit-missing"


def test_without_the_representative_shape_there_is_no_credit():
    times = _times(0.95)
    del times["float32", *credit.REPRESENTATIVE]
    assert credit.score(times).fraction == 0.0
