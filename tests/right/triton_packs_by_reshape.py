# exercise: softmax_triton
# unusual: rows that lie apart are packed by reshape, which copies them; the result is copied back

import torch
import triton
import triton.language as tl


@triton.jit
def tile(x_ptr, y_ptr, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * cols + at, mask=at < cols, other=-float("inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x))
    tl.store(y_ptr + row * cols + at, (e / tl.sum(e)).to(y_ptr.dtype.element_ty), mask=at < cols)


def softmax_triton(x, out=None):
    out = torch.empty_like(x) if out is None else out
    rows, cols = x.shape
    if rows == 0 or cols == 0:
        return out
    packed = x.reshape(-1)
    results = torch.empty_like(packed)
    tile[(rows,)](packed, results, cols, BLOCK=triton.next_power_of_2(cols))
    out.copy_(results.view(rows, cols))
    return out
