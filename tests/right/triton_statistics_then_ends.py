# exercise: softmax_triton
# unusual: two kernels: the first leaves each row's maximum and sum in a tensor, the second divides, many programs a row

import torch
import triton
import triton.language as tl


@triton.jit
def statistics(x_ptr, s_ptr, cols, x_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    top = tl.full((BLOCK,), -float("inf"), tl.float32)
    for start in tl.range(0, cols, BLOCK, num_stages=2):
        v = tl.load(x_ptr + row * x_stride + start + at, mask=start + at < cols, other=-float("inf")).to(tl.float32)
        top = tl.maximum(top, v)
    top = tl.max(top)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in tl.range(0, cols, BLOCK, num_stages=2):
        v = tl.load(x_ptr + row * x_stride + start + at, mask=start + at < cols, other=-float("inf")).to(tl.float32)
        total += tl.where(start + at < cols, tl.exp(v - top), 0.0)
    tl.store(s_ptr + 2 * row, top)
    tl.store(s_ptr + 2 * row + 1, tl.sum(total))


@triton.jit
def ends(x_ptr, s_ptr, y_ptr, cols, x_stride, y_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x_ptr + row * x_stride + at, mask=at < cols).to(tl.float32)
    y = tl.exp(v - tl.load(s_ptr + 2 * row)) / tl.load(s_ptr + 2 * row + 1)
    tl.store(y_ptr + row * y_stride + at, y.to(y_ptr.dtype.element_ty), mask=at < cols)


def softmax_triton(x, out=None):
    out = torch.empty_like(x) if out is None else out
    rows, cols = x.shape
    if x.numel():
        found = torch.empty((rows, 2), dtype=torch.float32, device=x.device)
        statistics[(rows,)](x, found, cols, x.stride(0), BLOCK=1024)
        ends[(rows, triton.cdiv(cols, 2048))](x, found, out, cols, x.stride(0), out.stride(0), BLOCK=2048)
    return out
