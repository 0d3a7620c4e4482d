"""cos(cos(x)) and RMSNorm of a sum in plain Triton, as the bench of fusion needs them: one tile a program.

Triton finds a kernel anew at each call, which takes the host longer than a short kernel runs; a call like an earlier
one starts that one's kernel directly, as the course's solutions do.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import torch
import triton
import triton.language as tl

BLOCK = 2048
LAUNCHES: dict[Hashable, Any] = {}


@triton.jit
def cos_cos_tile(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n, other=0.0).to(tl.float32)
    tl.store(y_ptr + at, tl.cos(tl.cos(x)).to(y_ptr.dtype.element_ty), mask=at < n)


@triton.jit
def sum_of(x_ptr, r_ptr, at, mask):
    return tl.load(x_ptr + at, mask=mask, other=0.0).to(tl.float32) + tl.load(r_ptr + at, mask=mask, other=0.0).to(
        tl.float32
    )


@triton.jit
def scaled(y_ptr, w_ptr, at, mask, h, scale):
    w = tl.load(w_ptr + at, mask=mask, other=0.0).to(tl.float32)
    tl.store(y_ptr + at, (h * scale * w).to(y_ptr.dtype.element_ty), mask=mask)


@triton.jit
def rmsnorm_tile(
    x_ptr,
    r_ptr,
    w_ptr,
    y_ptr,
    cols,
    x_stride,
    r_stride,
    y_stride,
    phase,  # how many elements x, r and y start after a boundary of 16 bytes, the same for all three
    eps,
    VEC: tl.constexpr,  # elements that every row may load at once from such a boundary on; 1 where the three differ
    EDGES: tl.constexpr,  # whether any row has elements before or behind its whole vectors
    BLOCK: tl.constexpr,
):
    """A row is a body of whole vectors and, before and behind it, fewer than VEC single elements."""
    row = tl.program_id(0).to(tl.int64)
    x_row, r_row, y_row = x_ptr + row * x_stride, r_ptr + row * r_stride, y_ptr + row * y_stride
    head = tl.minimum((VEC - (phase + row * x_stride) % VEC) % VEC, cols) if EDGES else 0
    vectors = (cols - head) // VEC
    bytes: tl.constexpr = VEC * x_ptr.dtype.element_ty.primitive_bitwidth // 8
    x_body, r_body = tl.multiple_of(x_row + head, bytes), tl.multiple_of(r_row + head, bytes)
    y_body = tl.multiple_of(y_row + head, bytes)
    at = tl.arange(0, BLOCK)
    inside = at // VEC < vectors  # a bit for VEC neighbours, which may then go in one load
    h = sum_of(x_body, r_body, at, inside)
    squares = tl.sum(h * h)
    if EDGES:
        single = tl.arange(0, 2 * VEC)
        single = tl.where(single < VEC, tl.where(single < head, single, cols), single - VEC + head + vectors * VEC)
        h_single = sum_of(x_row, r_row, single, single < cols)
        squares += tl.sum(h_single * h_single)
    scale = tl.rsqrt(squares / cols + eps)
    scaled(y_body, w_ptr + head, at, inside, h, scale)
    if EDGES:
        scaled(y_row, w_ptr, single, single < cols, h_single, scale)


def cos_cos(x: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    """cos(cos(x)) of a contiguous x of any shape, into out."""
    key = cos_cos, x.numel(), x.dtype, x.get_device(), x.data_ptr() % 16, out.data_ptr() % 16
    start = LAUNCHES.get(key)
    if start:
        start(x, out, x.numel(), BLOCK)
        return out
    grid = (triton.cdiv(x.numel(), BLOCK), 1, 1)
    kernel = cos_cos_tile[grid](x, out, x.numel(), BLOCK=BLOCK)
    if x.is_cuda:  # the interpreter gives none
        LAUNCHES[key] = kernel[grid]
    return out


def rmsnorm(
    x: torch.Tensor, residual: torch.Tensor, weight: torch.Tensor, out: torch.Tensor, eps: float
) -> torch.Tensor:
    """RMSNorm of x + residual, all (rows, cols) of inner stride 1, into out."""
    tensors = x, residual, weight, out
    places = tuple(t.data_ptr() % 16 for t in tensors)
    strides = x.stride(0), residual.stride(0), out.stride(0)
    key = rmsnorm, x.shape, strides, places, x.dtype, x.get_device(), eps
    again = LAUNCHES.get(key)
    if again:
        start, values = again
        start(*tensors, *values)
        return out
    rows, cols = x.shape
    width = 16 // x.element_size()
    alike = places[0] == places[1] == places[3] and not any((s - strides[0]) % width for s in strides)
    block = triton.next_power_of_2(cols)
    edges = alike and any(n % width for n in (cols, strides[0], places[0] // x.element_size()))
    values = (cols, *strides, places[0] // x.element_size(), eps, width if alike else 1, edges, block)
    kernel = rmsnorm_tile[(rows, 1, 1)](*tensors, *values, num_warps=max(4, min(16, block // 1024)))
    if x.is_cuda:
        LAUNCHES[key] = kernel[(rows, 1, 1)], values
    return out
