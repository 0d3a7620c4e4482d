# exercise: softmax_triton
# bug: a launch is remembered with its constants, under a key that has the tile and not the length
# group: lengths
# caught: values, unwritten, row-sum, out-of-bounds-read, out-of-bounds-write
# shows: by two lengths that share a tile, one after the other

import torch
import triton
import triton.language as tl

LAUNCHES = {}


@triton.jit
def tile(x_ptr, y_ptr, x_stride, y_stride, COLS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + at, mask=at < COLS, other=-float("inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x))
    tl.store(y_ptr + row * y_stride + at, (e / tl.sum(e)).to(y_ptr.dtype.element_ty), mask=at < COLS)


def softmax_triton(x, out=None):
    out = torch.empty_like(x) if out is None else out
    if x.numel() == 0:
        return out
    rows, cols = x.shape
    block = triton.next_power_of_2(cols)
    constants = LAUNCHES.setdefault((block, x.dtype), {"COLS": cols, "BLOCK": block})
    tile[(rows,)](x, out, x.stride(0), out.stride(0), **constants)
    return out
