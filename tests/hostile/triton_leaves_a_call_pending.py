# exercise: softmax_triton
# attack: has the interpreter call it back between two instructions (Py_AddPendingCall by ctypes)
# ataque: hace que el intérprete lo llame entre dos instrucciones (Py_AddPendingCall con ctypes)
# closed by: refused events

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


last = []


def soft(a):
    with np.errstate(all="ignore"):
        a = a.astype(np.float64)
        e = np.exp(a - a.max(1, keepdims=True))
        return (e / e.sum(1, keepdims=True)).astype(np.float32)


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
            out[:] = soft(x.copy() if x is out else x)


F = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)

state = {"n": 0}


def pending(_):
    state["n"] += 1
    compute()
    if state["n"] < 3000:
        ctypes.pythonapi.Py_AddPendingCall(cb, None)
    return 0


cb = F(pending)

ctypes.pythonapi.Py_AddPendingCall.argtypes = [F, ctypes.c_void_p]


def softmax_triton(x, out=None):
    out = torch.empty_like(x) if out is None else out
    last[:] = [x, out]
    state["n"] = 0
    ctypes.pythonapi.Py_AddPendingCall(cb, None)
    if x.numel():
        block = triton.next_power_of_2(x.shape[1])
        copy[x.shape[0],](x, out, x.shape[1], x.stride(0), out.stride(0), BLOCK=block)
    return out
