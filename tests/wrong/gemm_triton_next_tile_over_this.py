# exercise: gemm_triton
# bug: the next tile is loaded over this one before it is multiplied
# group: shapes
# caught: values
# cause: gemm-tile-after
import torch
import triton
import triton.language as tl


@triton.jit
def tile(a_ptr, b_ptr, c_ptr, m, n, k, lda, b_down, b_along, ldc, alpha, beta, HAS_C: tl.constexpr, SIDE: tl.constexpr):
    pid = tl.program_id(0)
    across = tl.cdiv(n, SIDE)
    rows = (pid // across).to(tl.int64) * SIDE + tl.arange(0, SIDE)
    cols = (pid % across).to(tl.int64) * SIDE + tl.arange(0, SIDE)
    p = tl.arange(0, SIDE).to(tl.int64)
    a_at = a_ptr + rows[:, None] * lda + p[None, :]
    b_at = b_ptr + p[:, None] * b_down + cols[None, :] * b_along
    total = tl.zeros((SIDE, SIDE), dtype=tl.float32)
    # the next tiles are loaded before these are multiplied
    a = tl.load(a_at, mask=(rows[:, None] < m) & (p[None, :] < k), other=0.0)
    b = tl.load(b_at, mask=(p[:, None] < k) & (cols[None, :] < n), other=0.0)
    for start in range(SIDE, k, SIDE):
        a_at += SIDE
        b_at += SIDE * b_down
        left = k - start
        a = tl.load(a_at, mask=(rows[:, None] < m) & (p[None, :] < left), other=0.0)
        b = tl.load(b_at, mask=(p[:, None] < left) & (cols[None, :] < n), other=0.0)
        total += tl.dot(a, b, input_precision="ieee")
    total += tl.dot(a, b, input_precision="ieee")
    out = c_ptr + rows[:, None] * ldc + cols[None, :]
    inside = (rows[:, None] < m) & (cols[None, :] < n)
    result = alpha * total
    if HAS_C:
        result += beta * tl.load(out, mask=inside, other=0.0).to(tl.float32)
    tl.store(out, result.to(c_ptr.dtype.element_ty), mask=inside)


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
