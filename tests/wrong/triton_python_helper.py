# exercise: softmax_triton
# bug: a helper without @triton.jit
# group: shapes
# caught: not-compiled

import torch
import triton
import triton.language as tl


def exponentials(x):
    return tl.exp(x - tl.max(x))


@triton.jit
def tile(x_ptr, y_ptr, cols, x_stride, y_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x_row, y_row = x_ptr + row * x_stride, y_ptr + row * y_stride
    at = tl.arange(0, BLOCK)
    x = tl.load(x_row + at, mask=at < cols, other=-float("inf")).to(tl.float32)
    e = exponentials(x)
    tl.store(y_row + at, (e / tl.sum(e)).to(y_ptr.dtype.element_ty), mask=at < cols)


def softmax_triton(x, out=None):
    out = torch.empty_like(x) if out is None else out
    if x.numel() == 0:
        return out
    rows, cols = x.shape
    tile[(rows,)](x, out, cols, x.stride(0), out.stride(0), BLOCK=triton.next_power_of_2(cols))
    return out
