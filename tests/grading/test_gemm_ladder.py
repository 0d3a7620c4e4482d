"""GEMM's solutions and the rungs of its ladder: right on every case, by Hopper's path and by that of other cards."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from audits.bench import kernel_header
from onekernel import counts, simulator
from onekernel.backends import call_arguments
from onekernel.backends.base import Buffer
from onekernel.grading import buffers
from onekernel.grading.grader import grade
from onekernel.grading.submission import Submission
from onekernel.grading.verdicts import PASSED
from onekernel.ops import OPERATORS, Case
from onekernel.ops.base import SIMULATED
from support.course import COURSE

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
GEMM = OPERATORS["gemm"]
CASES = [c for c in GEMM.cases if c.plain and c.runs(SIMULATED)]
RUNGS = sorted((ROOT / "solutions" / "ladder").glob("gemm_[0-9]*.cu"))
SIMULATED = [p for p in RUNGS if int(p.stem.split("_")[1]) <= 10]
HOPPER = [p for p in RUNGS if p not in SIMULATED]


def dtype_of(rung: Path) -> str:
    """fp32 up to the rung of mma.sync, bf16 from there on."""
    return "float32" if int(rung.stem.split("_")[1]) < 10 else "bfloat16"


def wrong(program, slug: str, drawn: Case, dtype: str) -> str | None:
    call = buffers.make(GEMM, slug, drawn, dtype, seed=1)
    report = program.call(call.function, call.args)
    if report.status or report.findings:
        return f"{drawn.name}: {report.status_name} {[str(f) for f in report.findings]}"
    fault = buffers.judge(GEMM, call, {a.name: a.memory for a in call.args if isinstance(a, Buffer)})
    return f"{drawn.name}: {fault.message}" if fault else None


def test_the_ladder_has_its_rungs_in_order():
    assert [int(p.stem.split("_")[1]) for p in RUNGS] == list(range(1, 15)) and len(HOPPER) == 4


@pytest.mark.parametrize("path", SIMULATED, ids=lambda p: p.stem)
@pytest.mark.sample(every=3)
def test_a_rung_is_right_on_every_case(path):
    program = simulator.build(path, time_limit=60)  # the deepest takes ten seconds with large tiles
    assert not [w for c in CASES if (w := wrong(program, path.stem, c, dtype_of(path)))]


def test_a_rung_of_large_tiles_is_graded_within_its_time(tmp_path):
    """Each of its threads takes all terms of a deep product, for a tile of which it needs a corner."""
    exercise = COURSE.exercises["gemm_tiled"]
    (rung,) = (p for p in RUNGS if "double_buffering" in p.stem)
    path = tmp_path / exercise.file
    path.write_text(rung.read_text(encoding="utf-8").replace(rung.stem, exercise.slug), encoding="utf-8")
    verdicts = grade(Submission(COURSE, exercise, path, "simulator", 1)).verdicts
    assert {v.status for v in verdicts if v.check.kind.shows_right} == {PASSED}


@pytest.mark.parametrize("path", RUNGS, ids=lambda p: p.stem)
def test_the_ledger_of_a_rung_is_what_the_simulator_counts(path):
    """The bytes that threads, or the copy engine, ask global memory for: whole tiles in every direction."""
    hopper = path in HOPPER
    sizes = (256, 512 if hopper else 128, 64)
    name, args = call_arguments.of_operator(GEMM, path.stem, sizes, dtype_of(path))
    program = simulator.build(path, "count", machine_code=False, arch="sm_90a" if hopper else None)
    (kernel,) = program.call(name, call_arguments.buffers(args)).kernels
    assert kernel.metrics[counts.BYTES_LOADED] / math.prod(sizes) == kernel_header.read(path).bytes_per_fma


def test_the_second_rung_moves_5_sectors_where_the_first_moves_17():
    """What the page says of rungs 1 and 2: a turn of a warp's loop takes 17 sectors, then 5."""
    sectors = []
    for path in RUNGS[:2]:
        name, args = call_arguments.of_operator(GEMM, path.stem, (64, 64, 32), "float32")
        program = simulator.build(path, "count", machine_code=False)
        (kernel,) = program.call(name, call_arguments.buffers(args)).kernels
        turns = 64 * 64 // 32 * 32  # of all warps
        sectors.append(kernel.metrics[counts.LOAD_SECTORS] / turns)
    assert sectors == [17, 5]


