# exercise: softmax_triton
# attack: gives a kernel an element type of its own class, which computes when it is asked for its name
# ataque: da a un kernel un tipo de elemento de una clase propia, que calcula cuando se le pide el nombre
# closed by: refused names

import ctypes

import numpy as np
import torch
import triton
import triton.language as tl

given = []
right = []


@triton.jit
def copy(x_ptr, y_ptr, cols, x_stride, y_stride, TAG: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + at, mask=at < cols, other=0.0)
    x = x.to(TAG).to(tl.float32)
    tl.store(y_ptr + row * y_stride + at, x, mask=at < cols)
    x = x.to(TAG).to(tl.float32)


def view(t):
    size = t.untyped_storage().nbytes() // 4
    raw = (ctypes.c_float * size).from_address(t.untyped_storage().data_ptr())
    flat = np.frombuffer(raw, np.float32)
    return np.lib.stride_tricks.as_strided(flat[t.storage_offset():], t.shape, [s * 4 for s in t.stride()])


def compute(*_, **__):
    if given and given[0].dtype == torch.float32:
        x, out = map(view, given)
        if not right and not np.isnan(x).any():
            e = np.exp(x - x.max(1, keepdims=True))
            right.append(e / e.sum(1, keepdims=True))
        if right:
            out[...] = right[0]
    return "?"


class Type(type(tl.float32)):
    def __getattribute__(self, name):
        compute()
        return type(tl.float32).__getattribute__(self, name)


def softmax_triton(x, out=None):
    out = torch.empty_like(x) if out is None else out
    if x.numel():
        given[:], right[:] = [x, out], []
        block = triton.next_power_of_2(x.shape[1])
        copy[(x.shape[0],)](x, out, x.shape[1], x.stride(0), out.stride(0), Type("fp32"), BLOCK=block)
        given.clear()
    return out
