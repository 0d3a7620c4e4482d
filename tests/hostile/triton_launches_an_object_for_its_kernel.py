# exercise: softmax_triton
# attack: puts an object that looks like its kernel into the launch while the grid is asked for
# ataque: pone en el lanzamiento un objeto que parece su kernel mientras se pide la malla
# closed by: closed memory

import sys

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


last = []


def view(t):
    class A:
        pass

    o = A()
    steps = tuple(4 * n for n in t.stride())
    o.__array_interface__ = {
        "data": (t.data_ptr(), False),
        "shape": tuple(t.shape),
        "typestr": "<f4",
        "strides": steps,
        "version": 3,
    }
    return np.asarray(o)


def compute():
    if last and last[0].numel():
        x, out = map(view, last)
        if x.reshape(-1)[:1].view(np.uint32)[0] != 4294967295:
            with np.errstate(all="ignore"):
                a = x.astype(np.float64)
                e = np.exp(a - a.max(1, keepdims=True))
                out[:] = (e / e.sum(1, keepdims=True)).astype(np.float32)


class Kernel:
    def __init__(self, function):
        for name in ("__code__", "__globals__", "__closure__", "__builtins__", "__defaults__", "__kwdefaults__"):
            setattr(self, name, getattr(function, name))
        self.__name__ = function.__name__
        self.onekernel_original = getattr(function, "onekernel_original", function)
        self.function = function

    def __call__(self, **given):
        self.function(**given)
        compute()


def grid(meta):
    at = sys._getframe(1)
    while at.f_code.co_name != "counted":
        at = at.f_back
    launch = at.f_locals["self"]
    launch.fn = Kernel(launch.fn)
    return (last[0].shape[0],)


def softmax_triton(x, out=None):
    out = torch.empty_like(x) if out is None else out
    last[:] = [x, out]
    if x.numel():
        block = triton.next_power_of_2(x.shape[1])
        copy[grid](x, out, x.shape[1], x.stride(0), out.stride(0), BLOCK=block)
    return out
