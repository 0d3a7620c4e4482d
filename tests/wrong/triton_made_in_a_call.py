# exercise: softmax_triton
# bug: a kernel that a function makes in each call takes a number of that function which the compiler does not know
# group: shapes
# caught: not-compiled

import torch
import triton
import triton.language as tl


def make(scale):
    @triton.jit
    def tile(x_ptr, y_ptr, cols, x_stride, y_stride, BLOCK: tl.constexpr):
        row = tl.program_id(0).to(tl.int64)
        at = tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * x_stride + at, mask=at < cols, other=-float("inf")).to(tl.float32)
        e = tl.exp2((x - tl.max(x)) * scale)
        tl.store(y_ptr + row * y_stride + at, (e / tl.sum(e)).to(y_ptr.dtype.element_ty), mask=at < cols)

    return tile


def softmax_triton(x, out=None):
    out = torch.empty_like(x) if out is None else out
    if x.numel() == 0:
        return out
    rows, cols = x.shape
    make(1.4426950408889634)[(rows,)](x, out, cols, x.stride(0), out.stride(0), BLOCK=triton.next_power_of_2(cols))
    return out
