"""GEMM in Triton: a tile of C per program, row of tiles by row of tiles."""

import os

import torch
import triton
import triton.language as tl

INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"


@triton.jit
def gemm_kernel(
    a_ptr, b_ptr, c_ptr, m, n, k, lda, b_down, b_aside, ldc, alpha, beta,
    USES_C: tl.constexpr, WIDEN: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
):  # fmt: skip
    across = tl.cdiv(n, N)
    i = (tl.program_id(0) // across).to(tl.int64) * M + tl.arange(0, M)
    j = (tl.program_id(0) % across).to(tl.int64) * N + tl.arange(0, N)
    acc = tl.zeros((M, N), tl.float32)
    for k0 in range(0, k, K):
        p = k0 + tl.arange(0, K).to(tl.int64)
        a = tl.load(a_ptr + i[:, None] * lda + p[None, :], mask=(i[:, None] < m) & (p[None, :] < k), other=0.0)
        b_at = b_ptr + p[:, None] * b_down + j[None, :] * b_aside
        b = tl.load(b_at, mask=(p[:, None] < k) & (j[None, :] < n), other=0.0)
        if WIDEN:
            a = a.to(tl.float32)
            b = b.to(tl.float32)
        acc = tl.dot(a, b, acc, input_precision="ieee")
    inside = (i[:, None] < m) & (j[None, :] < n)
    at = c_ptr + i[:, None] * ldc + j[None, :]
    result = alpha * acc
    if USES_C:
        result += beta * tl.load(at, mask=inside, other=0.0).to(tl.float32)
    tl.store(at, result.to(c_ptr.dtype.element_ty), mask=inside)


def gemm_triton(a, b, c=None, transpose_b=0, alpha=1.0, beta=0.0):
    m, k = a.shape
    n = b.shape[0] if transpose_b else b.shape[1]
    if c is None:
        c = torch.empty((m, n), dtype=a.dtype, device=a.device)
    if m == 0 or n == 0:
        return c
    down, aside = (1, b.stride(0)) if transpose_b else (b.stride(0), 1)
    grid = (triton.cdiv(m, 32) * triton.cdiv(n, 32),)
    gemm_kernel[grid](
        a, b, c, m, n, k, a.stride(0), down, aside, c.stride(0), alpha, beta,
        USES_C=beta != 0, WIDEN=INTERPRETED, M=32, N=32, K=32,
    )  # fmt: skip
    return c
