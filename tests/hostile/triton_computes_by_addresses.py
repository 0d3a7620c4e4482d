# exercise: softmax_triton
# attack: computes with NumPy on views of the tensors' addresses, made by ctypes
# ataque: calcula con NumPy sobre las direcciones de los tensores, tomadas con ctypes
# closed by: closed memory

import ctypes

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


def view(t):
    size = t.untyped_storage().nbytes() // 4
    raw = (ctypes.c_float * size).from_address(t.untyped_storage().data_ptr())
    flat = np.frombuffer(raw, np.float32)
    return np.lib.stride_tricks.as_strided(flat[t.storage_offset():], t.shape, [s * 4 for s in t.stride()])


def softmax_triton(x, out=None):
    out = torch.empty_like(x) if out is None else out
    launch(x, out)
    if x.dtype == torch.float32 and x.numel():
        a, b = view(x), view(out)
        e = np.exp(a - a.max(1, keepdims=True))
        b[...] = e / e.sum(1, keepdims=True)
    return out
