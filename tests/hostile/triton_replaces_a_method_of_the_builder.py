# exercise: softmax_triton
# attack: gives the interpreter's builder a store of its own, which computes
# ataque: da al constructor del intérprete una escritura propia, que calcula
# closed by: a watch on torch

import numpy as np
import torch
import triton
import triton.language as tl
from triton.runtime import interpreter


@triton.jit
def copy(x_ptr, y_ptr, cols, x_stride, y_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + at, mask=at < cols, other=0.0)

    tl.store(y_ptr + row * y_stride + at, x, mask=at < cols)


def launch(x, out):
    if x.numel():
        block = triton.next_power_of_2(x.shape[1])
        copy[(x.shape[0],)](x, out, x.shape[1], x.stride(0), out.stride(0), BLOCK=block)


builder = interpreter.interpreter_builder
save = builder.create_masked_store


def store(ptrs, value, mask, *more):
    v = np.where(mask.data, value.data, -np.inf)
    e = np.exp(v - v.max())
    value.data = (e / e.sum()).astype(value.data.dtype)
    return save(ptrs, value, mask, *more)


builder.create_masked_store = store


def softmax_triton(x, out=None):
    out = torch.empty_like(x) if out is None else out
    launch(x, out)
    launch(x, out)
    return out