@pytest.mark.parametrize("path", HOPPER, ids=lambda p: p.stem)
def test_a_rung_for_hopper_alone_says_so_elsewhere_and_multiplies_what_no_box_holds(path):
    """Rows that do not begin on 16-byte boundaries go to a kernel that every card has."""
    program = simulator.build(path)
    seen = [c for c in CASES if c.sizes["k"] > 0 and min(c.sizes.values()) > 0]
    found = {c.name: wrong(program, path.stem, c, "bfloat16") for c in seen}
    refused = [name for name, w in found.items() if w and "cudaErrorNotSupported" in w]
    assert refused and "normal-128x128x32-ab-alpha1-beta0" in refused
    assert not [w for name, w in found.items() if w and name not in refused]
    assert len(refused) < len(seen) / 2


@pytest.mark.parametrize(
    ("path", "dtype"),
    [(p, "bfloat16") for p in HOPPER] + [(ROOT / "solutions" / "gemm_tensorcore.cu", "float16")],
    ids=lambda p: getattr(p, "stem", p),
)
def test_what_hopper_alone_has_is_right_on_every_case(path, dtype):
    program = simulator.build(path, arch="sm_90a", time_limit=60)
    assert not [w for c in CASES if (w := wrong(program, path.stem, c, dtype))]


@pytest.mark.parametrize(("slug", "dtype"), [
    ("gemm_skinny", "float32"), ("gemm_skinny", "bfloat16"), ("gemm_tensorcore", "bfloat16"),
    ("gemm_tensorcore", "float16"),
])  # fmt: skip
def test_a_solution_is_right_on_every_case(slug, dtype):
    program = simulator.build(ROOT / "solutions" / f"{slug}.cu")
    assert not [w for c in CASES if (w := wrong(program, slug, c, dtype))]


@pytest.mark.parametrize(("slug", "dtype"), [
    ("gemm_tiled", "float32"), ("gemm_skinny", "float32"), ("gemm_skinny", "bfloat16"),
])  # fmt: skip
def test_a_sum_of_nothing_is_zero_and_reads_nothing_where_the_tiles_of_c_are_whole(slug, dtype):
    """A block whose tile lies inside C takes the way without bounds, and then k = 0 is a bound like any other."""
    program = simulator.build(ROOT / "solutions" / f"{slug}.cu")
    nothing = [c for c in CASES if c.sizes["k"] == 0 and c.sizes["m"] and c.sizes["n"]]
    shapes = [{"m": 256, "n": 128, "k": 0}, {"m": 256, "n": 16, "k": 0}, {"m": 16, "n": 256, "k": 0}]
    drawn = [replace(c, name=f"{c.name}-{sizes}", sizes=sizes) for c in nothing for sizes in shapes]
    assert nothing and not [w for c in drawn if (w := wrong(program, slug, c, dtype))]


@pytest.mark.parametrize(("sizes", "gap", "kernels"), [
    ({"m": 70, "n": 136, "k": 4200}, 0, ["mma_kernel", "reduce_kernel"]),
    ({"m": 70, "n": 131, "k": 4201}, 0, ["align_kernel", "mma_kernel", "reduce_kernel"]),
    ({"m": 300, "n": 520, "k": 70}, 1, ["align_kernel", "mma_kernel"]),
    ({"m": 300, "n": 520, "k": 72}, 0, ["mma_kernel"]),
    ({"m": 30, "n": 50, "k": 0}, 1, ["reduce_kernel"]),
])  # fmt: skip
def test_the_reference_copies_what_is_not_aligned_and_divides_a_long_k(sizes, gap, kernels):
    program = simulator.build(ROOT / "solutions" / "gemm_tensorcore.cu", "count")
    drawn = next(c for c in CASES if c.name.startswith("scaled") and c.scalars["beta"] and not c.scalars["transpose_b"])
    drawn = replace(
        drawn, sizes=sizes, gaps=dict.fromkeys("abc", gap), shift=gap, scalars={**drawn.scalars, "alpha": 0.5}
    )
    call = buffers.make(GEMM, "gemm_tensorcore", drawn, "bfloat16", seed=1)
    report = program.call(call.function, call.args)
    assert not report.status and not report.findings
    assert [k.kernel.split("<")[0] for k in report.kernels] == kernels
    fault = buffers.judge(GEMM, call, {a.name: a.memory for a in call.args if isinstance(a, Buffer)})
    assert not fault, fault.message
