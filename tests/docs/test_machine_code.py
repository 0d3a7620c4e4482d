"""What the pages say about machine code, held by compiling it. No GPU is needed; nvcc, or Triton, is."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from audits.book import machine_code
from onekernel.errors import UserError
from support.patience import HUNG_SECONDS

ROOT = Path(__file__).parents[2]
LADDER = ROOT / "solutions" / "ladder"
LOAD, USE = re.compile(r"\bLDG\b|\bLDG\."), re.compile(r"\bBRA\b|\bBSYNC\b|\bMUFU\b|\bFMNMX\b")


def longest_run_of_loads(source: Path, folder: Path) -> int:
    """How many loads from global memory the compiler issues before anything branches on, or computes with, one."""
    triton = pytest.importorskip("triton")
    cubin = folder / f"{source.stem}.cubin"
    made = ["nvcc", "-arch=sm_90", "-O3", "-cubin", "-o", str(cubin), str(source)]
    subprocess.run(made, check=True, capture_output=True, timeout=HUNG_SECONDS)
    tool = Path(triton.__file__).parent / "backends" / "nvidia" / "bin" / "nvdisasm"
    text = subprocess.run([tool, "-c", cubin], check=True, capture_output=True, text=True).stdout
    longest = run = 0
    for line in text.splitlines():
        run = run + 1 if LOAD.search(line) else 0 if USE.search(line) else run
        longest = max(longest, run)
    return longest


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc on this machine")
@pytest.mark.slow
def test_the_online_rung_has_one_load_in_flight_and_the_shuffle_rung_many(tmp_path: Path) -> None:
    """Chapter 02 explains with it why a rung that saves a pass is slower."""
    assert longest_run_of_loads(LADDER / "3_warp_shuffle.cu", tmp_path) >= 8
    assert longest_run_of_loads(LADDER / "4_online.cu", tmp_path) == 1


PTX = """.version 8.7
.target {target}
.address_size 64
.visible .entry k()
{{
 .reg .b64 %map;
 .reg .b32 %at<5>;
 {instruction};
 ret;
}}
"""
TMA = (
    "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
    " [%at1], [%map, {%at2, %at3}], [%at4]"
)


def assembles(target: str, instruction: str, folder: Path) -> bool:
    """Whether NVIDIA's assembler has `instruction` for `target`."""
    source = folder / "instruction.ptx"
    source.write_text(PTX.format(target=target, instruction=instruction), encoding="utf-8")
    asked = ["ptxas", f"-arch={target}", source, "-o", folder / "instruction.cubin"]
    done = subprocess.run(asked, capture_output=True, text=True, timeout=HUNG_SECONDS)
    told = done.stdout + done.stderr
    assert done.returncode == 0 or "not supported on .target" in told or "requires .target" in told, told
    return done.returncode == 0


@pytest.mark.skipif(shutil.which("ptxas") is None, reason="no ptxas on this machine")
@pytest.mark.parametrize(("target", "has"), [
    ("sm_89", {"tma": False, "wgmma": False, "tcgen05": False}),
    ("sm_90a", {"tma": True, "wgmma": True, "tcgen05": False}),
    ("sm_100a", {"tma": True, "wgmma": False, "tcgen05": True}),
    ("sm_120a", {"tma": True, "wgmma": False, "tcgen05": False}),
])  # fmt: skip
def test_the_architectures_have_the_instructions_that_chapter_06_says(
    target: str, has: dict[str, bool], tmp_path: Path
) -> None:
    written = {"tma": TMA, "wgmma": "wgmma.fence.sync.aligned", "tcgen05": "tcgen05.fence::before_thread_sync"}
    assert {name: assembles(target, instruction, tmp_path) for name, instruction in written.items()} == has


@pytest.mark.slow
def test_what_triton_computes_in_16_bits_is_what_chapter_03_says() -> None:
    pytest.importorskip("triton")
    env = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    program = [sys.executable, Path(__file__).parent / "sixteen_bits.py"]
    done = subprocess.run(program, capture_output=True, text=True, check=True, env=env, timeout=HUNG_SECONDS)
    found = json.loads(done.stdout)
    for short, kind in (("f16", "fp16"), ("bf16", "bf16")):
        for operation in ("add", "sum"):
            assert found[operation][kind] and not [i for i in found[operation][kind] if "f32" in i], found[operation]
        assert {f"cvt.f32.{short}", f"cvt.rn.{short}.f32"} <= set(found["divide"][kind])
        assert "fp32" in found["exp"][kind] and kind in found["exp"][kind]


@pytest.mark.skipif(not machine_code.here(), reason=f"no nvcc {machine_code.VERSION} on this machine")
@pytest.mark.slow
def test_the_instructions_that_pages_show_are_those_that_nvcc_writes() -> None:
    pages = [p for p in (ROOT / "docs").rglob("*.md") if "<!-- machine-code: solutions/" in p.read_text("utf-8")]
    assert len(pages) >= 12 and all("```text\n" in p.read_text("utf-8") for p in pages)
    assert machine_code.refresh(ROOT, check=True) == [], "run python -m audits.book machine-code"


def test_each_word_shows_the_next_instruction_that_has_it() -> None:
    code = ["LDS R1, [R0]", "BAR.SYNC 0x0", "LDS R2, [R0]", "@!P0 EXIT"]
    assert list(machine_code.shown(code, ["LDS", "LDS", "EXIT"])) == ["LDS R1, [R0]", "LDS R2, [R0]", "@!P0 EXIT"]
    assert list(machine_code.shown(code, ["BAR", "STG", "EXIT"])) == ["BAR.SYNC 0x0"]


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc on this machine")
@pytest.mark.slow
def test_a_listing_is_written_anew_and_a_lost_instruction_is_refused(tmp_path: Path) -> None:
    (tmp_path / "docs" / "en").mkdir(parents=True)
    (tmp_path / "k.cu").write_text("__global__ void k(float* x) { x[threadIdx.x] = 1.0f; }\n")
    page = tmp_path / "docs" / "en" / "p.md"
    page.write_text("# P\n\n<!-- machine-code: k.cu k STG EXIT -->\nold\n<!-- /machine-code -->\n\nend\n")
    assert machine_code.refresh(tmp_path, check=True) == [page] == machine_code.refresh(tmp_path)
    text = page.read_text()
    assert re.search(r"EXIT -->\n```text\nSTG\.E .+\nEXIT\n```\n<!-- /machine-code -->\n\nend\n$", text)
    assert machine_code.refresh(tmp_path) == []
    page.write_text(text.replace("k.cu k STG EXIT", "k.cu k STG LDG"))
    with pytest.raises(UserError, match=r"docs/en/p\.md shows `LDG`"):
        machine_code.refresh(tmp_path)
