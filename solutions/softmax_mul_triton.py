"""softmax(x) * w in Triton, one pass over both: any number of columns, three row strides, fp32, fp16 and bf16.

Check:  onekernel check softmax_mul_triton
Bench:  python bench/fusion.py
Idea:   the kernel of softmax_triton with an epilogue. A tile of w lies in registers as the tile of x does; its load
        stands before the reduction, so that it is under way while the row's maximum and sum are found.
        # <gap>
            tile    rows of up to 16384 columns: x and w read once
            split   longer rows: one launch reduces parts of x, one reads x again and w
        # </gap>
But:    x and w share the registers, so that a program keeps half the row that softmax_triton keeps.
"""

# Work: row per program
# <gap>
#| # TODO: the ledger. How often does your kernel read x and w, and write y, per element?
# Ledger (tile): reads 1, writes 1
# Ledger (split): reads 1.5, writes 1
# </gap>

from __future__ import annotations

import os

import torch
import triton
import triton.language as tl

INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"  # no GPU: the interpreter runs the kernels


# <gap>
#| @triton.jit
#| def tile(x_ptr, w_ptr, y_ptr, cols, x_stride, w_stride, y_stride, BLOCK: tl.constexpr):
#|     """One program, one row; strides count elements."""
#|     row = tl.program_id(0)
#|     # TODO: load the row of x and the row of w, masked: what is `other` for each? Offsets of 64 bits.
#|     # TODO: the softmax in float32, times w; one narrowing, one store.
#|
#|
LONGEST = 16384  # columns of a row that one program holds: 16 elements of x and of w for each of 1024 threads
BLOCK_OF_A_PART = 8192
MANY_PARTS = 1024  # of a row: each program of the second launch reads what all of them found
# Warps of a program: with few, a thread has many elements and there is little to meet for; with many, more threads hide
# the latency. What is timed is remembered for the tile, and for how rows lie.
CONFIGS = [triton.Config({}, num_warps=warps) for warps in (2, 4, 8, 16, 32)]


def fitting(configs, named_args, **meta):
    """Keep the configurations that give a thread 4 to 32 elements of its tile."""
    each = {c: meta["ROWS"] * meta["BLOCK"] // (32 * c.num_warps) for c in configs}
    return [c for c in configs if 4 <= each[c] <= 32] or configs[:1]


def untimed(kernel, quantiles):
    """Without a GPU there is nothing to time: every configuration ties, and the first is taken."""
    return [0.0] * len(quantiles)


@triton.autotune(
    CONFIGS,
    key=["ROWS", "BLOCK", "ALIGNED"],
    prune_configs_by={"early_config_prune": fitting},
    restore_value=["x_ptr", "w_ptr"],  # y may be one of them, and what is timed runs many times
    do_bench=untimed if INTERPRETED else None,
)
@triton.jit
def tile(
    x_ptr, w_ptr, y_ptr, rows, cols, x_stride, w_stride, y_stride,
    ROWS: tl.constexpr, BLOCK: tl.constexpr, ALIGNED: tl.constexpr,
):
    """ROWS rows of up to BLOCK columns; the pointers are those of first elements, strides count elements."""
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)[:, None]
    at = tl.arange(0, BLOCK)[None, :]
    inside = (row < rows) & (at < cols)
    x = tl.load(x_ptr + row * x_stride + at, mask=inside, other=-float("inf")).to(tl.float32)
    w = tl.load(w_ptr + row * w_stride + at, mask=inside, other=0.0).to(tl.float32)
    e = tl.exp(x - tl.max(x, axis=1)[:, None])
    y = e / tl.sum(e, axis=1)[:, None] * w
    tl.store(y_ptr + row * y_stride + at, y.to(y_ptr.dtype.element_ty), mask=inside)


@triton.jit
def finite_or_zero(top):
    """What exponentials are taken against: of -inf alone, 0, since -inf - -inf is NaN and the sum must be 0."""
    return tl.where(top == -float("inf"), 0.0, top)


@triton.jit
def reduce_part(x_ptr, tops_ptr, totals_ptr, cols, x_stride, parts, each, BLOCK: tl.constexpr):
    """Of a part, `each` columns of a row: its largest element, and the sum of exponentials against it."""
    row, part = (tl.program_id(0) // parts).to(tl.int64), (tl.program_id(0) % parts).to(tl.int64)
    top, total = -float("inf"), 0.0
    for first in range(part * each, tl.minimum(part * each + each, cols), BLOCK):
        at = first + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * x_stride + at, mask=at < cols, other=-float("inf")).to(tl.float32)
        higher = tl.maximum(top, tl.max(x))
        offset = finite_or_zero(higher)
        total = total * tl.exp(top - offset) + tl.sum(tl.exp(x - offset))
        top = higher
    tl.store(tops_ptr + tl.program_id(0), top)
    tl.store(totals_ptr + tl.program_id(0), total)


@triton.jit
def write_part(
    x_ptr, w_ptr, y_ptr, tops_ptr, totals_ptr, cols, x_stride, w_stride, y_stride, parts, each,
    PARTS: tl.constexpr, BLOCK: tl.constexpr,
):
    """Joins what all parts of the row found, and writes one."""
    row, part = (tl.program_id(0) // parts).to(tl.int64), (tl.program_id(0) % parts).to(tl.int64)
    every = tl.arange(0, PARTS)
    tops = tl.load(tops_ptr + row * parts + every, mask=every < parts, other=-float("inf"))
    totals = tl.load(totals_ptr + row * parts + every, mask=every < parts, other=0.0)
    top = tl.max(tops)
    total = tl.sum(totals * tl.exp(tops - finite_or_zero(top)))
    for first in range(part * each, tl.minimum(part * each + each, cols), BLOCK):
        at = first + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * x_stride + at, mask=at < cols, other=-float("inf")).to(tl.float32)
        w = tl.load(w_ptr + row * w_stride + at, mask=at < cols, other=0.0).to(tl.float32)
        y = tl.exp(x - top) / total * w
        tl.store(y_ptr + row * y_stride + at, y.to(y_ptr.dtype.element_ty), mask=at < cols)


# </gap>
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
    # <gap>
    #| # TODO: choose BLOCK (a power of two), and launch `tile` on a grid of one program a row: tile[(rows,)](...).
    rows, cols = x.shape
    strides = {"x_stride": x.stride(0), "w_stride": w.stride(0), "y_stride": out.stride(0)}
    if cols <= LONGEST:
        block = triton.next_power_of_2(cols)
        together = max(1, 1024 // block)  # short rows share a program
        aligned = all(t.data_ptr() % 16 == 0 and t.stride(0) * t.element_size() % 16 == 0 for t in (x, w, out))
        grid = (triton.cdiv(rows, together),)
        tile[grid](x, w, out, rows, cols, **strides, ROWS=together, BLOCK=block, ALIGNED=aligned)
        return out
    each = triton.cdiv(triton.cdiv(cols, BLOCK_OF_A_PART), MANY_PARTS) * BLOCK_OF_A_PART
    parts = triton.cdiv(cols, each)
    tops, totals = (torch.empty(rows * parts, dtype=torch.float32, device=x.device) for _ in range(2))
    grid, shape = (rows * parts,), {"parts": parts, "each": each, "BLOCK": BLOCK_OF_A_PART}
    reduce_part[grid](x, tops, totals, cols, x.stride(0), **shape, num_warps=16)
    slots = triton.next_power_of_2(parts)
    write_part[grid](x, w, out, tops, totals, cols, **strides, **shape, PARTS=slots, num_warps=16)
    # </gap>
    return out
