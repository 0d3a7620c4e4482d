"""Ahead-of-time compilation: what the compiler wrote for a card that is not here, and how it is read."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

from onekernel.backends.base import BuildError
from onekernel.backends.occupancy import occupancy
from onekernel.bench.device import slug_of
from onekernel.errors import UserError
from onekernel.triton.inspect import compile_source, instructions, resources, sass_length

ROOT = Path(__file__).resolve().parents[2]
SOLUTION = ROOT / "solutions" / "record" / "softmax_triton.py"
needs_triton = pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="Triton is not installed")


@needs_triton
@pytest.mark.slow
def test_the_solution_compiles_for_both_cards_with_wide_loads_and_stores(tmp_path):
    found = compile_source(SOLUTION, ["sm_80", "sm_90"], rows=8192, cols=4096)
    assert {k.arch for k in found.kernels} == {"sm_80", "sm_90"}
    assert len({k.constants["LANES"] for k in found.kernels}) >= 3
    text = SOLUTION.read_text().splitlines()
    for kernel in found.kernels:
        for kind in ("load", "store"):
            wide, total = kernel.wide(kind)
            assert wide == total == 4096 // kernel.constants["LANES"] // 4
        assert kernel.stack == 0
        assert kernel.occupancy.warps > 0 and kernel.sass_instructions > 100
        for count in kernel.counts:
            marks = {"load": "tl.load", "store": "tl.store", "exp2": "tl.exp"}
            assert marks.get(count.kind, "") in text[count.line - 1]
        shuffles = [c for c in kernel.counts if c.kind == "shuffle"]
        assert {text[c.line - 1].split("tl.")[1][:3] for c in shuffles} == {"max", "sum"}
    assert "16 bytes" in str(found) and "sm_80" in str(found)
    paths = found.write(tmp_path)
    assert len(paths) == 3 * len(found.kernels)
    assert any("LDG.E.128" in p.read_text() for p in paths if p.suffix == ".sass")
    assert any("ttg." in p.read_text() for p in paths if p.suffix == ".ttgir")


@needs_triton
@pytest.mark.slow
@pytest.mark.parametrize("cols", [4095, 1000])
def test_ragged_and_odd_rows_keep_their_wide_loads(cols):
    found = compile_source(SOLUTION, ["sm_90"], rows=8192, cols=cols, dtype="bfloat16")
    for kernel in found.kernels:
        assert kernel.wide("load")[0] >= 1 and kernel.wide("store")[0] >= 1


@needs_triton
@pytest.mark.slow
@pytest.mark.parametrize(("cols", "pieces"), [(9217, 9), (4097, 4), (781, 3)])
def test_a_row_just_above_a_power_of_two_takes_no_lane_too_many(cols, pieces):
    """A tile of 16384 for 9217 columns would compute 1.8 exponentials for each one stored (seen as 77 % of a copy)."""
    found = compile_source(SOLUTION, ["sm_90"], rows=8192, cols=cols, dtype="bfloat16")
    held = {k.constants["LANES"]: k.wide("load")[0] for k in found.kernels}
    assert held[32 if cols < 1024 else 128] == pieces


@needs_triton
@pytest.mark.slow
def test_a_plain_rung_loses_them_on_odd_rows():
    path = ROOT / "solutions" / "ladder" / "triton_single_tile.py"
    (odd,) = compile_source(path, ["sm_90"], rows=64, cols=4095).kernels
    (even,) = compile_source(path, ["sm_90"], rows=64, cols=4096).kernels
    (thousand,) = compile_source(path, ["sm_90"], rows=64, cols=1000).kernels  # 8 divides 1000, 16 does not
    assert odd.wide("load")[0] == thousand.wide("load")[0] == 0
    assert even.wide("load")[0] == even.wide("load")[1] > 0


@needs_triton
@pytest.mark.slow
def test_a_tile_that_is_too_long_spills():
    path = ROOT / "solutions" / "ladder" / "triton_single_tile.py"
    (spilled,) = compile_source(path, ["sm_90"], rows=4, cols=131072).kernels
    assert spilled.stack > 0 and "SPILLS" in str(spilled)


@needs_triton
@pytest.mark.slow
def test_a_file_that_does_not_compile_is_told(tmp_path):
    path = tmp_path / "softmax_bad.py"
    path.write_text("def softmax_bad(x):\n    raise RuntimeError('not today')\n")
    with pytest.raises(BuildError, match="not today"):
        compile_source(path)


def test_an_unknown_architecture_is_refused():
    with pytest.raises(UserError, match="sm_75"):
        compile_source(SOLUTION, ["sm_75"])


def test_occupancy_from_first_principles():
    # 128 threads of 40 registers: 1280 a warp, 5120 a program, 12 programs in 65536 registers.
    assert occupancy("sm_90", 40, 4, 0) == occupancy("sm_80", 40, 4, 0)
    assert (occupancy("sm_90", 40, 4, 0).programs, occupancy("sm_90", 40, 4, 0).limit) == (12, "registers")
    # 41 registers round up to 48 (256 a warp): 10 programs.
    assert occupancy("sm_90", 41, 4, 0).programs == 10
    # 1024 threads of 32 registers: two programs fill the 64 warps of an A100 or H100, one the 48 of an Ada card.
    assert (occupancy("sm_90", 32, 32, 0).percent, occupancy("sm_89", 32, 32, 0).percent) == (100, 67)
    # 48 KiB of shared memory a program, 1 KiB for the system: 3 programs in 164 KiB, 4 in 228.
    assert [occupancy(a, 16, 1, 48 << 10).programs for a in ("sm_80", "sm_90")] == [3, 4]
    assert occupancy("sm_90", 16, 1, 0).limit == "blocks"


def test_a_listing_is_read_by_line_and_width():
    ptx = """
	.loc	1 10 5                          // k.py:10:5
	@%p1 ld.global.v4.b32 { %r1, %r2, %r3, %r4 }, [ %rd1 + 0 ];
	@%p1 ld.global.L1::evict_first.v2.b16 { %rs1, %rs2 }, [ %rd1 + 0 ];
	.loc	2 43 17                         // standard.py:43:17 @[ k.py:12:3 ]
	shfl.sync.bfly.b32 	%r1, %r2, 16, 31, -1;
	bar.sync 	0;
	.loc	1 14 5                          // k.py:14:5
	st.global.b32 [ %rd1 + 0 ], { %r1 };
	atom.global.gpu.acq_rel.add.u32 %r1, [ %rd1 + 0 ], %r2;
	ld.shared.b32 %r1, [%r2];
	.loc	1 15 5                          // k.py:15:5
	cp.async.ca.shared.global [ %r64 + 0 ], [ %rd15 + 0 ], 0x4, %r65;
	@%p1 cp.async.cg.shared.global [ %r64 + 0 ], [ %rd15 + 0 ], 0x10, %r65;
	cp.async.cg.shared::cta.global.L2::128B [%r1], [%rd1+64], 16;
	cp.async.wait_group 	2;
	@%p9 cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [%r39], [%rd3, {%r40, %r270}], [%r37];
	cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd1, {%r249, %r250}], [%r251];
	cp.async.bulk.commit_group;
