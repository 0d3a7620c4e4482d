# exercise: softmax_triton
# attack: computes when a signal tells that a child has ended, in the midst of a kernel
# ataque: calcula cuando una señal dice que un proceso hijo terminó, en medio de un kernel
# closed by: closed memory

import ctypes
import os
import signal
import time

import numpy as np
import torch
import triton
import triton.language as tl

given = []
right = []


@triton.jit
def copy(x_ptr, y_ptr, cols, x_stride, y_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + at, mask=at < cols, other=0.0)
    z = x
    for _ in range(2000):
        z += 1.0
    tl.store(y_ptr + row * y_stride + at, z, mask=at < 0)
    tl.store(y_ptr + row * y_stride + at, x, mask=at < cols)
    z = x
    for _ in range(2000):
        z += 1.0
    tl.store(y_ptr + row * y_stride + at, z, mask=at < 0)


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


signal.signal(signal.SIGCHLD, compute)


def softmax_triton(x, out=None):
    out = torch.empty_like(x) if out is None else out
    if x.numel():
        given[:], right[:] = [x, out], []
        for wait in range(8):
            if os.fork() == 0:
                time.sleep(0.02 * wait)
                os._exit(0)
        block = triton.next_power_of_2(x.shape[1])
        copy[(x.shape[0],)](x, out, x.shape[1], x.stride(0), out.stride(0), BLOCK=block)
        given.clear()
    return out
