# exercise: softmax_triton
# bug: one of the configurations is too short for long rows, and nothing removes it
# group: lengths
# caught: values, unwritten
# shows: by its turn: each new key takes the next configuration

import torch
import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"BLOCK": block}) for block in (131072, 1024)], key=["cols"])
@triton.jit
def tile(x_ptr, y_ptr, cols, x_stride, y_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + at, mask=at < cols, other=-float("inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x))
    tl.store(y_ptr + row * y_stride + at, (e / tl.sum(e)).to(y_ptr.dtype.element_ty), mask=at < cols)


def softmax_triton(x, out=None):
    out = torch.empty_like(x) if out is None else out
    if x.numel() == 0:
        return out
    rows, cols = x.shape
    tile[(rows,)](x, out, cols, x.stride(0), out.stride(0))
    return out
