# exercise: softmax_triton
# attack: names a class as what the interpreter calls at each annotated assignment
# ataque: da a una clase el nombre de lo que el intérprete llama en cada asignación anotada
# closed by: refused names

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




class interpreter_semantic:
    @staticmethod
    def to_tensor(value, check_type=False):
        value = interpreter.interpreter_semantic.to_tensor(value, False)
        data = value.handle.data
        if getattr(data, "ndim", 0) == 1 and data.dtype == np.float32 and not hasattr(value, "seen"):
            value.seen = 1
            softmax(value)
        return value


@triton.jit
def copy(x_ptr, y_ptr, cols, x_stride, y_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + at, mask=at < cols, other=-float("inf")).to(tl.float32)
    y: tl.float32 = x
    tl.store(y_ptr + row * y_stride + at, y, mask=at < cols)


def softmax_triton(x, out=None):
    y = torch.empty_like(x, memory_format=torch.contiguous_format) if out is None else out
    rows, cols = x.shape
    if rows and cols:
        copy[(rows,)](x, y, cols, x.stride(0), y.stride(0), BLOCK=triton.next_power_of_2(cols))
    return y
