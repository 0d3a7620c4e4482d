"""What CUDA answers to bad launches and calls: the file for the simulator holds a GPU's own answers."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from support.gpu import needs_cuda
from support.patience import HUNG_SECONDS

pytestmark = needs_cuda()
PROGRAMS = Path(__file__).resolve().parents[1] / "programs"


def test_the_gpu_refuses_what_the_simulator_refuses_with_the_same_errors(tmp_path: Path) -> None:
    nvcc = shutil.which("nvcc") or pytest.skip("no nvcc on PATH")
    version = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=True).stdout
    if "release 13.0" not in version:
        pytest.skip("the answers are those of CUDA 13.0")
    program = tmp_path / "refused"
    subprocess.run([nvcc, "-arch=sm_90", "-o", program, PROGRAMS / "refused.cu"], check=True, timeout=HUNG_SECONDS)
    said = subprocess.run([program], capture_output=True, text=True, timeout=HUNG_SECONDS).stdout
    assert said.splitlines() == (PROGRAMS / "refused.txt").read_text(encoding="utf-8").splitlines()
