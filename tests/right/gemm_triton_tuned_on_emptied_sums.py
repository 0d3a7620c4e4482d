# exercise: gemm_triton
# unusual: parts of k are added to scratch memory by atomics, which reset_to_zero empties before each timing
import torch
import triton
import triton.language as tl


@triton.autotune(
    [triton.Config({"SIDE": 16}, num_warps=w) for w in (2, 4)], key=["m", "n", "k"], reset_to_zero=["sums_ptr"]
)
@triton.jit
def parts(a_ptr, b_ptr, sums_ptr, m, n, k, lda, b_down, b_along, PARTS: tl.constexpr, SIDE: tl.constexpr):
    across = tl.cdiv(n, SIDE)
    rows = (tl.program_id(0) // across).to(tl.int64) * SIDE + tl.arange(0, SIDE)
    cols = (tl.program_id(0) % across).to(tl.int64) * SIDE + tl.arange(0, SIDE)
    steps = tl.arange(0, SIDE)
    total = tl.zeros((SIDE, SIDE), dtype=tl.float32)
    for start in range(tl.program_id(1) * SIDE, k, PARTS * SIDE):
        p = (start + steps).to(tl.int64)
        a = tl.load(a_ptr + rows[:, None] * lda + p[None, :], mask=(rows[:, None] < m) & (p[None, :] < k), other=0.0)
        in_b = (p[:, None] < k) & (cols[None, :] < n)
        b = tl.load(b_ptr + p[:, None] * b_down + cols[None, :] * b_along, mask=in_b, other=0.0)
        total += tl.dot(a, b, input_precision="ieee")
    inside = (rows[:, None] < m) & (cols[None, :] < n)
    tl.atomic_add(sums_ptr + rows[:, None] * n + cols[None, :], total, mask=inside)


@triton.jit
def ended(sums_ptr, c_ptr, n, ldc, alpha, beta, HAS_C: tl.constexpr, BLOCK: tl.constexpr):
    across = tl.cdiv(n, BLOCK)
    row = (tl.program_id(0) // across).to(tl.int64)
    cols = (tl.program_id(0) % across).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    result = alpha * tl.load(sums_ptr + row * n + cols, mask=cols < n, other=0.0)
    out = c_ptr + row * ldc + cols
    if HAS_C:
        result += beta * tl.load(out, mask=cols < n, other=0.0).to(tl.float32)
    tl.store(out, result.to(c_ptr.dtype.element_ty), mask=cols < n)


def gemm_triton(a, b, c=None, transpose_b=0, alpha=1.0, beta=0.0):
    m, k = a.shape
    n = b.shape[0] if transpose_b else b.shape[1]
    if c is None:
        c = torch.empty((m, n), dtype=a.dtype, device=a.device)
    down, along = (1, b.stride(0)) if transpose_b else (b.stride(0), 1)
    if m and n:
        sums = torch.zeros((m, n), dtype=torch.float32, device=a.device)
        parts[(triton.cdiv(m, 16) * triton.cdiv(n, 16), 2)](a, b, sums, m, n, k, a.stride(0), down, along, PARTS=2)
        ended[(m * triton.cdiv(n, 128),)](sums, c, n, c.stride(0), alpha, beta, HAS_C=beta != 0.0, BLOCK=128)
    return c
