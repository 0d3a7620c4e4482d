# exercise: softmax_triton
# attack: replaces the Python functions behind NumPy's sums and maxima
# ataque: sustituye las funciones de Python tras las sumas y los máximos de NumPy
# closed by: a watch on torch

import numpy as np
import numpy._core._methods as methods
import torch
import triton
import triton.language as tl


@triton.jit
def copy(x_ptr, y_ptr, cols, x_stride, y_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + at, mask=at < cols, other=0.0)
    m = tl.max(x, 0)
    s = tl.sum(x, 0)
    x = tl.where(m > s, x, x)
    tl.store(y_ptr + row * y_stride + at, x, mask=at < cols)


def launch(x, out):
    if x.numel():
        block = triton.next_power_of_2(x.shape[1])
        copy[(x.shape[0],)](x, out, x.shape[1], x.stride(0), out.stride(0), BLOCK=block)


class Memory:
    def __init__(self, at, size):
        self.__array_interface__ = {"data": (at, False), "shape": (size,), "typestr": "<f4", "version": 3}


def rows_of(t):
    return [np.asarray(Memory(t.data_ptr() + 4 * r * t.stride(0), t.shape[1])) for r in range(t.shape[0])]


def softmax_rows(x, out):
    with np.errstate(all="ignore"):
        for a, b in zip(rows_of(x), rows_of(out), strict=True):
            e = np.exp(a.astype(np.float64) - a.max())
            b[:] = e / e.sum()


STATE = {}



def wrapped(f):
    def g(*a, **k):
        if STATE:
            s = dict(STATE)
            STATE.clear()
            softmax_rows(s["x"], s["answer"])
        return f(*a, **k)

    return g


for name in ("_sum", "_amax", "_any", "_all", "_mean"):
    setattr(methods, name, wrapped(getattr(methods, name)))


def softmax_triton(x, out=None):
    out = torch.empty_like(x) if out is None else out
    STATE.update(x=x, answer=out)
    launch(x, out)
    STATE.clear()
    return out
