"""The small programs of the pages on Hopper, and their benchmark, on a card that has what they are about."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from audits import records
from audits.bench.hopper import run
from audits.bench.hopper.parts import PARTS
from onekernel import cuda
from onekernel.cuda import nvcc
from onekernel.sandbox import turn
from support.gpu import needs_cuda
from support.patience import HUNG_SECONDS

mark = needs_cuda()
PROGRAMS = sorted((Path(__file__).resolve().parents[2] / "solutions" / "reading" / "hopper").glob("*.cu"))
pytestmark = [mark, pytest.mark.skipif(cuda.require().arch != "90a", reason="sm_90a alone has wgmma")]


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: p.stem)
def test_a_program_finds_itself_right(path: Path, tmp_path: Path) -> None:
    compiler = nvcc.find()
    assert compiler is not None
    program = tmp_path / path.stem
    made = [str(compiler.path), "-arch=compute_90a", "-code=sm_90a", "-std=c++17", "-o", str(program), str(path)]
    subprocess.run(made, check=True, capture_output=True, timeout=HUNG_SECONDS)
    done = subprocess.run([program], capture_output=True, text=True, timeout=HUNG_SECONDS, check=False)
    lines = done.stdout.splitlines()
    assert done.returncode == 0 and lines and all(": no error, 0 of " in line for line in lines), done


def test_the_benchmark_finds_every_way_right_and_writes_a_table_for_each_page(tmp_path: Path) -> None:
    with turn.held():
        assert run.main(["--out", str(tmp_path)]) == 0
    data = records.read(tmp_path / "hopper.json")
    assert list(data["parts"]) == list(data["tables"]) == list(PARTS)
    assert all(way["rate"] > 0 for part in data["parts"].values() for way in part["ways"].values())
