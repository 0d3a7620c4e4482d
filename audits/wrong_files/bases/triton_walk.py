"""Softmax in Triton: a tile per row up to 4096 columns, a walk in tiles for longer rows."""

import torch
import triton
import triton.language as tl


@triton.jit
def one_tile(x_ptr, y_ptr, cols, x_stride, y_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    there = at < cols
    x = tl.load(x_ptr + row * x_stride + at, mask=there, other=-float("inf")).to(tl.float32)
    top = tl.max(x, axis=0)
    e = tl.exp(x - top)
    y = e / tl.sum(e, axis=0)
    tl.store(y_ptr + row * y_stride + at, y.to(y_ptr.dtype.element_ty), mask=there)


@triton.jit
def walk(x_ptr, y_ptr, cols, x_stride, y_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x_row = x_ptr + row * x_stride
    y_row = y_ptr + row * y_stride
    tops = tl.full((BLOCK,), -float("inf"), tl.float32)
    sums = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, cols, BLOCK):
        at = start + tl.arange(0, BLOCK)
        x = tl.load(x_row + at, mask=at < cols, other=-float("inf")).to(tl.float32)
        new = tl.maximum(tops, x)
        base = tl.where(new == -float("inf"), 0.0, new)
        sums = sums * tl.exp(tops - base) + tl.exp(x - base)
        tops = new
    top = tl.max(tops, axis=0)
    base = tl.where(tops == -float("inf"), top, tops)
    total = tl.sum(tl.where(tops == -float("inf"), sums, sums * tl.exp(base - top)), axis=0)
    for start in range(0, cols, BLOCK):
        at = start + tl.arange(0, BLOCK)
        x = tl.load(x_row + at, mask=at < cols, other=-float("inf")).to(tl.float32)
        tl.store(y_row + at, (tl.exp(x - top) / total).to(y_ptr.dtype.element_ty), mask=at < cols)


def softmax_triton(x: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
    if out is None:
        out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    rows, cols = x.shape
    if rows == 0 or cols == 0:
        return out
    if cols <= 4096:
        block = triton.next_power_of_2(cols)
        one_tile[(rows,)](x, out, cols, x.stride(0), out.stride(0), BLOCK=block)
    else:
        walk[(rows,)](x, out, cols, x.stride(0), out.stride(0), BLOCK=2048)
    return out
