# exercise: gelu_triton
# unusual: pairs split and joined again, tl.sigmoid, tl.erf, a function chosen in Python, a 2-D tile by reshape

import torch
import triton
import triton.language as tl


@triton.jit
def exact(x):
    return 0.5 * x * (1 + tl.erf(x * 0.7071067811865476))


@triton.jit
def by_tanh(x):
    return x * tl.sigmoid(1.5957691216057308 * (x + 0.044715 * x * x * x))


@triton.jit
def kernel(x_ptr, y_ptr, n, F: tl.constexpr, PAIRS: tl.constexpr):
    first = tl.program_id(0).to(tl.int64) * (2 * PAIRS)
    at = first + tl.arange(0, 2 * PAIRS)
    x = tl.load(x_ptr + at, mask=at < n, other=0).to(tl.float32)
    even, odd = tl.split(tl.reshape(x, (PAIRS, 2)))
    y = tl.reshape(tl.join(F(even), F(odd)), (2 * PAIRS,))
    tl.store(y_ptr + at, y.to(y_ptr.dtype.element_ty), mask=at < n)


def gelu_triton(x: torch.Tensor, out: torch.Tensor | None = None, approximate: bool = False) -> torch.Tensor:
    y = torch.empty_like(x) if out is None else out
    n = x.numel()
    if n > 0:
        kernel[(triton.cdiv(n, 1024),)](x.view(-1), y.view(-1), n, F=by_tanh if approximate else exact, PAIRS=512)
    return y
