# exercise: softmax_triton
# unusual: an online pair joined by tl.reduce with a combine function of its own, exp2 throughout
import torch
import triton
import triton.language as tl

# Work: row per program
# Ledger: reads 2, writes 1


@triton.jit
def join(m1, s1, m2, s2):
    m = tl.maximum(m1, m2)
    base = tl.where(m == -float("inf"), 0.0, m)
    return m, s1 * tl.exp2((m1 - base) * 1.4426950408889634) + s2 * tl.exp2((m2 - base) * 1.4426950408889634)


@triton.jit
def online(x_ptr, y_ptr, cols, xs, ys, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, BLOCK)
    m = tl.full((BLOCK,), -float("inf"), tl.float32)
    s = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, cols, BLOCK):
        inside = start + c < cols
        v = tl.load(x_ptr + row * xs + start + c, mask=inside, other=-float("inf")).to(tl.float32)
        one = tl.where(inside, tl.where(v == -float("inf"), 0.0, 1.0), 0.0)
        bad = (v != v) | (v == float("inf"))
        one = tl.where(bad, float("nan"), one)
        m, s = join(m, s, v, one)
    top, total = tl.reduce((m, s), 0, join)
    for start in range(0, cols, BLOCK):
        inside = start + c < cols
        v = tl.load(x_ptr + row * xs + start + c, mask=inside, other=0.0).to(tl.float32)
        y = tl.exp2((v - top) * 1.4426950408889634) / total
        tl.store(y_ptr + row * ys + start + c, y.to(y_ptr.dtype.element_ty), mask=inside)


def softmax_triton(x, out=None):
    if out is None:
        out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    for t in (x, out):
        if t.ndim != 2 or (t.stride(1) != 1 and t.shape[1] > 1):
            raise ValueError("2-D, inner stride 1")
    if x.dtype not in (torch.float32, torch.float16, torch.bfloat16) or (x.dtype, x.shape) != (out.dtype, out.shape):
        raise ValueError("fp32, fp16 or bf16, and out like x")
    if x.numel() == 0:
        return out
    online[(x.shape[0],)](x, out, x.shape[1], x.stride(0), out.stride(0), BLOCK=512)
    return out
