# exercise: gelu_triton
# unusual: tanh and erf of NVIDIA's libdevice, chosen by a function that the launch is given

import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def by_tanh(x):
    return 0.5 * x * (1.0 + libdevice.tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))


@triton.jit
def by_erf(x):
    return x * libdevice.normcdf(x)


@triton.jit
def each(x_ptr, y_ptr, n, F: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n).to(tl.float32)
    tl.store(y_ptr + at, F(x).to(y_ptr.dtype.element_ty), mask=at < n)


def gelu_triton(x, out=None, approximate=False):
    out = torch.empty_like(x) if out is None else out
    n = x.numel()
    if n:
        each[(triton.cdiv(n, 1024),)](x, out, n, F=by_tanh if approximate else by_erf, BLOCK=1024)
    return out
