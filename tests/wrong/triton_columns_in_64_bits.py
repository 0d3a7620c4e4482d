# exercise: softmax_triton
# bug: the column's offset is widened, the row's is not
# group: strides
# caught: offset-wraps

import torch
import triton
import triton.language as tl


@triton.jit
def tile(x_ptr, y_ptr, cols, x_stride, y_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK).to(tl.int64)
    x = tl.load(x_ptr + row * x_stride + at, mask=at < cols, other=-float("inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x))
    tl.store(y_ptr + row * y_stride + at, (e / tl.sum(e)).to(y_ptr.dtype.element_ty), mask=at < cols)


def softmax_triton(x, out=None):
    out = torch.empty_like(x) if out is None else out
    if x.numel() == 0:
        return out
    rows, cols = x.shape
    block = triton.next_power_of_2(cols)
    tile[(rows,)](x, out, cols, x.stride(0), out.stride(0), BLOCK=block)
    return out
