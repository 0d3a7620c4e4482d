# exercise: gemm_triton
# unusual: descriptors made in the kernel where addresses allow them, tl.swizzle2d, k in parts of tl.static_range

import torch
import triton
import triton.language as tl


@triton.jit
def tiled(A, B, C, M, N, K, lda, ldb, ldc, alpha, beta,
          TURNED: tl.constexpr, DESCRIBED: tl.constexpr, KEEP: tl.constexpr,
          BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, INNER: tl.constexpr):
    pid = tl.program_id(0)
    high, wide = tl.cdiv(M, BM), tl.cdiv(N, BN)
    i, j = tl.swizzle2d(pid // wide, pid % wide, high, wide, 4)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    rm = i * BM + tl.arange(0, BM)
    rn = j * BN + tl.arange(0, BN)
    if DESCRIBED:
        a_desc = tl.make_tensor_descriptor(A, shape=[M, K], strides=[lda, 1], block_shape=[BM, BK])
        if TURNED:
            b_desc = tl.make_tensor_descriptor(B, shape=[N, K], strides=[ldb, 1], block_shape=[BN, BK])
        else:
            b_desc = tl.make_tensor_descriptor(B, shape=[K, N], strides=[ldb, 1], block_shape=[BK, BN])
        for k in range(0, K, BK):
            a = a_desc.load([i * BM, k])
            b = b_desc.load([j * BN, k]).T if TURNED else b_desc.load([k, j * BN])
            acc = tl.dot(a, b, acc, input_precision="ieee")
    else:
        for k0 in range(0, K, BK * INNER):
            for part in tl.static_range(INNER):
                rk = k0 + part * BK + tl.arange(0, BK)
                a_at = A + rm.to(tl.int64)[:, None] * lda + rk[None, :]
                a = tl.load(a_at, mask=(rm < M)[:, None] & (rk < K)[None, :], other=0.0)
                if TURNED:
                    b_at = B + rn.to(tl.int64)[None, :] * ldb + rk[:, None]
                else:
                    b_at = B + rk.to(tl.int64)[:, None] * ldb + rn[None, :]
                b = tl.load(b_at, mask=(rk < K)[:, None] & (rn < N)[None, :], other=0.0)
                acc += tl.dot(a, b, input_precision="ieee")
    acc *= alpha
    at = C + rm.to(tl.int64)[:, None] * ldc + rn[None, :]
    inside = (rm < M)[:, None] & (rn < N)[None, :]
    if KEEP:
        acc += beta * tl.load(at, mask=inside, other=0.0).to(tl.float32)
    tl.store(at, acc.to(C.dtype.element_ty), mask=inside)


def _describable(t):
    size = t.element_size()
    return t.data_ptr() % 16 == 0 and t.stride(0) * size % 16 == 0 and t.shape[0] > 0 and t.shape[1] > 0


def gemm_triton(a, b, c=None, transpose_b=0, alpha=1.0, beta=0.0):
    (m, k), n = a.shape, b.shape[0] if transpose_b else b.shape[1]
    if c is None:
        c = torch.empty((m, n), dtype=a.dtype, device=a.device)
    if m == 0 or n == 0:
        return c
    bm, bn, bk = 32, 32, 32
    described = k > 0 and _describable(a) and _describable(b)
    if described and a.is_cuda:
        triton.set_allocator(lambda size, alignment, stream: torch.empty(size, dtype=torch.int8, device=a.device))
    grid = (triton.cdiv(m, bm) * triton.cdiv(n, bn),)
    tiled[grid](a, b, c, m, n, k, a.stride(0), b.stride(0), c.stride(0), alpha, beta,
                TURNED=bool(transpose_b), DESCRIBED=described, KEEP=beta != 0.0, BM=bm, BN=bn, BK=bk, INNER=2)
    return c
