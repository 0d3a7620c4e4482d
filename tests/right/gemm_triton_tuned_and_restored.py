# exercise: gemm_triton
# unusual: autotuned on its own C, which restore_value puts back after each timing

import triton
import triton.language as tl


@triton.autotune(
    [triton.Config({"SIDE": 32}, num_warps=w) for w in (2, 4)], key=["m", "n", "k"], restore_value=["c_ptr"]
)
@triton.jit
def tile(a_ptr, b_ptr, c_ptr, m, n, k, lda, down, aside, ldc, alpha, beta, SIDE: tl.constexpr):
    wide = tl.cdiv(n, SIDE)
    pid = tl.program_id(0)
    rows = (pid // wide).to(tl.int64) * SIDE + tl.arange(0, SIDE)
    cols = (pid % wide).to(tl.int64) * SIDE + tl.arange(0, SIDE)
    total = tl.zeros((SIDE, SIDE), tl.float32)
    for start in range(0, k, SIDE):
        p = (start + tl.arange(0, SIDE)).to(tl.int64)
        a = tl.load(a_ptr + rows[:, None] * lda + p[None, :], (rows[:, None] < m) & (p[None, :] < k), 0.0)
        b = tl.load(b_ptr + p[:, None] * down + cols[None, :] * aside, (p[:, None] < k) & (cols[None, :] < n), 0.0)
        total = tl.dot(a, b, total, input_precision="ieee")
    out = c_ptr + rows[:, None] * ldc + cols[None, :]
    inside = (rows[:, None] < m) & (cols[None, :] < n)
    total *= alpha
    if beta != 0:
        total += beta * tl.load(out, inside, 0.0).to(tl.float32)
    tl.store(out, total.to(c_ptr.dtype.element_ty), inside)


def gemm_triton(a, b, c=None, transpose_b=0, alpha=1.0, beta=0.0):
    m, k = a.shape
    n = b.shape[0] if transpose_b else b.shape[1]
    if c is None:
        c = a.new_empty((m, n))
    down, aside = (1, b.stride(0)) if transpose_b else (b.stride(0), 1)
    if m and n:

        def grid(meta):
            return (triton.cdiv(m, meta["SIDE"]) * triton.cdiv(n, meta["SIDE"]),)

        tile[grid](a, b, c, m, n, k, a.stride(0), down, aside, c.stride(0), alpha, beta)
    return c
