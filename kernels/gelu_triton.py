"""GeLU in Triton, exactly or by tanh: any number of elements at any address, fp32, fp16 and bf16.

Check:  onekernel check gelu_triton
Bench:  python bench/fusion.py
Idea:   a chain of elementwise operators is one expression on a tile: the compiler keeps what is between them in
        registers. It makes 16-byte accesses of a load only where it can prove the address and where no mask divides a
        vector.
"""

# Ledger: reads 1, writes 1

from __future__ import annotations

import os

import torch
import triton
import triton.language as tl

INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"  # no GPU: the interpreter runs the kernel


@triton.jit
def gelu_tile(x_ptr, y_ptr, n, APPROXIMATE: tl.constexpr, BLOCK: tl.constexpr):
    """One program, BLOCK elements; APPROXIMATE: the form with tanh."""
    # TODO: the offsets of this program's elements, and which of them exist; load them, masked, and widen to float32.
    # TODO: the whole formula as one expression (tl.erf, or tanh by tl.exp); narrow, and store with the same mask.


def gelu_triton(x: torch.Tensor, out: torch.Tensor | None = None, approximate: bool = False) -> torch.Tensor:
    """GeLU of a contiguous x of any shape, fp32, fp16 or bf16; writes `out` and returns it.

    `out` is like x, contiguous; it may be x itself. `approximate`: the form with tanh. Raises ValueError for others.
    """
    if out is None:
        out = torch.empty_like(x)
    if not (x.is_contiguous() and out.is_contiguous()):
        raise ValueError(f"gelu_triton wants contiguous tensors, not strides of {x.stride()} and {out.stride()}")
    if x.dtype not in (torch.float32, torch.float16, torch.bfloat16) or (x.dtype, x.shape) != (out.dtype, out.shape):
        raise ValueError(f"gelu_triton wants fp32, fp16 or bf16, out like x; not {x.dtype} and {out.dtype}")
    if x.numel() == 0:
        return out
    # TODO: choose BLOCK (a power of two), and launch `gelu_tile` on a grid of one program per BLOCK elements.
    return out
