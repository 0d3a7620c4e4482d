"""GEMM in Triton: C = alpha * A op(B) + beta * C, any shape, row strides, fp32, fp16 and bf16, sums in fp32.

Check:  onekernel check gemm_triton
Bench:  python bench/gemm.py
Idea:   a program computes a tile of C; tl.dot multiplies tiles, and Triton puts them into shared memory, registers and
        Tensor Cores. Programs that run at the same time take tiles that lie together, so that they share what L2 holds.
"""

# TODO: the ledger. How many elements of A and of B does your kernel read per multiply-add?

from __future__ import annotations

import os

import torch
import triton
import triton.language as tl

INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"  # no GPU: the interpreter runs the kernel


@triton.jit
def gemm_tile(a_ptr, b_ptr, c_ptr, m, n, k, lda, down, aside, ldc, alpha, beta,
              ROWS: tl.constexpr, COLS: tl.constexpr, DEPTH: tl.constexpr):
    """One program, ROWS x COLS elements of C. Element (p, j) of op(B) is b_ptr + p * down + j * aside."""
    # TODO: the rows and columns of this program's tile, as int64: offsets may exceed 32 bits.
    # TODO: for each step of DEPTH along k: load a tile of A and one of op(B), masked (other=0); tl.dot into fp32.
    #       fp32 means fp32: input_precision="ieee".
    # TODO: alpha and beta; C is read only where beta is not 0; one store, masked.


def gemm_triton(
    a: torch.Tensor,
    b: torch.Tensor,
    c: torch.Tensor | None = None,
    transpose_b: int = 0,
    alpha: float = 1.0,
    beta: float = 0.0,
) -> torch.Tensor:
    """alpha * a @ op(b) + beta * c for a of (m, k) and b of (k, n), or with transpose_b (n, k); writes `c`, returns it.

    2-D, inner stride 1, fp32, fp16 or bf16. Without `c` a new tensor, and beta must be 0. Raises ValueError for others.
    """
    m, k = a.shape
    n = b.shape[0] if transpose_b else b.shape[1]
    if c is None:
        if beta:
            raise ValueError("gemm_triton wants a c where beta is not 0")
        c = torch.empty((m, n), dtype=a.dtype, device=a.device)
    if b.shape != ((n, k) if transpose_b else (k, n)) or c.shape != (m, n):
        raise ValueError(f"gemm_triton: {tuple(a.shape)} times {tuple(b.shape)} into {tuple(c.shape)}")
    for t in (a, b, c):
        if t.dtype not in (torch.float32, torch.float16, torch.bfloat16) or t.dtype != a.dtype:
            raise ValueError(f"gemm_triton wants fp32, fp16 or bf16, all the same; not {t.dtype}")
        if t.stride(1) != 1 and t.shape[1] > 1:
            raise ValueError(f"gemm_triton wants an inner stride of 1, not {t.stride()}")
    if m == 0 or n == 0:
        return c
    # TODO: choose ROWS, COLS and DEPTH (powers of two, 16 at the least); one program per tile of C.
    return c
