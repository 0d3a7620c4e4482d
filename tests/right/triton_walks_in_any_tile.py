# exercise: softmax_triton
# unusual: one key for all lengths, and no pruning: every configuration is right for every row

import torch
import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"BLOCK": block}) for block in (8192, 4096, 16384)], key=[])
@triton.jit
def online(x_ptr, y_ptr, cols, x_stride, y_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    top = tl.full((), -float("inf"), tl.float32)
    total = tl.full((), 0.0, tl.float32)
    for start in range(0, cols, BLOCK):
        x = tl.load(x_ptr + row * x_stride + start + at, mask=start + at < cols, other=-float("inf")).to(tl.float32)
        new = tl.maximum(top, tl.max(x))
        base = tl.where(new == -float("inf"), 0.0, new)
        total = total * tl.exp(top - base) + tl.sum(tl.exp(x - base))
        top = new
    for start in range(0, cols, BLOCK):
        x = tl.load(x_ptr + row * x_stride + start + at, mask=start + at < cols, other=-float("inf")).to(tl.float32)
        y = (tl.exp(x - top) / total).to(y_ptr.dtype.element_ty)
        tl.store(y_ptr + row * y_stride + start + at, y, mask=start + at < cols)


def softmax_triton(x, out=None):
    out = torch.empty_like(x) if out is None else out
    if x.numel() == 0:
        return out
    rows, cols = x.shape
    online[(rows,)](x, out, cols, x.stride(0), out.stride(0))
    return out
