# exercise: softmax_triton
# attack: calls a function of NumPy's in a kernel where it is interpreted, and Triton's where it is compiled
# ataque: llama en un kernel a una función con NumPy si se interpreta, y a una de Triton si se compila
# closed by: refused names

import os

import numpy as np
import torch
import triton
import triton.language as tl


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


def hook(value, mask):
    d = value.handle.data
    v = np.where(mask.handle.data, d, -np.inf)
    e = np.exp(v - v.max())
    value.handle.data = (e / e.sum()).astype(d.dtype)
    return value


@triton.jit
def same(value, mask):
    return value


if os.environ.get("TRITON_INTERPRET") != "1":
    hook = same


@triton.jit
def copy2(x_ptr, y_ptr, cols, x_stride, y_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + at, mask=at < cols, other=0.0)
    x = hook(x, at < cols)
    tl.store(y_ptr + row * y_stride + at, x, mask=at < cols)


def softmax_triton(x, out=None):
    out = torch.empty_like(x) if out is None else out
    launch(x, out)
    if x.numel():
        copy2[(x.shape[0],)](x, out, x.shape[1], x.stride(0), out.stride(0), BLOCK=triton.next_power_of_2(x.shape[1]))
    return out
