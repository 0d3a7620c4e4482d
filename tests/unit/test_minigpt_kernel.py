"""The course's Triton softmax inside MiniGPT's attention, in Triton's interpreter and therefore in a new process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from support.patience import HUNG_SECONDS

ROOT = Path(__file__).parents[2]
PROGRAM = """
import sys
from pathlib import Path
from onekernel.loading import load_module
from onekernel.minigpt.port_check import judge_port
from onekernel.minigpt.port_request import requests
from onekernel.sandbox.tasks.port import run as run_port

kernel = load_module(Path("solutions/softmax_triton.py")).softmax_triton
for request in requests("kernel", device=sys.argv[1]):
    verdict = judge_port(request, run_port(Path("solutions/torch_minigpt.py"), request, kernel))
    print(verdict.passed, verdict.worst_relative, [f.text() for f in verdict.findings])
"""


def verdicts(device: str, environment: dict[str, str]) -> list[str]:
    command = [sys.executable, "-c", PROGRAM, device]
    env = {**environment, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=HUNG_SECONDS)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.slow
def test_the_triton_softmax_replaces_torchs_in_attention():
    lines = verdicts("cpu", {**os.environ, "TRITON_INTERPRET": "1"})
    assert len(lines) == 2
    for line in lines:
        assert line.startswith("True ") and line.endswith(" []"), line
        assert float(line.split()[1]) > 1e-12  # it is float32's answer: the kernel was really called


@pytest.mark.gpu
def test_the_triton_softmax_replaces_torchs_on_cuda():
    if not torch.cuda.is_available():
        pytest.skip("needs a GPU that torch sees")
    environment = {k: v for k, v in os.environ.items() if k != "TRITON_INTERPRET"}
    assert all(line.startswith("True ") for line in verdicts("cuda", environment))
