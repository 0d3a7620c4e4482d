# exercise: softmax_triton
# bug: at most 65,535 programs, one row each, and no loop
# group: large
# caught: covers-too-little, leaves-out

import torch
import triton
import triton.language as tl


@triton.jit
def tile(x_ptr, y_ptr, cols, x_stride, y_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + at, mask=at < cols, other=-float("inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x))
    y = e / tl.sum(e)
    tl.store(y_ptr + row * y_stride + at, y.to(y_ptr.dtype.element_ty), mask=at < cols)


def softmax_triton(x, out=None):
    if out is None:
        out = torch.empty_like(x)
    rows, cols = x.shape
    if x.numel():
        tile[(min(rows, 65535),)](x, out, cols, x.stride(0), out.stride(0), BLOCK=triton.next_power_of_2(cols))
    return out
