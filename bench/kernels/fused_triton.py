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

REACH = 65536.0  # the largest angle that loses its multiples of pi in two parts
LAUNCHES: dict[Hashable, Any] = {}


@triton.jit
def cos_near_zero(r):
    """The cosine of an angle of at most pi / 2, to 1.3e-7: bench/kernels/cos_cos.cu explains it and what follows."""
    u = r * r
    return (((2.3153612e-5 * u - 1.3853691e-3) * u + 4.1663583e-2) * u - 0.49999905) * u + 0.99999994


@triton.jit
def cos_cos_tile(x_ptr, y_ptr, n, REACH: tl.constexpr, BLOCK: tl.constexpr):
    """REACH of 0: the library's cosine for each angle, without a maximum that a short launch would wait for."""
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n, other=0.0).to(tl.float32)
    if REACH == 0:
        inner = tl.cos(x)
    elif tl.max(tl.abs(x)) < REACH:
        turns = tl.fma(x, 0.31830988, 12582912.0) - 12582912.0
        inner = cos_near_zero(tl.fma(turns, 8.7422777e-8, tl.fma(turns, -3.14159274, x)))
    else:
        inner = tl.cos(x)
    tl.store(y_ptr + at, cos_near_zero(inner).to(y_ptr.dtype.element_ty), mask=at < n)


@triton.jit
def sum_of(x_ptr, r_ptr, at, mask):
    return tl.load(x_ptr + at, mask=mask, other=0.0).to(tl.float32) + tl.load(r_ptr + at, mask=mask, other=0.0).to(
        tl.float32
    )


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
    w = tl.load(w_ptr + head + at, mask=inside, other=0.0).to(tl.float32)  # under way before the reduction, too
    h = sum_of(x_body, r_body, at, inside)
    squares = tl.sum(h * h)
    if EDGES:
        single = tl.arange(0, 2 * VEC)
        single = tl.where(single < VEC, tl.where(single < head, single, cols), single - VEC + head + vectors * VEC)
        h_single = sum_of(x_row, r_row, single, single < cols)
        squares += tl.sum(h_single * h_single)
    scale = tl.rsqrt(squares / cols + eps)
    tl.store(y_body + at, (h * scale * w).to(y_ptr.dtype.element_ty), mask=inside)
    if EDGES:
        w_single = tl.load(w_ptr + single, mask=single < cols, other=0.0).to(tl.float32)
        tl.store(y_row + single, (h_single * scale * w_single).to(y_ptr.dtype.element_ty), mask=single < cols)


def cos_cos(x: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    """cos(cos(x)) of a contiguous x of any shape, into out."""
    n = x.numel()
    key = cos_cos, n, x.dtype, x.get_device(), x.data_ptr() % 16, out.data_ptr() % 16
    values = (n, REACH, 2048) if n >= 1 << 20 else (n, 0.0, 512 if n >= 1 << 16 else 256)
    start = LAUNCHES.get(key)
    if start:
        start(x, out, *values)
        return out
    grid = (triton.cdiv(n, values[-1]), 1, 1)
    kernel = cos_cos_tile[grid](x, out, *values)
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
    kernel = rmsnorm_tile[(rows, 1, 1)](*tensors, *values, num_warps=4 if edges else max(4, min(16, block // 512)))
    if x.is_cuda:
        LAUNCHES[key] = kernel[(rows, 1, 1)], values
    return out
