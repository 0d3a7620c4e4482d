# exercise: softmax_triton
# bug: columns beyond the row are 0 in the maximum, and left out only after the exponential
# group: range
# caught: nan, values
# cause: softmax-max-padded-zero
import torch
import triton
import triton.language as tl


@triton.jit
def softmax(x_ptr, y_ptr, cols, xs, ys, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    mask = at < cols
    x = tl.load(x_ptr + row * xs + at, mask=mask, other=0.0).to(tl.float32)
    e = tl.exp(x - tl.max(x, axis=0))
    e = tl.where(mask, e, 0.0)
    tl.store(y_ptr + row * ys + at, (e / tl.sum(e, axis=0)).to(y_ptr.dtype.element_ty), mask=mask)


def softmax_triton(x, out=None):
    if out is None:
        out = torch.empty_like(x)
    rows, cols = x.shape
    if x.numel():
        softmax[(rows,)](x, out, cols, x.stride(0), out.stride(0), BLOCK=triton.next_power_of_2(cols))
    return out
