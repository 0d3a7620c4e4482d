"""softmax(x) * w in Triton, one pass over both: any number of columns, three row strides, fp32, fp16 and bf16.

Check:  onekernel check softmax_mul_triton
Bench:  python bench/fusion.py
Idea:   the kernel of softmax_triton with an epilogue. A tile of w lies in registers as the tile of x does; its load
        stands before the reduction, so that it is under way while the row's maximum and sum are found.
But:    x and w share the registers, so that a program keeps half the row that softmax_triton keeps.
"""

# Work: row per program
# TODO: the ledger. How often does your kernel read x and w, and write y, per element?

from __future__ import annotations

import os

import torch
import triton
import triton.language as tl

INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"  # no GPU: the interpreter runs the kernels


@triton.jit
def tile(x_ptr, w_ptr, y_ptr, cols, x_stride, w_stride, y_stride, BLOCK: tl.constexpr):
    """One program, one row; strides count elements."""
    row = tl.program_id(0)
    # TODO: load the row of x and the row of w, masked: what is `other` for each? Offsets of 64 bits.
    # TODO: the softmax in float32, times w; one narrowing, one store.


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
    # TODO: choose BLOCK (a power of two), and launch `tile` on a grid of one program a row: tile[(rows,)](...).
    return out
