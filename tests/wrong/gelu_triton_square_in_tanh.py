# exercise: gelu_triton
# bug: in the form by tanh x is multiplied by 1 + 0.044715 x, and not x * x
# group: tanh
# caught: values
# cause: gelu-square
import torch
import triton
import triton.language as tl


@triton.jit
def gelu(x_ptr, y_ptr, n, APPROXIMATE: tl.constexpr, BLOCK: tl.constexpr):
    start = tl.program_id(0).to(tl.int64) * BLOCK
    lanes = tl.arange(0, BLOCK)
    v = tl.load(x_ptr + start + lanes, mask=lanes < n - start, other=0.0).to(tl.float32)
    if APPROXIMATE:
        inner = 0.7978845608 * v * (1 + 0.044715 * v)
        y = 0.5 * v * (2.0 - 2.0 / (tl.exp(2.0 * inner) + 1.0))
    else:
        y = 0.5 * v * (1.0 + tl.erf(v * 0.7071067811865476))
    tl.store(y_ptr + start + lanes, y.to(y_ptr.dtype.element_ty), mask=lanes < n - start)


def gelu_triton(x, out=None, approximate=False):
    if out is None:
        out = torch.empty_like(x)
    n = x.numel()
    if n:
        gelu[(triton.cdiv(n, 512),)](x, out, n, APPROXIMATE=approximate, BLOCK=512)
    return out
