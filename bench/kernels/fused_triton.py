"""cos(cos(x)) and RMSNorm of a sum in plain Triton, as the bench of fusion needs them: one tile a program, no more."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

BLOCK = 2048


@triton.jit
def cos_cos_tile(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n, other=0.0).to(tl.float32)
    tl.store(y_ptr + at, tl.cos(tl.cos(x)).to(y_ptr.dtype.element_ty), mask=at < n)


@triton.jit
def rmsnorm_tile(x_ptr, r_ptr, w_ptr, y_ptr, cols, x_stride, r_stride, y_stride, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + at, mask=at < cols, other=0.0).to(tl.float32)
    h = x + tl.load(r_ptr + row * r_stride + at, mask=at < cols, other=0.0).to(tl.float32)
    w = tl.load(w_ptr + at, mask=at < cols, other=0.0).to(tl.float32)
    y = h * tl.rsqrt(tl.sum(h * h) / cols + eps) * w
    tl.store(y_ptr + row * y_stride + at, y.to(y_ptr.dtype.element_ty), mask=at < cols)


def cos_cos(x: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    """cos(cos(x)) of a contiguous x of any shape, into out."""
    cos_cos_tile[(triton.cdiv(x.numel(), BLOCK),)](x, out, x.numel(), BLOCK=BLOCK)
    return out


def rmsnorm(
    x: torch.Tensor, residual: torch.Tensor, weight: torch.Tensor, out: torch.Tensor, eps: float
) -> torch.Tensor:
    """RMSNorm of x + residual, all (rows, cols) of inner stride 1, into out."""
    rows, cols = x.shape
    strides = x.stride(0), residual.stride(0), out.stride(0)
    block = triton.next_power_of_2(cols)
    warps = max(4, min(16, block // 1024))
    rmsnorm_tile[(rows,)](x, residual, weight, out, cols, *strides, eps, BLOCK=block, num_warps=warps)
    return out
