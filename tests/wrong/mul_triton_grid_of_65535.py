# exercise: softmax_mul_triton
# bug: at most 65,535 programs, one row each, and no loop
# group: large
# caught: covers-too-little, leaves-out

import torch
import triton
import triton.language as tl


@triton.jit
def fused(x_ptr, w_ptr, y_ptr, cols, x_stride, w_stride, y_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    inside = at < cols
    x = tl.load(x_ptr + row * x_stride + at, mask=inside, other=-float("inf")).to(tl.float32)
    w = tl.load(w_ptr + row * w_stride + at, mask=inside, other=0.0).to(tl.float32)
    e = tl.exp(x - tl.max(x, axis=0))
    y = e / tl.sum(e, axis=0) * w
    tl.store(y_ptr + row * y_stride + at, y.to(y_ptr.dtype.element_ty), mask=inside)


def softmax_mul_triton(x, w, out=None):
    if out is None:
        out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    rows, cols = x.shape
    if x.numel():
        fused[(min(rows, 65535),)](
            x, w, out, cols, x.stride(0), w.stride(0), out.stride(0), BLOCK=triton.next_power_of_2(cols), num_warps=4
        )
    return out
