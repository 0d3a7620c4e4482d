"""softmax(x) * w in Triton: one tile where both rows fit, an online loop where they do not. Borja's version.

Check:  onekernel check softmax_mul_triton

What I learnt: an epilogue is one more load and one more `*`. w is loaded before the reduction, so that it is under way
        while the program looks for the maximum. Its `other` I thought about longer than about the rest: -inf for x,
        because nothing may join the maximum; for w anything at all, because a column that does not exist is not stored.
But:    x and w share the registers, so the longest tile is half of the one in my softmax_triton.py. In the loop x is
        read twice, and one row is one program: a few long rows leave most of a GPU idle.
"""

# Work: row per program
# Ledger (up to 8192 columns): reads 2, writes 1
# Ledger (longer rows): reads 3, writes 1

from __future__ import annotations

import torch
import triton
import triton.language as tl

LONGEST_TILE = 8192  # softmax_triton.py has 16384 with 32 elements per thread; here 16 of x and 16 of w
STEP = 4096  # the tile of the loop


@triton.jit
def tile(x_ptr, w_ptr, y_ptr, cols, x_stride, w_stride, y_stride, BLOCK: tl.constexpr):
    """One program, one row; strides count elements."""
    row = tl.program_id(0).to(tl.int64)  # row * stride is an int32 product otherwise
    col = tl.arange(0, BLOCK)
    there = col < cols
    x = tl.load(x_ptr + row * x_stride + col, mask=there, other=-float("inf")).to(tl.float32)
    w = tl.load(w_ptr + row * w_stride + col, mask=there, other=0.0).to(tl.float32)
    e = tl.exp(x - tl.max(x))
    y = e / tl.sum(e) * w  # still fp32: the one rounding is in the store
    tl.store(y_ptr + row * y_stride + col, y.to(y_ptr.dtype.element_ty), mask=there)


@triton.jit
def online(x_ptr, w_ptr, y_ptr, cols, x_stride, w_stride, y_stride, STEP: tl.constexpr):
    """One program, one row too long for a tile: (maximum, sum) tile by tile, then x again, with w."""
    row = tl.program_id(0).to(tl.int64)
    x_row = x_ptr + row * x_stride
    w_row = w_ptr + row * w_stride
    y_row = y_ptr + row * y_stride
    col = tl.arange(0, STEP)

    top = tl.full((), -float("inf"), tl.float32)
    total = tl.full((), 0.0, tl.float32)
    for start in range(0, cols, STEP):
        x = tl.load(x_row + start + col, mask=start + col < cols, other=-float("inf")).to(tl.float32)
        new = tl.maximum(top, tl.max(x))
        base = tl.where(new == -float("inf"), 0.0, new)  # -inf - (-inf) is NaN
        total = total * tl.exp(top - base) + tl.sum(tl.exp(x - base))
        top = new

    for start in range(0, cols, STEP):
        there = start + col < cols
        x = tl.load(x_row + start + col, mask=there, other=-float("inf")).to(tl.float32)
        w = tl.load(w_row + start + col, mask=there, other=0.0).to(tl.float32)
        y = tl.exp(x - top) / total * w
        tl.store(y_row + start + col, y.to(y_ptr.dtype.element_ty), mask=there)


def softmax_mul_triton(x: torch.Tensor, w: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
    """softmax(x, 1) * w for x and w of (rows, cols), fp32, fp16 or bf16, inner stride 1; writes `out` and returns it.

    The rows of each may lie at any stride; `out` may be x or w itself. Raises ValueError for others.
    """
    if out is None:
        out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    for t in (x, w, out):
        if t.ndim != 2 or (t.stride(1) != 1 and t.shape[1] > 1):
            raise ValueError(f"softmax_mul_triton wants 2-D, inner stride 1; not {tuple(t.shape)}, {t.stride()}")
        if t.dtype not in (torch.float32, torch.float16, torch.bfloat16) or (t.dtype, t.shape) != (x.dtype, x.shape):
            raise ValueError(f"softmax_mul_triton wants fp32, fp16 or bf16, all of one shape; not {t.dtype}, {t.shape}")
    if x.numel() == 0:
        return out
    rows, cols = x.shape
    strides = x.stride(0), w.stride(0), out.stride(0)
    if cols > LONGEST_TILE:
        online[(rows,)](x, w, out, cols, *strides, STEP=STEP)
    else:
        block = triton.next_power_of_2(cols)
        tile[(rows,)](x, w, out, cols, *strides, BLOCK=block, num_warps=min(16, max(4, block // 512)))
    return out
