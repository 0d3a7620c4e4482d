"""gemm_triton on a GPU: the copy engine's way and the pointers' way, told apart by where rows begin."""

from __future__ import annotations

from pathlib import Path

import pytest

from onekernel.bench.modules import load_module
from support.gpu import needs_cuda

SOLUTION = Path(__file__).resolve().parents[2] / "solutions" / "gemm_triton.py"
pytestmark = needs_cuda
NEAR = {"float16": 2e-3, "bfloat16": 1e-2}


@pytest.mark.parametrize("dtype", NEAR)
@pytest.mark.parametrize("turned", [0, 1])
@pytest.mark.parametrize("shift", [0, 1], ids=["on 16 bytes", "off 16 bytes"])
@pytest.mark.parametrize("shape", [(2048, 4096, 512), (4000, 4104, 520), (4097, 4099, 77), (200, 300, 64)], ids=str)
def test_every_way_of_gemm_triton_is_right_and_touches_nothing_else(shape, shift, turned, dtype):
    import torch

    m, n, k = shape
    kind = getattr(torch, dtype)

    def matrix(rows: int, cols: int) -> torch.Tensor:
        flat = torch.randn(shift + rows * (cols + 8 - cols % 8), device="cuda").to(kind)
        return flat[shift:].view(rows, -1)[:, :cols]

    a, b = matrix(m, k), matrix(n, k) if turned else matrix(k, n)
    out = torch.full((m, n + 24 - n % 8), 7.0, dtype=kind, device="cuda")
    load_module(SOLUTION).gemm_triton(a, b, out[:, 8 : 8 + n], turned, 0.5, 0.0)
    want = 0.5 * a.double() @ (b.T if turned else b).double()
    assert ((out[:, 8 : 8 + n].double() - want).abs().max() / want.abs().max()).item() < NEAR[dtype]
    assert (out[:, :8] == 7.0).all() and (out[:, 8 + n :] == 7.0).all()
