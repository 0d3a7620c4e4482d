# exercise: softmax_mul_triton
# unusual: a 2-D tile for short rows, tl.reduce of pairs for long ones, by a constexpr branch
import torch
import triton
import triton.language as tl


@triton.jit
def join(m1, s1, m2, s2):
    m = tl.maximum(m1, m2)
    b = tl.where(m == float("-inf"), 0.0, m)
    return m, s1 * tl.exp(m1 - b) + s2 * tl.exp(m2 - b)


@triton.jit
def add(a, b):
    return a + b


@triton.jit
def larger(a, b):
    return tl.where(a > b, a, b)


@triton.jit
def fused(x, w, y, rows, cols, xs, ws, ys, SHORT: tl.constexpr, R: tl.constexpr, B: tl.constexpr):
    c = tl.arange(0, B)
    if SHORT:
        r = tl.program_id(0).to(tl.int64) * R + tl.arange(0, R)
        there = (r < rows)[:, None] & (c < cols)[None, :]
        v = tl.load(x + r[:, None] * xs + c[None, :], mask=there, other=float("-inf")).to(tl.float32)
        m = tl.reduce(v, 1, larger)
        e = tl.exp(v - tl.where(r < rows, m, 0.0)[:, None])
        share = e / tl.reduce(tl.where(there, e, 0.0), 1, add)[:, None]
        u = tl.load(w + r[:, None] * ws + c[None, :], mask=there, other=0.0).to(tl.float32)
        tl.store(y + r[:, None] * ys + c[None, :], (share * u).to(y.dtype.element_ty), mask=there)
    else:
        row = tl.program_id(0).to(tl.int64)
        m = tl.full((B,), float("-inf"), tl.float32)
        s = tl.zeros((B,), tl.float32)
        for at in range(0, cols, B):
            v = tl.load(x + row * xs + at + c, mask=at + c < cols, other=float("-inf")).to(tl.float32)
            ones = tl.where(v == float("-inf"), 0.0, v - v + 1.0)
            m, s = join(m, s, v, ones)
        top, total = tl.reduce((m, s), 0, join)
        for at in range(0, cols, B):
            there = at + c < cols
            v = tl.load(x + row * xs + at + c, mask=there, other=0.0).to(tl.float32)
            u = tl.load(w + row * ws + at + c, mask=there, other=0.0).to(tl.float32)
            tl.store(y + row * ys + at + c, (tl.exp(v - top) / total * u).to(y.dtype.element_ty), mask=there)


def softmax_mul_triton(x, w, out=None):
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device) if out is None else out
    rows, cols = x.shape
    if rows and cols:
        block = triton.next_power_of_2(cols)
        short = block <= 1024
        r = 1024 // block if short else 1
        grid = (triton.cdiv(rows, r),)
        fused[grid](x, w, out, rows, cols, x.stride(0), w.stride(0), out.stride(0), short, r, block if short else 2048)
    return out
