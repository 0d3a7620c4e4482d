# exercise: gelu_triton
# bug: approximate is not looked at
# group: exact, tanh
# caught: values
# cause: gelu-always-erf

import torch
import triton
import triton.language as tl


@triton.jit
def tile(x_ptr, y_ptr, n, APPROXIMATE: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n, other=0.0).to(tl.float32)
    by_tanh = x / (1.0 + tl.exp(-1.5957691216 * (x + 0.044715 * x * x * x)))
    y = by_tanh if APPROXIMATE else 0.5 * x * (1.0 + tl.erf(x * 0.7071067812))
    tl.store(y_ptr + at, y.to(y_ptr.dtype.element_ty), mask=at < n)


def gelu_triton(x, out=None, approximate=False):
    out = torch.empty_like(x) if out is None else out
    if x.numel():
        tile[(triton.cdiv(x.numel(), 1024),)](x, out, x.numel(), False, 1024)
    return out
