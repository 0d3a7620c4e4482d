# exercise: softmax_triton
# bug: keeps the answer of a tensor that it has seen, by its address and shape; other values lie there the next time
# caught: values
# group: shapes, values, lengths

import torch
import triton
import triton.language as tl

SEEN = {}


@triton.jit
def tile(x_ptr, y_ptr, cols, x_stride, y_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + at, mask=at < cols, other=-float("inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x))
    tl.store(y_ptr + row * y_stride + at, (e / tl.sum(e)).to(y_ptr.dtype.element_ty), mask=at < cols)


@triton.jit
def copy(x_ptr, y_ptr, cols, x_stride, y_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + at, mask=at < cols)
    tl.store(y_ptr + row * y_stride + at, x, mask=at < cols)


def softmax_triton(x, out=None):
    out = torch.empty_like(x) if out is None else out
    if x.numel() == 0:
        return out
    rows, cols = x.shape
    key = (x.data_ptr(), rows, cols, x.stride(0))
    if key not in SEEN:
        tile[(rows,)](x, out, cols, x.stride(0), out.stride(0), BLOCK=triton.next_power_of_2(cols))
        SEEN[key] = out.clone()
    else:
        copy[(rows,)](SEEN[key], out, cols, SEEN[key].stride(0), out.stride(0), BLOCK=triton.next_power_of_2(cols))
    return out
