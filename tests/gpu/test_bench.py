"""The timing of launch-bound calls on a real card: what torch's allocator does while a graph is captured."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.gpu import needs_cuda

mark = needs_cuda()
torch = pytest.importorskip("torch")

from audits.bench import graphs  # noqa: E402
from audits.bench.softmax import cases, contenders, measurement  # noqa: E402
from onekernel import cuda  # noqa: E402
from onekernel.bench import device, timing  # noqa: E402
from onekernel.loading import load_module  # noqa: E402
from onekernel.sandbox import turn  # noqa: E402

KERNELS = Path(__file__).resolve().parents[2] / "bench" / "kernels"
pytestmark = [
    mark,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="torch sees no CUDA device"),
]


@pytest.fixture(autouse=True)
def alone():
    """What is timed has the card alone: other processes of the suite grade on it."""
    with turn.held():
        yield


def test_an_allocating_peer_writes_another_output_each_time():
    x = torch.randn(128, 4096, device="cuda", dtype=torch.bfloat16)
    written = []

    def call():
        out = torch.nn.functional.softmax(x, dim=1)
        if torch.cuda.is_current_stream_capturing():
            written.append(out.data_ptr())
        return out

    sets = graphs.rotation(x.nbytes, device.current().l2_bytes)
    timed = graphs.in_graph({"peer": [call] * sets}, repeats=3)
    assert isinstance(timed["peer"], timing.Sample)
    assert len(set(written)) == len(written) == sets


def test_a_launch_bound_cell_is_measured_and_stands_below_the_roof():
    def prealloc(x, y):
        return lambda: torch.softmax(x, dim=1, out=y)

    def allocating(x, y):
        return lambda: torch.nn.functional.softmax(x, dim=1)

    two = [contenders.Contender("ours", "exercise", prealloc), contenders.Contender("peer", "peer", allocating, False)]
    card = device.current()
    cell = cases.Case("bfloat16", 128, 4096)
    made = measurement.measure(cell, two, card, timing.L2Emptier(), repeats=9, seed=0)
    times = {name: answer["median_s"] for name, answer in made["contenders"].items() if "discarded" not in answer}
    assert set(times) == {"copy", "ours", "peer"}
    assert times["peer"] == pytest.approx(times["ours"], rel=0.2)  # the same kernel: who allocates decides nothing
    assert made["took"]["gpu_s"] > 0 and "sm_mhz" in made["clocks"]["during"]


@pytest.mark.parametrize("n", [5000, 100_000, 1_050_001])
@pytest.mark.parametrize("most", [3.0, 65_500.0, 1e9])
def test_the_fused_cosines_are_right_for_every_angle(n, most):
    x = (2 * torch.rand(1, n, device="cuda") - 1) * most
    x[0, n // 2] = torch.inf
    want = x.double().cos().cos()
    y = torch.full_like(x, 2.0)
    launch = cuda.build(KERNELS / "cos_cos.cu").function("cos_cos")
    assert launch(x.data_ptr(), y.data_ptr(), n, torch.cuda.current_stream().cuda_stream) == 0
    plain = load_module(KERNELS / "fused_triton.py", once=True).cos_cos(x, torch.full_like(x, 2.0))
    for got in (y, plain):
        assert torch.allclose(got.double(), want, rtol=0, atol=4e-7, equal_nan=True)