"""
    found = [(c.line, c.kind, c.bytes, c.times) for c in instructions(ptx, "k.py")]
    assert found == [
        (10, "load", 4, 1),
        (10, "load", 16, 1),
        (12, "barrier", 0, 1),
        (12, "shuffle", 0, 1),
        (14, "atomic", 0, 1),
        (14, "store", 4, 1),
        (15, "copy", 4, 1),
        (15, "copy", 16, 2),
        (15, "tile-load", 0, 1),
        (15, "tile-store", 0, 1),
    ]


def test_resource_usage_is_read_or_refused():
    assert resources("Function k:\n REG:40 STACK:16 SHARED:1024 LOCAL:0") == (40, 16)
    with pytest.raises(ValueError):
        resources("nothing")
    assert sass_length("        /*0000*/    LDC R1 ;  /* 0x1 */\n       /* 0x2 */\n        /*0010*/  EXIT ;\n") == 2


@needs_triton
def test_the_sweep_says_what_it_would_measure():
    words = [sys.executable, "-m", "audits.triton_sweep", "--dry-run"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0 and "4194304" in done.stdout and "team" in done.stdout


def test_every_recorded_sweep_names_its_card_and_stays_below_nothing_impossible():
    for path in (ROOT / "bench" / "results").glob("*/triton_sweep.json"):
        data = json.loads(path.read_text())
        assert data["gpu"] and data["driver"] and data["versions"]["triton"] and data["date"]
        assert path.parent.name == slug_of(data["gpu"])
        assert all(row["median_us"] > 0 and row["percent_of_copy"] < 130 for row in data["sweep"])


@needs_triton
@pytest.mark.slow
def test_long_rows_are_compiled_as_a_card_would_launch_them():
    found = compile_source(SOLUTION, ["sm_90"], rows=64, cols=65536, dtype="bfloat16")
    assert {k.kernel for k in found.kernels} == {"team"}
    for kernel in found.kernels:
        wide, total = kernel.wide("load")
        assert any(c.kind == "atomic" for c in kernel.counts) and wide == kernel.constants["EACH"]
        # The parts' words are read 8 bytes each, and the way out of an endless wait reads the row element by element.
        assert total == wide + 2
    (reduce_part, write_part) = compile_source(SOLUTION, ["sm_90"], rows=1, cols=4194304).kernels
    assert (reduce_part.kernel, write_part.kernel) == ("reduce_part", "write_part")


@needs_triton
@pytest.mark.slow
@pytest.mark.parametrize(("arch", "kind"), [("sm_80", "copy"), ("sm_90", "tile-load")])
def test_a_pipelined_product_lists_how_its_tiles_come(arch, kind):
    """The solution asks which card it is on: with Hopper's it describes its tensors to the TMA."""
    found = compile_source(ROOT / "solutions" / "gemm_triton.py", [arch], rows=128, cols=128, dtype="float16")
    assert sum(c.times for c in found.kernels[0].counts if c.kind == kind) >= 2


MASKED = """
	.loc	1 12 20 // k.py:12:20
	mov.b32 	%r5, -8388608;
	// begin inline asm
	.loc	1 12 20 // k.py:12:20
	mov.u32 %r1, %r5;
	.loc	1 13 20 // k.py:13:20
	mov.u32 %r2, %r5;
	.loc	1 14 20 // k.py:14:20
	@%p1 ld.global.v2.b32 { %r1, %r2 }, [ %rd1 + 0 ];
	// end inline asm
	.loc	1 30 4 // k.py:30:4
	// begin inline asm
	.loc	1 31 4 // k.py:31:4
	@%p1 st.global.b32 [ %rd2 + 0 ], { %r1 };
	// end inline asm
	ex2.approx.ftz.f32 %f1, %f2;
"""


def test_a_piece_of_inline_ptx_counts_for_the_line_that_it_begins_at():
    """Triton 3.8 gives each of its lines one of its own, further down in the source."""
    told = [(c.line, c.kind, c.bytes, c.times) for c in instructions(MASKED, "k.py")]
    assert told == [(12, "load", 8, 1), (31, "exp2", 0, 1), (31, "store", 4, 1)]
