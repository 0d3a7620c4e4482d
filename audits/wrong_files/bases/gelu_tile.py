"""GeLU in Triton: 1024 elements per program."""

import torch
import triton
import triton.language as tl


@triton.jit
def gelu_kernel(x_ptr, y_ptr, n, TANH: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    there = i < n
    x = tl.load(x_ptr + i, mask=there, other=0.0).to(tl.float32)
    if TANH:
        u = 0.7978845608 * (x + 0.044715 * x * x * x)
        e = tl.exp(-2.0 * tl.abs(u))
        t = (1.0 - e) / (1.0 + e)
        t = tl.where(u < 0, -t, t)
        small = tl.where(u < 0, 2.0 * e / (1.0 + e), 1.0 + t)
        y = 0.5 * x * small
    else:
        y = 0.5 * x * (1.0 + tl.erf(x * 0.7071067812))
    tl.store(y_ptr + i, y.to(y_ptr.dtype.element_ty), mask=there)


def gelu_triton(x: torch.Tensor, out: torch.Tensor | None = None, approximate: bool = False) -> torch.Tensor:
    if out is None:
        out = torch.empty_like(x)
    n = x.numel()
    if n == 0:
        return out
    gelu_kernel[(triton.cdiv(n, 1024),)](x, out, n, TANH=approximate, BLOCK=1024)
    return out
