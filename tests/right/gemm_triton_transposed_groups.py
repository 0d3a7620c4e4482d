# exercise: gemm_triton
# unusual: programs in groups of rows for the cache, sums through tl.trans, closures for the launch
import torch
import triton
import triton.language as tl


@triton.jit
def product(a_ptr, b_ptr, c_ptr, m, n, k, am, bk, bn, cm, alpha, beta, GROUP: tl.constexpr, S: tl.constexpr):
    pid = tl.program_id(0)
    down, across = tl.cdiv(m, S), tl.cdiv(n, S)
    of_group = GROUP * across
    first = pid // of_group * GROUP
    height = min(down - first, GROUP)
    r = ((first + pid % of_group % height) * S + tl.arange(0, S)).to(tl.int64)
    c = ((pid % of_group) // height * S + tl.arange(0, S)).to(tl.int64)
    p = tl.arange(0, S)
    turned = tl.zeros((S, S), tl.float32)
    for start in range(0, k, S):
        rest = k - start
        in_a, in_b = (r[:, None] < m) & (p[None, :] < rest), (p[:, None] < rest) & (c[None, :] < n)
        a = tl.load(a_ptr + r[:, None] * am + (start + p)[None, :], mask=in_a, other=0.0)
        b = tl.load(b_ptr + (start + p).to(tl.int64)[:, None] * bk + c[None, :] * bn, mask=in_b, other=0.0)
        turned = tl.dot(tl.trans(b.to(tl.float32)), tl.trans(a.to(tl.float32)), turned, input_precision="ieee")
    out = alpha * tl.trans(turned)
    at = c_ptr + r[:, None] * cm + c[None, :]
    inside = (r[:, None] < m) & (c[None, :] < n)
    if beta != 0.0:
        out += beta * tl.load(at, mask=inside, other=0.0).to(tl.float32)
    tl.store(at, out.to(c_ptr.dtype.element_ty), mask=inside)


def gemm_triton(a, b, c=None, transpose_b=0, alpha=1.0, beta=0.0):
    m, k = a.shape
    n = b.shape[0] if transpose_b else b.shape[1]
    if c is None:
        if beta:
            raise ValueError("beta wants a c")
        c = torch.empty((m, n), dtype=a.dtype, device=a.device)
    if b.shape != ((n, k) if transpose_b else (k, n)) or c.shape != (m, n):
        raise ValueError("shapes")
    for t in (a, b, c):
        if t.dtype not in (torch.float32, torch.float16, torch.bfloat16) or t.dtype != a.dtype:
            raise ValueError("dtype")
        if t.stride(1) != 1 and t.shape[1] > 1:
            raise ValueError("inner stride")
    if m == 0 or n == 0:
        return c
    bk, bn = (1, b.stride(0)) if transpose_b else (b.stride(0), 1)

    def launch(side, group):
        grid = (triton.cdiv(m, side) * triton.cdiv(n, side),)
        product[grid](a, b, c, m, n, k, a.stride(0), bk, bn, c.stride(0), alpha, beta, GROUP=group, S=side)

    launch(32, 4)
    return c
