# exercise: gemm_triton
# bug: boundary_check names the columns of B alone: k may end within a tile, too
# group: shapes
# caught: out-of-bounds-read
# triton: below 3.9
import torch
import triton
import triton.language as tl


@triton.jit
def tile(a_ptr, b_ptr, c_ptr, m, n, k, lda, b_down, b_along, ldc, alpha, beta, HAS_C: tl.constexpr, SIDE: tl.constexpr):
    pid = tl.program_id(0)
    across = tl.cdiv(n, SIDE)
    row, col = (pid // across) * SIDE, (pid % across) * SIDE
    a_at = tl.make_block_ptr(a_ptr, (m, k), (lda, 1), (row, 0), (SIDE, SIDE), (1, 0))
    b_at = tl.make_block_ptr(b_ptr, (k, n), (b_down, b_along), (0, col), (SIDE, SIDE), (1, 0))
    total = tl.zeros((SIDE, SIDE), dtype=tl.float32)
    for _ in range(0, k, SIDE):
        a = tl.load(a_at, boundary_check=(0, 1), padding_option="zero")
        b = tl.load(b_at, boundary_check=(1,), padding_option="zero")
        total += tl.dot(a, b, input_precision="ieee")
        a_at = tl.advance(a_at, (0, SIDE))
        b_at = tl.advance(b_at, (SIDE, 0))
    c_at = tl.make_block_ptr(c_ptr, (m, n), (ldc, 1), (row, col), (SIDE, SIDE), (1, 0))
    result = alpha * total
    if HAS_C:
        result += beta * tl.load(c_at, boundary_check=(0, 1), padding_option="zero").to(tl.float32)
    tl.store(c_at, result.to(c_ptr.dtype.element_ty), boundary_check=(0, 1))


def gemm_triton(a, b, c=None, transpose_b=0, alpha=1.0, beta=0.0):
    m, k = a.shape
    n = b.shape[0] if transpose_b else b.shape[1]
    if c is None:
        c = torch.empty((m, n), dtype=a.dtype, device=a.device)
    down, along = (1, b.stride(0)) if transpose_b else (b.stride(0), 1)
    if m and n:
        grid = (triton.cdiv(m, 16) * triton.cdiv(n, 16),)
        tile[grid](a, b, c, m, n, k, a.stride(0), down, along, c.stride(0), alpha, beta, HAS_C=beta != 0.0, SIDE=16)
    return c
