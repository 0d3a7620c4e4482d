# exercise: softmax_mul_triton
# unusual: exponentials in scratch with the maximum so far, put right by a second walk
import torch
import triton
import triton.language as tl


@triton.jit
def online(x, w, scratch, tops, y, cols, xs, ws, ys, tiles, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, BLOCK)
    top = float("-inf")
    total = 0.0
    for t in range(tiles):
        at = t * BLOCK + c
        there = at < cols
        v = tl.load(x + row * xs + at, mask=there, other=float("-inf")).to(tl.float32)
        now = tl.maximum(top, tl.max(v, 0))
        base = tl.where(now == float("-inf"), 0.0, now)
        e = tl.exp(v - base)
        total = total * tl.exp(top - base) + tl.sum(e, 0)
        top = now
        tl.store(scratch + row * cols + at, e, mask=there)
        tl.store(tops + row * tiles + t, base)
    tl.debug_barrier()
    for t in range(tiles):
        at = t * BLOCK + c
        there = at < cols
        e = tl.load(scratch + row * cols + at, mask=there, other=0.0)
        u = tl.load(w + row * ws + at, mask=there, other=0.0).to(tl.float32)
        right = tl.exp(tl.load(tops + row * tiles + t) - top)
        tl.store(y + row * ys + at, (e * right / total * u).to(y.dtype.element_ty), mask=there)


def softmax_mul_triton(x, w, out=None):
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device) if out is None else out
    rows, cols = x.shape
    if rows * cols == 0:
        return out
    block = min(4096, triton.next_power_of_2(cols))
    tiles = triton.cdiv(cols, block)
    scratch = torch.empty((rows, cols), dtype=torch.float32, device=x.device)
    tops = torch.empty((rows, tiles), dtype=torch.float32, device=x.device)
    online[(rows,)](x, w, scratch, tops, out, cols, x.stride(0), w.stride(0), out.stride(0), tiles, BLOCK=block)
    return out
