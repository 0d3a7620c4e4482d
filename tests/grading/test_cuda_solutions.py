"""The CUDA solutions and the ladder: right on every case, silent, with the traffic that their headers state."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from onekernel import counts, simulator
from onekernel.backends.base import Buffer
from onekernel.grading import buffers
from onekernel.messages import Message
from onekernel.ops import OPERATORS, Case
from onekernel.ops.base import SIMULATED
from support.course import COURSE

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
SOLUTIONS = ROOT / "solutions"
LADDER = sorted((SOLUTIONS / "ladder").glob("[0-9]*.cu"))
TUNED = SOLUTIONS / "record" / "softmax_tuned.cu"
ANSWER = SOLUTIONS / "softmax_tuned.cu"
SOFTMAX = OPERATORS["softmax"]
CASES = [c for c in SOFTMAX.cases if c.plain and c.runs(SIMULATED) and c.group != "rows"]  # 70,001 blocks: a minute
LEDGER = re.compile(r"^// Ledger(?: \((.*)\))?: reads (\S+), writes (\S+)$", re.MULTILINE)


def launcher(path: Path) -> str:
    return re.findall(r'extern "C" cudaError_t (\w+)', path.read_text(encoding="utf-8"))[0]


def ledger(path: Path, cols: int = 0) -> dict[str, tuple[float, float]]:
    """Reads and writes by regime; the expressions of the headers are sums and products of numbers and `cols`."""
    found = {}
    for regime, *sides in LEDGER.findall(path.read_text(encoding="utf-8")):
        assert all(re.fullmatch(r"[\d.+*]+|[\d.+*]*cols[\d.+*]*", side) for side in sides), sides
        reads, writes = (float(eval(side, {"__builtins__": {}}, {"cols": cols})) for side in sides)
        found[regime] = (reads, writes)
    return found


def case(rows: int, cols: int, gaps: tuple[int, int] = (0, 0), shift: int = 0, fill=None) -> Case:
    def normal(rng: np.random.Generator, sizes) -> dict[str, np.ndarray]:
        return {"x": rng.standard_normal((sizes["rows"], sizes["cols"]))}

    sizes = {"rows": rows, "cols": cols}
    return Case(f"{rows}x{cols}", "own", sizes, fill or normal, Message("x"), {"x": gaps[0], "y": gaps[1]}, shift)


def wrong(program, operator, slug: str, drawn: Case, dtype: str) -> str | None:
    call = buffers.make(operator, slug, drawn, dtype, seed=1)
    report = program.call(call.function, call.args)
    if report.status or report.findings:
        return f"{drawn.name} {dtype}: {report.status_name} {[str(f) for f in report.findings]}"
    after = {a.name: a.memory for a in call.args if isinstance(a, Buffer)}
    fault = buffers.judge(operator, call, after)
    return f"{drawn.name} {dtype}: {fault.message}" if fault else None


def counted(
    path: Path, rows: int, cols: int, dtype: str = "float32", arch: str = "sm_80", **layout
) -> tuple[float, float]:
    """Elements that threads read and wrote in global memory, per element of the output."""
    call = buffers.make(SOFTMAX, launcher(path), case(rows, cols, **layout), dtype, seed=1)
    report = simulator.build(path, "count", arch=arch).call(call.function, call.args)
    assert not report.status and not report.findings, [str(f) for f in report.findings]
    itemsize = next(a.itemsize for a in call.args if isinstance(a, Buffer))
    read, written = (
        sum(k.metrics.get(name, 0) for k in report.kernels) / (rows * cols * itemsize)
        for name in (counts.BYTES_LOADED, counts.BYTES_STORED)
    )
    return read, written


@pytest.mark.parametrize("name", ["vector_add", "dot_product", "softmax_naive", "softmax_block"])
def test_an_exercise_is_right_on_every_case(name):
    operator = OPERATORS[name if name in OPERATORS else "softmax"]
    program = simulator.build(SOLUTIONS / f"{name}.cu")
    few = [c for c in operator.cases if c.plain and c.runs(SIMULATED)]
    if name == "softmax_naive":  # it reads its row for each output: no longer ones than its checks ask for
        asked = {group for check in COURSE.exercises[name].checks for group in check.options.get("groups", ())}
        few = [c for c in few if c.group in asked]
    else:
        few = [c for c in few if c.group != "rows"]
    assert not [w for c in few if (w := wrong(program, operator, name, c, "float32"))]


@pytest.mark.parametrize("path", LADDER, ids=lambda p: p.stem)
def test_a_rung_is_right_on_every_case_and_where_alignments_differ(path):
    program = simulator.build(path)
    more = [case(3, c, gaps, shift) for c in (4, 129, 1023, 4100, 40001) for gaps, shift in (((1, 0), 0), ((0, 3), 1))]
    own = [*CASES, *more]
    assert not [w for c in own if (w := wrong(program, SOFTMAX, launcher(path), c, "float32"))]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", ["9_sixteen_bits", "10_regimes"])
def test_a_rung_for_16_bits_is_right_in_them(name, dtype):
    path = SOLUTIONS / "ladder" / f"{name}.cu"
    more = [case(3, c, gaps, shift) for c in (257, 1025, 8193, 40001) for gaps, shift in (((0, 0), 0), ((1, 2), 3))]
    program = simulator.build(path)
    assert not [w for c in [*CASES, *more] if (w := wrong(program, SOFTMAX, launcher(path), c, dtype))]


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("path", [TUNED, ANSWER], ids=["record", "answer"])
def test_the_tuned_softmax_is_right_on_every_case(path, dtype):
    program = simulator.build(path)
    assert not [w for c in CASES if (w := wrong(program, SOFTMAX, "softmax_tuned", c, dtype))]


@pytest.mark.parametrize("arch", ["", "sm_90"])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize(("gaps", "shift"), [((0, 0), 0), ((1, 2), 3)], ids=["aligned", "unlike"])
def test_the_answer_holds_at_the_limits_of_its_scopes(dtype, gaps, shift, arch):
    program = simulator.build(ANSWER, arch=arch) if arch else simulator.build(ANSWER)
    columns = [limit + d for limit in (256, 1024, 8192, 16384, 32768, 65536) for d in (0, 1)] + [131_073, 140_001]
    assert not [w for c in columns if (w := wrong(program, SOFTMAX, "softmax_tuned", case(2, c, gaps, shift), dtype))]


# By the number of vectors in a row: each kernel's shortest and longest row, and both sides of each limit.
LIMITS = sorted({w + d for w in (2, 4, 8, 16, 32, 64, 128, 256, 2048) for d in (-1, 0, 1)})


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize(("gaps", "shift"), [((0, 0), 0), ((1, 2), 3)], ids=["aligned", "unlike"])
def test_the_tuned_softmax_holds_at_the_limits_of_its_regimes(dtype, gaps, shift):
    program = simulator.build(TUNED)
    in_16_bytes = 4 if dtype == "float32" else 8
    shapes = [(3, v * in_16_bytes + d) for v in LIMITS for d in (0, in_16_bytes - 1)]
    found = [wrong(program, SOFTMAX, "softmax_tuned", case(r, c, gaps, shift), dtype) for r, c in shapes]
    assert not [w for w in found if w]


@pytest.fixture(scope="module")
def many(tmp_path_factory) -> Path:
    """The tuned softmax with the scopes of many rows, taken for few of them as well."""
    text, few = TUNED.read_text(encoding="utf-8"), "const bool soon = "
    assert text.count(few) == 1
    path = tmp_path_factory.mktemp("many") / "softmax_tuned.cu"
    path.write_text(text.replace(few, "const bool soon = false && "), encoding="utf-8")
    return path


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_the_tuned_softmax_is_right_as_it_is_for_many_rows(many, dtype):
    in_16_bytes = 4 if dtype == "float32" else 8
    layouts = (((0, 0), 0), ((1, 2), 3))
    cases = [case(3, v * in_16_bytes + d, *layout) for v in (128, 256, 600) for d in (0, 1) for layout in layouts]
    special = next(c for c in SOFTMAX.cases if c.name.startswith("special"))
    cases += [replace(special, sizes={"rows": 6, "cols": v * in_16_bytes}) for v in (200, 600)]
    program = simulator.build(many)
    assert not [w for c in cases if (w := wrong(program, SOFTMAX, "softmax_tuned", c, dtype))]


def _two_launches(dtype: str) -> int:
    """Columns that a block cannot hold in shared memory, on a card without clusters."""
    return 60_001 if dtype == "float32" else 120_003


@pytest.fixture(scope="module")
def team(tmp_path_factory) -> Path:
    """The tuned softmax with its scope for long rows of many blocks, taken for few of them as well."""
    text, few = TUNED.read_text(encoding="utf-8"), "constexpr int kFewBlocks = 256;"
    assert few in text
    path = tmp_path_factory.mktemp("team") / "softmax_tuned.cu"
    path.write_text(text.replace(few, "constexpr int kFewBlocks = 0;"), encoding="utf-8")
    return path


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_a_team_is_right_where_alignments_differ_and_where_parts_have_nothing(team, dtype):
    program, edge = simulator.build(team), _two_launches(dtype)
    shapes = [(3, edge, (0, 0), 0), (2, 2 * edge, (0, 0), 0), (3, edge + 30_000, (1, 2), 3), (2, edge + 1, (0, 1), 1)]
    special = next(c for c in SOFTMAX.cases if c.name.startswith("special"))
    drawn = [case(*shape) for shape in shapes] + [replace(special, sizes={"rows": 6, "cols": edge})]
    assert not [w for c in drawn if (w := wrong(program, SOFTMAX, "softmax_tuned", c, dtype))]


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_the_teams_ledger_is_what_the_simulator_counts(team, dtype):
    reads, writes = counted(team, 2, 2 * _two_launches(dtype), dtype, gaps=(3, 1))
    assert (reads, writes) == pytest.approx(ledger(TUNED)["team"], rel=0.01)  # the words of its parts: below 1 %


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("cols", [70, 300, 3000, 17_000, None], ids=lambda c: str(c or "two launches"))
def test_special_values_stay_in_their_rows_in_every_regime(dtype, cols):
    special = next(c for c in SOFTMAX.cases if c.name.startswith("special"))
    drawn = replace(special, sizes={"rows": 6, "cols": cols or _two_launches(dtype)})
    assert wrong(simulator.build(TUNED), SOFTMAX, "softmax_tuned", drawn, dtype) is None


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("cols", [300, 5000, 17_000])
def test_the_largest_numbers_of_a_type_do_not_overflow(dtype, cols):
    most = 6e4 if dtype == "float16" else 3e38

    def extremes(rng, sizes):
        return {"x": rng.choice([most, -most, most / 2, 0.0, 1.0], (sizes["rows"], sizes["cols"]))}

    assert wrong(simulator.build(TUNED), SOFTMAX, "softmax_tuned", case(4, cols, fill=extremes), dtype) is None


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize(
    ("regime", "cols"), [("lanes", 500), ("lanes", 5000), ("block", 5000), ("two launches", None)]
)
def test_the_tuned_ledger_is_what_the_simulator_counts(many, dtype, regime, cols):
    path = many if regime == "block" else TUNED
    reads, writes = counted(path, 2, cols or _two_launches(dtype), dtype, gaps=(3, 1))
    assert (reads, writes) == pytest.approx(ledger(TUNED)[regime], rel=0.01)  # the parts between launches: below 1 %


@pytest.mark.parametrize(("name", "regime", "cols"), [
    ("softmax_naive", "", 100),
    ("softmax_block", "rows up to 12032 columns", 3000), ("softmax_block", "longer rows", 12033),
    ("ladder/1_row_per_thread", "", 100), ("ladder/2_shared_tree", "", 1000), ("ladder/3_warp_shuffle", "", 1000),
    ("ladder/4_online", "", 1000), ("ladder/5_vector_loads", "", 1003),
    ("ladder/6_row_in_registers", "rows up to 32768 columns", 5000),
    ("ladder/6_row_in_registers", "longer rows", 32769),
    ("ladder/7_cluster", "clusters", 5000),
    ("ladder/7_cluster", "rows above 32768 columns without clusters, above 262144 with them", 32769),
    ("ladder/8_warp_per_row", "rows up to 1024 columns", 1000), ("ladder/8_warp_per_row", "longer rows", 1025),
    ("ladder/9_sixteen_bits", "rows up to 32768 columns", 5000), ("ladder/9_sixteen_bits", "longer rows", 32769),
    *[("ladder/10_regimes", "a warp, a block or a cluster keeps the row", cols) for cols in (63, 1003, 1025, 32768)],
    *[("softmax_tuned", "up to 32768 columns, 131072 with clusters", cols) for cols in (63, 1003, 1025, 32768)],
    ("ladder/10_regimes", "rows above 32768 columns without clusters, above 262144 with them", 32769),
])  # fmt: skip
def test_a_ledger_is_what_the_simulator_counts(name, regime, cols):
    path = SOLUTIONS / f"{name}.cu"
    assert counted(path, 3, cols) == pytest.approx(ledger(path, cols)[regime])


def test_the_answer_keeps_the_last_chunk_of_a_longer_row():
    lane, chunk = 4, 16384  # elements of a vector, and of all registers of a block
    assert counted(ANSWER, 2, 3 * chunk + lane) == pytest.approx(ledger(ANSWER)["longer rows"], rel=0.001)
    assert counted(ANSWER, 2, 3 * chunk) == pytest.approx((5 / 3, 1.0))


def test_results_that_are_normal_numbers_are_not_lost_where_powers_below_them_become_zero():
    """sm_90 flushes powers below 2^-126. exp(-85.5 - 1.75) is 1.28e-38 and above it, whatever the powers start from."""

    def far_apart(rng, sizes):
        x = np.full((sizes["rows"], sizes["cols"]), -85.5)
        x[:, 0] = 1.75
        return {"x": x}

    drawn = case(2, 300, fill=far_apart)
    assert wrong(simulator.build(TUNED, arch="sm_90"), SOFTMAX, "softmax_tuned", drawn, "bfloat16") is None


CLUSTER = SOLUTIONS / "ladder" / "7_cluster.cu"


@pytest.mark.parametrize(
    ("name", "dtype"), [("7_cluster", "float32"), ("10_regimes", "float32"), ("10_regimes", "float16")]
)
def test_a_rung_with_clusters_is_right_on_every_case_with_them(name, dtype):
    path = SOLUTIONS / "ladder" / f"{name}.cu"
    program = simulator.build(path, arch="sm_90")
    # Two, four and eight blocks a row, with vectors and without.
    more = [case(3, c, gaps, shift) for c in (32769, 100_000, 262_144) for gaps, shift in (((0, 0), 0), ((1, 2), 3))]
    own = [*CASES, *more]
    assert not [w for c in own if (w := wrong(program, SOFTMAX, launcher(path), c, dtype))]


def test_the_last_rung_reads_once_with_clusters_and_twice_beyond_them():
    path = SOLUTIONS / "ladder" / "10_regimes.cu"
    kept, twice = ledger(path).values()
    assert [counted(path, 1, c, arch="sm_90") for c in (32769, 262_144)] == [pytest.approx(kept)] * 2
    assert counted(path, 1, 262_145, arch="sm_90") == pytest.approx(twice)


@pytest.mark.parametrize(("regime", "cols"), [
    ("clusters", 5000), ("clusters", 32769), ("clusters", 262_144),
    ("rows above 32768 columns without clusters, above 262144 with them", 262_145),
])  # fmt: skip
def test_the_cluster_rungs_ledger_is_what_the_simulator_counts_with_clusters(regime, cols):
    assert counted(CLUSTER, 1, cols, arch="sm_90") == pytest.approx(ledger(CLUSTER)[regime])


@pytest.mark.slow
def test_the_tuned_softmax_runs_its_clusters_where_they_are_compiled():
    """st.async, mbarriers and the rest of its PTX: a row that only a cluster keeps is read once."""
    assert counted(TUNED, 1, 40_000, arch="sm_90") == pytest.approx((1, 1), abs=0.01)


@pytest.mark.parametrize("block", [1, 33, 96, 256, 1000, 1024])
def test_the_dot_products_tree_holds_for_any_block_size(block, tmp_path):
    text = (SOLUTIONS / "dot_product.cu").read_text(encoding="utf-8")
    path = tmp_path / "dot_product.cu"
    path.write_text(f"#define BLOCK {block}\n{text}", encoding="utf-8")
    program = simulator.build(path)
    operator = OPERATORS["dot_product"]
    few = [c for c in operator.cases if c.plain and c.sizes["n"] < 50_000]
    assert not [w for c in few if (w := wrong(program, operator, "dot_product", c, "float32"))]
