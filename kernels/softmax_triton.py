"""Row softmax in Triton: any number of columns, any row stride, fp32, fp16 and bf16, on a GPU or in the interpreter.

Check:  onekernel check softmax_triton
Bench:  onekernel bench softmax_triton
Idea:   you write the program of a block, not of a thread. A program takes a tile: several short rows, one row, or a
        part of a long row. The compiler deals the tile's elements to threads, picks the width of each load from what it
        can prove about the addresses, and turns tl.max and tl.sum into shuffles and barriers.
"""

# Work: row per program
# TODO: the ledger. How often does your kernel read, and write, each element?

from __future__ import annotations

import os

import torch
import triton
import triton.language as tl

INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"  # no GPU: the interpreter runs the kernels


@triton.jit
def tile(x_ptr, y_ptr, cols, x_stride, y_stride, BLOCK: tl.constexpr):
    """One program, one row: x_ptr and y_ptr point to the first element, strides count elements."""
    row = tl.program_id(0)
    # TODO: the offsets of this row's columns, a tile of BLOCK of them; which of them exist; load them, masked.
    # TODO: the row's maximum, the exponentials, their sum, the quotient; store, masked.
    # Then, one at a time: float32 whatever comes in; offsets of 64 bits; several short rows in one program;
    # rows longer than one tile, online; @triton.autotune, with a reason for each configuration.


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
    # TODO: choose BLOCK (a power of two), and launch `tile` on a grid of one program a row: tile[(rows,)](...).
    return out
