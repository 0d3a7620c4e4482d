"""What is dealt to several processes on a GPU is run there by each of them, as by one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from onekernel.backends.base import Buffer
from onekernel.sandbox import supervisor
from onekernel.sandbox.protocol import Request
from support.gpu import needs_cuda

pytestmark = needs_cuda()
DOUBLE = """
import triton, triton.language as tl

@triton.jit
def double(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(y_ptr + at, 2 * tl.load(x_ptr + at, mask=at < n), mask=at < n)

def doubled(x, y):
    if not x.is_cuda:
        raise RuntimeError("not on the GPU")
    double[(1,)](x, y, x.numel(), BLOCK=16)
    return y
"""


@pytest.mark.parametrize("dealt", [[], [0, 1, 0, 2]], ids=["one", "lanes"])
def test_each_call_runs_on_the_gpu(tmp_path: Path, dealt: list[int]) -> None:
    path = tmp_path / "doubled.py"
    path.write_text(DOUBLE)
    calls = []
    for n in (4, 6, 4, 7):
        x, y = (Buffer(name, np.zeros(4 * n, np.uint8), 0, 4 * n, name == "y", 4, shape=(n,)) for name in "xy")
        x.memory.view(np.float32)[:] = range(n)
        calls.append(("doubled", [x, y]))
    outcome = supervisor.run(Request(path, "triton", calls, lanes=dealt))
    assert outcome.built, (outcome.build, outcome.unavailable, outcome.ended)
    for call, (_, (x, _)) in zip(outcome.calls, calls, strict=True):
        assert call.report is not None and not call.report.findings, call
        assert np.array_equal(call.after["y"].view(np.float32), 2 * x.memory.view(np.float32))
