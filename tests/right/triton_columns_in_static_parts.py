# exercise: softmax_triton
# unusual: tl.static_range over parts, a maximum that propagates NaN, tl.exp2, a table of launches
import torch
import triton
import triton.language as tl

LOG2E = tl.constexpr(1.4426950408889634)
PARTS = 4


@triton.jit
def kernel(x, y, cols, xs, ys, BLOCK: tl.constexpr, PARTS: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x += row * xs
    y += row * ys
    step = PARTS * BLOCK
    at = tl.arange(0, BLOCK)
    top = tl.full((BLOCK,), float("-inf"), tl.float32)
    for first in range(0, cols, step):
        for part in tl.static_range(0, PARTS):
            c = first + part * BLOCK + at
            v = tl.load(x + c, mask=c < cols, other=float("-inf")).to(tl.float32)
            top = tl.maximum(top, v, propagate_nan=tl.PropagateNan.ALL)
    m = tl.max(top, 0)
    m = tl.where(tl.sum((top != top).to(tl.int32), 0) > 0, float("nan"), m)
    total = tl.zeros((BLOCK,), tl.float32)
    for first in range(0, cols, step):
        for part in tl.static_range(PARTS):
            c = first + part * BLOCK + at
            v = tl.load(x + c, mask=c < cols, other=float("-inf")).to(tl.float32)
            total += tl.where(c < cols, tl.exp2((v - m) * LOG2E), 0.0)
    s = tl.sum(total, 0)
    for first in range(0, cols, step):
        for part in tl.static_range(PARTS):
            c = first + part * BLOCK + at
            v = tl.load(x + c, mask=c < cols, other=float("-inf")).to(tl.float32)
            tl.store(y + c, (tl.exp2((v - m) * LOG2E) / s).to(y.dtype.element_ty), mask=c < cols)


SIZES = {0: 32, 1: 128, 2: 512, 3: 1024}


def softmax_triton(x, out=None):
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device) if out is None else out
    if x.numel() == 0:
        return out
    choice = sum(x.shape[1] > limit for limit in (128, 1024, 8192))
    strides = x.stride(0), out.stride(0)
    kernel[x.shape[0],](x, out, x.shape[1], *strides, SIZES[choice], PARTS, num_warps=1 << min(choice, 2))
    return out
