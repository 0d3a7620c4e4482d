# exercise: softmax_triton
# bug: break, which the language of kernels lacks
# group: shapes
# caught: not-compiled

import torch
import triton
import triton.language as tl


@triton.jit
def tile(x_ptr, y_ptr, cols, x_stride, y_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x_row, y_row = x_ptr + row * x_stride, y_ptr + row * y_stride
    top = -float("inf")
    total = 0.0
    for begin in range(0, cols, BLOCK):
        at = begin + tl.arange(0, BLOCK)
        x = tl.load(x_row + at, mask=at < cols, other=-float("inf")).to(tl.float32)
        new = tl.maximum(top, tl.max(x))
        base = tl.where(new == -float("inf"), 0.0, new)
        total = total * tl.exp(top - base) + tl.sum(tl.exp(x - base))
        top = new
    for begin in range(0, cols, BLOCK):
        at = begin + tl.arange(0, BLOCK)
        if begin >= cols:
            break
        x = tl.load(x_row + at, mask=at < cols, other=-float("inf")).to(tl.float32)
        tl.store(y_row + at, (tl.exp(x - top) / total).to(y_ptr.dtype.element_ty), mask=at < cols)


def softmax_triton(x, out=None):
    out = torch.empty_like(x) if out is None else out
    if x.numel() == 0:
        return out
    rows, cols = x.shape
    tile[(rows,)](x, out, cols, x.stride(0), out.stride(0), BLOCK=1024)
    return out
