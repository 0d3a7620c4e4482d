"""Softmax in Triton: several short rows per program, three passes over long ones, tuned over the width of a tile."""

import torch
import triton
import triton.language as tl


@triton.jit
def short_rows(x_ptr, y_ptr, rows, cols, x_stride, y_stride, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    r = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    c = tl.arange(0, BLOCK)
    mask = (r < rows)[:, None] & (c < cols)[None, :]
    x = tl.load(x_ptr + r[:, None] * x_stride + c[None, :], mask=mask, other=-float("inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, axis=1)[:, None])
    y = e / tl.sum(e, axis=1)[:, None]
    tl.store(y_ptr + r[:, None] * y_stride + c[None, :], y.to(y_ptr.dtype.element_ty), mask=mask)


@triton.autotune(
    configs=[
        triton.Config({"BLOCK": 1024}, num_warps=4),  # rows of a few thousand columns: little is masked
        triton.Config({"BLOCK": 4096}, num_warps=8),  # long rows: fewer steps of the loop
        triton.Config({"BLOCK": 8192}, num_warps=16),  # the longest: more loads under way
    ],
    key=["cols"],
)
@triton.jit
def long_row(x_ptr, y_ptr, cols, x_stride, y_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * x_stride
    y_ptr += row * y_stride
    top = -float("inf")
    for start in tl.range(0, cols, BLOCK):
        at = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + at, mask=at < cols, other=-float("inf")).to(tl.float32)
        top = tl.maximum(top, tl.max(x, axis=0))
    total = 0.0
    for start in tl.range(0, cols, BLOCK):
        at = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + at, mask=at < cols, other=-float("inf")).to(tl.float32)
        total += tl.sum(tl.exp(x - top), axis=0)
    for start in tl.range(0, cols, BLOCK):
        at = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + at, mask=at < cols, other=-float("inf")).to(tl.float32)
        y = tl.exp(x - top) / total
        tl.store(y_ptr + at, y.to(y_ptr.dtype.element_ty), mask=at < cols)


def softmax_triton(x: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
    y = torch.empty(x.shape, dtype=x.dtype, device=x.device) if out is None else out
    rows, cols = x.shape
    if x.numel() == 0:
        return y
    if cols <= 1024:
        block = triton.next_power_of_2(cols)
        group = max(1, 2048 // block)
        short_rows[(triton.cdiv(rows, group),)](x, y, rows, cols, x.stride(0), y.stride(0), ROWS=group, BLOCK=block)
    else:
        long_row[(rows,)](x, y, cols, x.stride(0), y.stride(0))
    return y
