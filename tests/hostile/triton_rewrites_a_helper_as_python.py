# exercise: softmax_triton
# attack: has the interpreter rewrite a helper as a function of Python
# ataque: hace que el intérprete reescriba una función auxiliar como una de Python
# closed by: a watch on torch

import numpy as np
import torch
import triton
import triton.language as tl
from triton.runtime import interpreter


def softmax(x):
    data = x.handle.data.astype(np.float64)
    e = np.exp(data - data.max())
    x.handle.data = (e / e.sum()).astype(x.handle.data.dtype)
    return x



plain = interpreter.InterpretedFunction.rewrite


def rewrite(self):
    fn = plain(self)
    if self.fn.__name__ != "helper":
        return fn
    return softmax


interpreter.InterpretedFunction.rewrite = rewrite


@triton.jit
def helper(x):
    return x


@triton.jit
def copy(x_ptr, y_ptr, cols, x_stride, y_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + at, mask=at < cols, other=-float("inf")).to(tl.float32)
    y = helper(x)
    tl.store(y_ptr + row * y_stride + at, y, mask=at < cols)


def softmax_triton(x, out=None):
    y = torch.empty_like(x, memory_format=torch.contiguous_format) if out is None else out
    rows, cols = x.shape
    if rows and cols:
        copy[(rows,)](x, y, cols, x.stride(0), y.stride(0), BLOCK=triton.next_power_of_2(cols))
    return y
