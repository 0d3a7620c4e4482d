# exercise: gemm_triton
# bug: the autotuner times a kernel that adds to C, and restores A, which it does not write
# group: scalars
# caught: autotune-runs
import torch
import triton
import triton.language as tl


@triton.autotune(
    [triton.Config({"SIDE": 16}, num_warps=w) for w in (2, 4)], key=["m", "n", "k"], restore_value=["a_ptr"]
)
@triton.jit
def tile(a_ptr, b_ptr, c_ptr, m, n, k, lda, b_down, b_along, ldc, alpha, beta, HAS_C: tl.constexpr, SIDE: tl.constexpr):
    rows = tl.program_id(0).to(tl.int64) * SIDE + tl.arange(0, SIDE)
    cols = tl.program_id(1).to(tl.int64) * SIDE + tl.arange(0, SIDE)
    steps = tl.arange(0, SIDE)
    total = tl.zeros((SIDE, SIDE), dtype=tl.float32)
    for start in range(0, k, SIDE):
        p = (start + steps).to(tl.int64)
        a = tl.load(a_ptr + rows[:, None] * lda + p[None, :], mask=(rows[:, None] < m) & (p[None, :] < k), other=0.0)
        in_b = (p[:, None] < k) & (cols[None, :] < n)
        b = tl.load(b_ptr + p[:, None] * b_down + cols[None, :] * b_along, mask=in_b, other=0.0)
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
        grid = (triton.cdiv(m, 16), triton.cdiv(n, 16))
        lda, ldc = a.stride(0), c.stride(0)
        tile[grid](a, b, c, m, n, k, lda, down, along, ldc, alpha, beta, HAS_C=beta != 0.0)
    return c
