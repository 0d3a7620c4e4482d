# exercise: softmax_mul_triton
# bug: the row is divided by the sum of e * w
# group: shapes
# caught: values, nan
# cause: mul-before-sum

import torch
import triton
import triton.language as tl


@triton.jit
def tile(x_ptr, w_ptr, y_ptr, cols, x_stride, w_stride, y_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + at, mask=at < cols, other=-float("inf")).to(tl.float32)
    w = tl.load(w_ptr + row * w_stride + at, mask=at < cols, other=0.0).to(tl.float32)
    e = tl.exp(x - tl.max(x))
    tl.store(y_ptr + row * y_stride + at, (e * w / tl.sum(e * w)).to(y_ptr.dtype.element_ty), mask=at < cols)


def softmax_mul_triton(x, w, out=None):
    out = torch.empty_like(x) if out is None else out
    if x.numel() == 0:
        return out
    rows, cols = x.shape
    tile[(rows,)](x, w, out, cols, x.stride(0), w.stride(0), out.stride(0), BLOCK=triton.next_power_of_2(cols))
    return out
