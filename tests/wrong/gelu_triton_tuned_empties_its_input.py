# exercise: gelu_triton
# bug: reset_to_zero names an input: the autotuner sets it to 0
# caught: autotune-input
# group: exact

import torch
import triton
import triton.language as tl


@triton.autotune([triton.Config({"BLOCK": 512}), triton.Config({"BLOCK": 1024})], key=["n"], reset_to_zero=["x_ptr"])
@triton.jit
def gelu_kernel(x_ptr, y_ptr, n, APPROXIMATE: tl.constexpr, BLOCK: tl.constexpr):
    pid = tl.program_id(0).to(tl.int64)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    v = tl.load(x_ptr + offs, mask=mask, other=0.0).to(tl.float32)
    if APPROXIMATE:
        u = 0.79788456 * (v + 0.044715 * v * v * v)
        g = v / (1.0 + tl.exp(-2.0 * u))
    else:
        g = 0.5 * v * (1.0 + tl.erf(v * 0.70710678))
    tl.store(y_ptr + offs, g.to(y_ptr.dtype.element_ty), mask=mask)


def gelu_triton(x, out=None, approximate=False):
    if out is None:
        out = torch.empty_like(x)
    n = x.numel()
    if n:
        gelu_kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, out, n, APPROXIMATE=approximate)
    return out
