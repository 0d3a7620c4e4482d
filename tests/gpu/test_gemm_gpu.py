"""The products of lab 06 on a GPU. The copy engine goes where rows begin on 16 bytes, and nowhere else."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from onekernel import cuda
from onekernel.loading import load_module
from onekernel.ops import OPERATORS
from support.gpu import needs_cuda

SOLUTIONS = Path(__file__).resolve().parents[2] / "solutions"
SUFFIX = {"float32": "", "float16": "_f16", "bfloat16": "_bf16"}
NEAR = {"float32": 5e-5, "float16": 2e-3, "bfloat16": 1e-2}
pytestmark = needs_cuda()


@functools.cache
def product(name: str, dtype: str) -> Callable[..., Any]:
    """The solution as a function of a, b, c, whether b is turned, alpha and beta."""
    if name == "gemm_triton":
        return load_module(SOLUTIONS / "gemm_triton.py", once=True).gemm_triton
    prototypes = [OPERATORS["gemm"].prototype(name, dtype)]
    launcher = cuda.build(SOLUTIONS / f"{name}.cu", prototypes).function(name + SUFFIX[dtype])

    def call(a, b, c, turned: int, alpha: float, beta: float) -> None:
        import torch

        sizes = (*a.shape[:1], c.shape[1], a.shape[1], a.stride(0), b.stride(0), c.stride(0))
        stream = torch.cuda.current_stream().cuda_stream
        assert launcher(a.data_ptr(), b.data_ptr(), c.data_ptr(), *sizes, turned, alpha, beta, stream) == 0

    return call


@pytest.mark.parametrize(("name", "dtype"), [
    *[(name, d) for name in ("gemm_triton", "gemm_tensorcore") for d in ("float16", "bfloat16")],
    ("gemm_tiled", "float32"), ("gemm_skinny", "float32"), ("gemm_skinny", "bfloat16"),
])  # fmt: skip
@pytest.mark.parametrize("turned", [0, 1])
@pytest.mark.parametrize("shift", [0, 1], ids=["on 16 bytes", "off 16 bytes"])
@pytest.mark.parametrize(
    "shape", [(2048, 4096, 512), (4000, 4104, 520), (4097, 4099, 77), (200, 300, 64), (256, 264, 40_000)], ids=str
)
def test_a_product_is_right_and_touches_nothing_else(name, dtype, shape, shift, turned):
    import torch

    m, n, k = shape
    kind = getattr(torch, dtype)

    def matrix(rows: int, cols: int) -> torch.Tensor:
        flat = torch.randn(shift + rows * (cols + 8 - cols % 8), device="cuda").to(kind)
        return flat[shift:].view(rows, -1)[:, :cols]

    a, b = matrix(m, k), matrix(n, k) if turned else matrix(k, n)
    out = torch.full((m, n + 24 - n % 8), 7.0, dtype=kind, device="cuda")
    c = out[:, 8 : 8 + n]
    whole = a.double() @ (b.T if turned else b).double()
    for beta in (0.0, 2.0):
        c.fill_(torch.nan if beta == 0 else 3.0)
        product(name, dtype)(a, b, c, turned, 0.5, beta)
        want = 0.5 * whole + 3.0 * beta
        assert ((c.double() - want).abs().max() / want.abs().max()).item() < NEAR[dtype], beta
        assert (out[:, :8] == 7.0).all() and (out[:, 8 + n :] == 7.0).all(), beta
