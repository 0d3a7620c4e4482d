# exercise: softmax_triton
# attack: gives a kernel a number of its own class, whose methods compute while the kernel runs
# ataque: da a un kernel un número de una clase propia, cuyos métodos calculan mientras corre el kernel
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


class Lying(int):
    given = None

    def __getattribute__(self, name):
        if Lying.given:
            x, out = Lying.given
            a, b = view(x), view(out)
            if not np.isnan(a).any():
                e = np.exp(a - a.max(1, keepdims=True))
                b[...] = e / e.sum(1, keepdims=True)
        return int.__getattribute__(self, name)


def softmax_triton(x, out=None):
    out = torch.empty_like(x) if out is None else out
    launch(x, out)
    if x.numel() and x.dtype == torch.float32:
        Lying.given = x, out
        sizes = [Lying(n) for n in (x.shape[1], x.stride(0), out.stride(0))]
        copy[(x.shape[0],)](x, out, *sizes, BLOCK=triton.next_power_of_2(x.shape[1]))
        Lying.given = None
    return out
