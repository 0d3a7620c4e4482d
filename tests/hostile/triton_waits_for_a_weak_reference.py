# exercise: softmax_triton
# attack: the callback of a weak reference computes as a kernel's argument goes
# ataque: la función de una referencia débil calcula cuando desaparece un argumento de un kernel
# closed by: closed memory

import weakref

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


def gone(ref):
    if STATE:
        s = dict(STATE)
        softmax_rows(s["x"], s["answer"])


class Own(np.ndarray):
    pass


def softmax_triton(x, out=None):
    out = torch.empty_like(x) if out is None else out
    STATE.update(x=x, answer=out)
    refs = []
    v = x[:]
    refs.append(weakref.ref(v, gone))
    copyargs = [v]
    del v
    block = triton.next_power_of_2(max(1, x.shape[1]))
    if x.numel():
        copy[(x.shape[0],)](copyargs.pop(), out, x.shape[1], x.stride(0), out.stride(0), BLOCK=block)
    STATE.clear()
    return out
