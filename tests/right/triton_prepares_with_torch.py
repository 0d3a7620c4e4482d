# exercise: softmax_triton
# unusual: torch allocates, fills, copies, views and converts between launches, and prints: none of it computes

import torch
import triton
import triton.language as tl


@triton.jit
def rows_of(x_ptr, y_ptr, seen_ptr, cols, x_stride, y_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + at, mask=at < cols, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * y_stride + at, e / tl.sum(e, axis=0), mask=at < cols)
    tl.store(seen_ptr + row, 1)


def softmax_triton(x, out=None):
    out = torch.empty_like(x) if out is None else out
    if x.numel() == 0:
        return out
    wide = x.contiguous().to(torch.float32).view(x.shape).clone()
    result = torch.full_like(wide, 0.0)
    result.zero_()
    seen = torch.zeros(x.shape[0], dtype=torch.int32, device=x.device)
    if x.numel() < 20:
        str(x)
    rows_of[(x.shape[0],)](
        wide, result, seen, x.shape[1], wide.stride(0), result.stride(0), BLOCK=triton.next_power_of_2(x.shape[1])
    )
    assert int(seen.sum()) == x.shape[0]
    out.copy_(result)
    return out
