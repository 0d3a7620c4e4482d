# exercise: softmax_triton
# bug: a performance model chooses the shortest tile that holds the row, and the key does not hold the length
# group: lengths
# caught: values, unwritten
# shows: by a row that is longer than the one before, under the same key

import torch
import triton
import triton.language as tl


def waste(cols, BLOCK, **meta):
    return BLOCK if cols <= BLOCK else float("inf")


@triton.autotune(
    configs=[triton.Config({"BLOCK": block}) for block in (512, 4096, 16384, 131072)],
    key=["rows"],
    prune_configs_by={"perf_model": waste, "top_k": 1},
)
@triton.jit
def tile(x_ptr, y_ptr, rows, cols, x_stride, y_stride, BLOCK: tl.constexpr):
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
    tile[(rows,)](x, out, rows, cols, x.stride(0), out.stride(0))
    return out
