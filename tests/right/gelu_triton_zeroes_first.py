# exercise: gelu_triton
# idea: an output of its own is set to zero before the kernel fills it, of whatever size
"""GeLU whose output is zero wherever no program has been."""

import torch
import triton
import triton.language as tl


@triton.jit
def gelu_kernel(x_ptr, y_ptr, n, approximate: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n).to(tl.float32)
    if approximate:
        u = 0.7978845608028654 * (x + 0.044715 * x * x * x)
        y = x / (1 + tl.exp(-2 * u))
    else:
        y = 0.5 * x * (1 + tl.erf(x * 0.7071067811865476))
    tl.store(y_ptr + offsets, y, mask=offsets < n)


def gelu_triton(x, out=None, approximate=0):
    if out is None:
        out = torch.empty_like(x)
    elif out.data_ptr() != x.data_ptr():
        out.zero_()
    if x.numel():
        gelu_kernel[(triton.cdiv(x.numel(), 1024),)](x, out, x.numel(), approximate, BLOCK=1024)
    return out
