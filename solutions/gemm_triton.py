"""GEMM in Triton: C = alpha * A op(B) + beta * C, any shape, row strides, fp32, fp16 and bf16, sums in fp32.

Check:  onekernel check gemm_triton
Bench:  none: the rungs of the ladder are what is measured
Idea:   a program computes a tile of C; tl.dot multiplies tiles, and Triton puts them into shared memory, registers and
        Tensor Cores. Programs that run at the same time take tiles that lie together, so that they share what L2 holds.
But:    pointers and masks for each element of a tile: on Hopper tensor descriptors (TMA) need neither.
"""

# Ledger: reads 1 / tile's width of A and 1 / tile's height of B per multiply-add, writes 1 per element of C

from __future__ import annotations

import os

import torch
import triton
import triton.language as tl

INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"  # no GPU: the interpreter runs the kernel


# <gap>
#| @triton.jit
#| def gemm_tile(a_ptr, b_ptr, c_ptr, m, n, k, lda, down, aside, ldc, alpha, beta,
#|               ROWS: tl.constexpr, COLS: tl.constexpr, DEPTH: tl.constexpr):
#|     """One program, ROWS x COLS elements of C. Element (p, j) of op(B) is b_ptr + p * down + j * aside."""
#|     # TODO: the rows and columns of this program's tile, as int64: offsets may exceed 32 bits.
#|     # TODO: for each step of DEPTH along k: load a tile of A and one of op(B), masked (other=0); tl.dot into fp32.
#|     #       fp32 means fp32: input_precision="ieee". In the interpreter widen 16-bit tiles to fp32 before tl.dot.
#|     # TODO: alpha and beta; C is read only where beta is not 0; one store, masked.
#|
#|
GROUP = tl.constexpr(8)  # rows of tiles that are walked together, column by column


@triton.jit
def gemm_tile(
    a_ptr,
    b_ptr,
    c_ptr,
    m,
    n,
    k,
    lda,
    down,
    aside,
    ldc,
    alpha,
    beta,
    READS_C: tl.constexpr,
    WIDEN: tl.constexpr,
    ROWS: tl.constexpr,
    COLS: tl.constexpr,
    DEPTH: tl.constexpr,
):
    """One program, ROWS x COLS elements of C. Element (p, j) of op(B) is b_ptr + p * down + j * aside."""
    across, height = tl.cdiv(n, COLS), tl.cdiv(m, ROWS)
    number = tl.program_id(0)
    first = number // (GROUP * across) * GROUP
    high = tl.minimum(height - first, GROUP)
    within = number % (GROUP * across)
    rows = ((first + within % high) * ROWS + tl.arange(0, ROWS)).to(tl.int64)
    cols = (within // high * COLS + tl.arange(0, COLS)).to(tl.int64)
    total = tl.zeros((ROWS, COLS), tl.float32)
    for step in range(0, tl.cdiv(k, DEPTH)):
        p = (step * DEPTH + tl.arange(0, DEPTH)).to(tl.int64)
        a = tl.load(a_ptr + rows[:, None] * lda + p[None, :], mask=(rows < m)[:, None] & (p < k)[None, :], other=0.0)
        b_tile = b_ptr + p[:, None] * down + cols[None, :] * aside
        b = tl.load(b_tile, mask=(p < k)[:, None] & (cols < n)[None, :], other=0.0)
        if WIDEN:
            a, b = a.to(tl.float32), b.to(tl.float32)
        total = tl.dot(a, b, total, input_precision="ieee")
    there = (rows < m)[:, None] & (cols < n)[None, :]
    c_tile = c_ptr + rows[:, None] * ldc + cols[None, :]
    out = alpha * total
    if READS_C:
        out += beta * tl.load(c_tile, mask=there, other=0.0).to(tl.float32)
    tl.store(c_tile, out.to(c_ptr.dtype.element_ty), mask=there)


def tile_of(dtype: torch.dtype, m: int, n: int) -> dict:
    """The sides of a tile, its warps and its buffers: large where C has many tiles, small where it has few."""
    if dtype == torch.float32:
        return {"ROWS": 64, "COLS": 64, "DEPTH": 32, "num_warps": 4, "num_stages": 3}
    if triton.cdiv(m, 128) * triton.cdiv(n, 256) >= 128:
        return {"ROWS": 128, "COLS": 256, "DEPTH": 64, "num_warps": 8, "num_stages": 3}
    return {"ROWS": 64, "COLS": 64, "DEPTH": 64, "num_warps": 4, "num_stages": 4}


# </gap>
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
    # <gap>
    #| # TODO: choose ROWS, COLS and DEPTH (powers of two, 16 at the least); one program per tile of C.
    down, aside = (1, b.stride(0)) if transpose_b else (b.stride(0), 1)
    sides = tile_of(a.dtype, m, n)
    grid = (triton.cdiv(m, sides["ROWS"]) * triton.cdiv(n, sides["COLS"]),)
    strides = (a.stride(0), down, aside, c.stride(0))
    gemm_tile[grid](a, b, c, m, n, k, *strides, alpha, beta, READS_C=beta != 0, WIDEN=INTERPRETED, **sides)
    # </gap>
    return c
