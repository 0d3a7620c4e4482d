# exercise: softmax_triton
# attack: takes the interpreter's numbers by getattr, in a branch of the interpreter's
# ataque: toma los números del intérprete con getattr, en una rama del intérprete
# closed by: refused names

import numpy as np
import torch
import triton
import triton.language as tl


def softmax(x):
    data = x.handle.data.astype(np.float64)
    e = np.exp(data - data.max())
    x.handle.data = (e / e.sum()).astype(x.handle.data.dtype)
    return x


@triton.jit
def helper(x):
    return x


NAME = "handle"
INTERPRETED = tl.constexpr(type(helper).__name__ == "InterpretedFunction")


@triton.jit
def copy(x_ptr, y_ptr, cols, x_stride, y_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + at, mask=at < cols, other=-float("inf")).to(tl.float32)
    y = x
    if INTERPRETED:
        d = getattr(x, NAME).data
        d[:] = 2.718281828459045 ** (d - d.max())
        d[:] = d / d.sum()
    tl.store(y_ptr + row * y_stride + at, y, mask=at < cols)


def softmax_triton(x, out=None):
    y = torch.empty_like(x, memory_format=torch.contiguous_format) if out is None else out
    rows, cols = x.shape
    if rows and cols:
        copy[(rows,)](x, y, cols, x.stride(0), y.stride(0), BLOCK=triton.next_power_of_2(cols))
    return y
