"""GEMM in Triton: C = alpha * A op(B) + beta * C, a program per tile of C. Borja's version.

Check:  onekernel check gemm_triton

What I learnt: `tl.dot` is my whole gemm_tiled.cu, and what is left to me are the masks. Each load needs both of its sides masked, and
        `other` is 0, because what does not exist must change no sum. A transposed B is two strides exchanged, not another kernel.
        In fp32 `input_precision="ieee"` is not decoration: without it the factors are rounded to tf32, and the check is right to refuse.
But:    one tile for every shape. A C of 16 x 4096 leaves three quarters of my rows empty, and a long k is one program's.
"""

# Ledger: reads 1 / COLS of A and 1 / ROWS of B per multiply-add, writes 1 per element of C

from __future__ import annotations

import torch
import triton
import triton.language as tl

ROWS, COLS, DEPTH = 64, 64, 32


@triton.jit
def gemm_tile(
    a_ptr, b_ptr, c_ptr, m, n, k, lda, down, aside, ldc, alpha, beta,
    ROWS: tl.constexpr, COLS: tl.constexpr, DEPTH: tl.constexpr, READS_C: tl.constexpr,
):  # fmt: skip
    """One program, ROWS x COLS elements of C. Element (p, j) of op(B) is b_ptr + p * down + j * aside."""
    across = tl.cdiv(n, COLS)
    row = ((tl.program_id(0) // across).to(tl.int64) * ROWS + tl.arange(0, ROWS))[:, None]
    col = ((tl.program_id(0) % across).to(tl.int64) * COLS + tl.arange(0, COLS))[None, :]
    step = tl.arange(0, DEPTH).to(tl.int64)
    total = tl.zeros((ROWS, COLS), tl.float32)
    for start in range(0, k, DEPTH):
        of_a, of_b = (start + step)[None, :], (start + step)[:, None]
        a = tl.load(a_ptr + row * lda + of_a, mask=(row < m) & (of_a < k), other=0.0)
        b = tl.load(b_ptr + of_b * down + col * aside, mask=(of_b < k) & (col < n), other=0.0)
        total = tl.dot(a, b, total, input_precision="ieee")
    y = alpha * total
    at, there = c_ptr + row * ldc + col, (row < m) & (col < n)
    if READS_C:  # decided when the kernel is compiled: with beta = 0 there is no load of C in it at all
        y += beta * tl.load(at, mask=there, other=0.0).to(tl.float32)
    tl.store(at, y.to(c_ptr.dtype.element_ty), mask=there)


def gemm_triton(
    a: torch.Tensor,
    b: torch.Tensor,
    c: torch.Tensor | None = None,
    transpose_b: int = 0,
    alpha: float = 1.0,
    beta: float = 0.0,
) -> torch.Tensor:
    """alpha * a @ op(b) + beta * c for a of (m, k) and b of (k, n), or with transpose_b (n, k); writes `c` and returns it.

    2-D, inner stride 1, fp32, fp16 or bf16. Without `c`, a new tensor, and beta must be 0. Raises ValueError for others.
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
    down, aside = (1, b.stride(0)) if transpose_b else (b.stride(0), 1)
    tiles = triton.cdiv(m, ROWS) * triton.cdiv(n, COLS)
    gemm_tile[(tiles,)](
        a, b, c, m, n, k, a.stride(0), down, aside, c.stride(0), alpha, beta,
        ROWS=ROWS, COLS=COLS, DEPTH=DEPTH, READS_C=beta != 0,
    )  # fmt: skip
    return c
