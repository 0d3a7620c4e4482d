"""Row softmax in Triton: any number of columns, any row stride, fp32, fp16 and bf16, on a GPU or in the interpreter.

Check:  onekernel check softmax_triton
Bench:  onekernel bench softmax_triton
Idea:   you write the program of a block, not of a thread. A program takes a tile: several short rows, one row, or a
        part of a long row. The compiler deals the tile's elements to threads, picks the width of each load from what it
        can prove about the addresses, and turns tl.max and tl.sum into shuffles and barriers.
        # <gap>
        Only the scope changes. tile: one program reads several short rows, or one of up to 32768 columns. Of a longer
        row each program takes a part: one launch reduces the parts, the next one joins what they found, and writes.
But:    a long row is read twice, and where rows do not begin on 16 bytes the loads are narrow. There the course's
        record goes on: onekernel solution softmax_triton --record
        # </gap>
"""

# Work: row per program
# <gap>
#| # TODO: the ledger. How often does your kernel read, and write, each element?
# Ledger (tile): reads 1, writes 1
# Ledger (split): reads 2, writes 1
# </gap>

from __future__ import annotations

import os

import torch
import triton
import triton.language as tl

INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"  # no GPU: the interpreter runs the kernels


# <gap>
#| @triton.jit
#| def tile(x_ptr, y_ptr, cols, x_stride, y_stride, BLOCK: tl.constexpr):
#|     """One program, one row: x_ptr and y_ptr point to the first element, strides count elements."""
#|     row = tl.program_id(0)
#|     # TODO: the offsets of this row's columns, a tile of BLOCK of them; which of them exist; load them, masked.
#|     # TODO: the row's maximum, the exponentials, their sum, the quotient; store, masked.
#|     # Then, one at a time: float32 whatever comes in; offsets of 64 bits; several short rows in one program;
#|     # rows longer than one tile, online; @triton.autotune, with a reason for each configuration.
#|
#|
LONGEST = 32768  # columns of a row that one program holds: 32 elements for each of 1024 threads
BLOCK_OF_A_PART = 8192
MANY_PARTS = 1024  # of a row: each program of the second launch reads what all of them found
# Warps of a program: with few, a thread has many elements and there is little to meet for; with many, more threads hide
# the latency. What is timed is remembered for the tile, and for how rows lie.
CONFIGS = [triton.Config({}, num_warps=warps) for warps in (2, 4, 8, 16, 32)]


def fitting(configs, named_args, **meta):
    """Keep the configurations that give a thread 8 to 64 elements of its tile."""
    each = {c: meta["ROWS"] * meta["BLOCK"] // (32 * c.num_warps) for c in configs}
    return [c for c in configs if 8 <= each[c] <= 64] or configs[:1]


def untimed(kernel, quantiles):
    """Without a GPU there is nothing to time: every configuration ties, and the first is taken."""
    return [0.0] * len(quantiles)


@triton.autotune(
    CONFIGS,
    key=["ROWS", "BLOCK", "ALIGNED"],
    prune_configs_by={"early_config_prune": fitting},
    restore_value=["x_ptr"],  # y may be x itself, and what is timed runs many times
    do_bench=untimed if INTERPRETED else None,
)
@triton.jit
def tile(
    x_ptr, y_ptr, rows, cols, x_stride, y_stride, ROWS: tl.constexpr, BLOCK: tl.constexpr, ALIGNED: tl.constexpr
):
    """ROWS rows of up to BLOCK columns; x_ptr and y_ptr point to the first element, strides count elements."""
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)[:, None]
    at = tl.arange(0, BLOCK)[None, :]
    inside = (row < rows) & (at < cols)
    x = tl.load(x_ptr + row * x_stride + at, mask=inside, other=-float("inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, axis=1)[:, None])
    y = e / tl.sum(e, axis=1)[:, None]
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
    x_ptr, y_ptr, tops_ptr, totals_ptr, cols, x_stride, y_stride, parts, each, PARTS: tl.constexpr, BLOCK: tl.constexpr
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
        tl.store(y_ptr + row * y_stride + at, (tl.exp(x - top) / total).to(y_ptr.dtype.element_ty), mask=at < cols)


# </gap>
def softmax_triton(x: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
    """Softmax over the columns of x (rows, cols), fp32, fp16 or bf16, inner stride 1; writes `out` and returns it.

    `out` has x's shape and dtype; its rows may lie at any stride; it may be x itself. Raises ValueError otherwise.
    """
    if out is None:
        out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    for t in (x, out):
        if t.ndim != 2 or (t.stride(1) != 1 and t.shape[1] > 1):
            raise ValueError(f"softmax_triton wants 2-D tensors of inner stride 1, not {tuple(t.shape)}, {t.stride()}")
    if x.dtype not in (torch.float32, torch.float16, torch.bfloat16) or (x.dtype, x.shape) != (out.dtype, out.shape):
        raise ValueError(f"softmax_triton wants fp32, fp16 or bf16, out like x; not {x.dtype} and {out.dtype}")
    if x.numel() == 0:
        return out
    # <gap>
    #| # TODO: choose BLOCK (a power of two), and launch `tile` on a grid of one program a row: tile[(rows,)](...).
    rows, cols = x.shape
    x_stride, out_stride = x.stride(0), out.stride(0)
    if cols <= LONGEST:
        block = triton.next_power_of_2(cols)
        together = max(1, 1024 // block)  # short rows share a program
        aligned = all(t.data_ptr() % 16 == 0 and t.stride(0) * t.element_size() % 16 == 0 for t in (x, out))
        grid = (triton.cdiv(rows, together),)
        tile[grid](x, out, rows, cols, x_stride, out_stride, ROWS=together, BLOCK=block, ALIGNED=aligned)
        return out
    each = triton.cdiv(triton.cdiv(cols, BLOCK_OF_A_PART), MANY_PARTS) * BLOCK_OF_A_PART
    parts = triton.cdiv(cols, each)
    tops, totals = (torch.empty(rows * parts, dtype=torch.float32, device=x.device) for _ in range(2))
    grid, shape = (rows * parts,), {"cols": cols, "x_stride": x_stride, "parts": parts, "each": each}
    reduce_part[grid](x, tops, totals, **shape, BLOCK=BLOCK_OF_A_PART, num_warps=16)
    slots = triton.next_power_of_2(parts)
    write_part[grid](
        x, out, tops, totals, **shape, y_stride=out_stride, PARTS=slots, BLOCK=BLOCK_OF_A_PART, num_warps=16
    )
    # </gap>
    return out
