"""The team of softmax_triton: how large it may be, what refuses a larger one, and each configuration, interpreted."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.patience import HUNG_SECONDS

pytestmark = pytest.mark.slow
pytest.importorskip("triton")

ROOT = Path(__file__).resolve().parents[2]
SOLUTION = ROOT / "solutions" / "record" / "softmax_triton.py"

# In the interpreter one program runs to its end before the next: all but the last wait in vain and go on alone.
EACH_CONFIGURATION = """
import sys
import torch
import softmax_triton as S
from onekernel.triton.faults import fix_interpreter

fix_interpreter()  # Triton 3.6.0's interpreter does not loop over a tensor's number with NumPy 2.4
S.largest_team = lambda x: 64
S.PATIENCE.value = 2
chosen, few = set(), S.FEW_PARTS.value
for wanted, (S.FEW_PARTS.value, cols, dtype) in zip(
    S.team.configs, [(few, 25001, "float32"), (1, 25001, "float16"), (few, 25001, "float16"), (1, 25001, "float32"),
                     (few, 70000, "float16")], strict=True
):
    S.team._bench = lambda *args, config, **meta: [float(config is not wanted)] * 3
    S.team.cache.clear()
    x = torch.randn(2, cols)
    x[:, -1] += 12.0
    x = x.to(getattr(torch, dtype))
    want = torch.softmax(x.double(), 1)
    got = S.softmax_triton(x).double()
    assert ((got - want).abs() <= {"float32": 3e-5, "float16": 7e-4}[dtype] * want + 1e-7).all(), (wanted, cols, dtype)
    assert (got.sum(1) - 1).abs().max() < 2e-3
    assert S.team.best_config is wanted
    chosen.add(str(wanted))
print(len(chosen))
"""


@pytest.fixture(scope="module")
def solution() -> ModuleType:
    spec = importlib.util.spec_from_file_location("softmax_triton_teams", SOLUTION)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.sample(every=4)
def test_each_configuration_of_the_team_is_right_interpreted():
    paths = f"{SOLUTION.parent}:{ROOT / 'src'}"
    environment = os.environ | {"TRITON_INTERPRET": "1", "CUDA_VISIBLE_DEVICES": "", "PYTHONPATH": paths}
    done = subprocess.run(
        [sys.executable, "-c", EACH_CONFIGURATION], env=environment, capture_output=True, text=True,
        timeout=HUNG_SECONDS,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.split() == ["5"]


def test_the_grid_refuses_a_team_with_more_parts_than_slots(solution):
    """64 elements per thread and 4 warps, chosen for 500,000 columns: 62 parts. For 2,000,000 columns it has 245."""
    meta = {"EACH": 16, "num_warps": 4}
    assert solution.team_grid(300, 500_000, 4, 64)(meta) == (300 * 62,)
    with pytest.raises(ValueError, match="245 programs has 64 slots"):
        solution.team_grid(40, 2_000_000, 4, 64)(meta)


@given(cols=st.integers(1, 2**33), width=st.sampled_from([4, 8]), most=st.integers(0, 1000))
def test_a_team_that_is_allowed_has_a_slot_for_each_part(solution, cols, width, most):
    allowed, slots = solution.teams_for(cols, width, most)
    for n, (vectors, warps, _) in enumerate(solution.TEAM_CONFIGS):
        parts = solution.parts_of(cols, width, vectors, warps)
        assert bool(allowed >> n & 1) == (parts <= most)
        assert parts > most or parts <= slots
    assert allowed < 1 << len(solution.TEAM_CONFIGS)
    assert slots & (slots - 1) == 0 and slots < max(1, 2 * most)
