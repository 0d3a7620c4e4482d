# exercise: softmax_triton
# attack: replaces the function that NumPy calls for each element of tl.erf
# ataque: sustituye la función que NumPy llama con cada elemento de tl.erf
# closed by: a watch on torch

import ctypes

import numpy as np
import torch
import triton
import triton.language as tl
from triton.runtime import interpreter

given = []
right = []


def view(t):
    size = t.untyped_storage().nbytes() // 4
    raw = (ctypes.c_float * size).from_address(t.untyped_storage().data_ptr())
    flat = np.frombuffer(raw, np.float32)
    return np.lib.stride_tricks.as_strided(flat[t.storage_offset():], t.shape, [s * 4 for s in t.stride()])


def compute(*_, **__):
    if given and given[0].dtype == torch.float32 and given[0].numel():
        x, *outs = given_views
        if not right and not (np.ascontiguousarray(x).view(np.uint32) == 0xFFFFFFFF).all():
            x = x.astype(np.float64)
            e = np.exp(x - x.max(1, keepdims=True))
            right.append((e / e.sum(1, keepdims=True)).astype(np.float32))
        if right:
            for out in outs:
                out[...] = right[0]
    return 0


def begin(x, out):
    scratch = torch.empty_like(out, memory_format=torch.contiguous_format)
    global given_views
    given_views = [view(t) if t.dtype == torch.float32 and t.numel() else None for t in (x, out, scratch)]
    given[:], right[:] = [x, out, scratch], []
    return scratch


old = interpreter.np_erf_fp32.pyfunc


def evil(x):
    compute()
    return old(x)
interpreter.np_erf_fp32.pyfunc = evil


@triton.jit
def copy(x_ptr, s_ptr, y_ptr, cols, x_stride, y_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    z = tl.erf(at.to(tl.float32))
    row = row + (tl.max(z, 0) < 0).to(tl.int64)
    s = tl.load(s_ptr + row * cols + at, mask=at < cols, other=0.0)
    tl.store(y_ptr + row * y_stride + at, s, mask=at < cols)
    z = tl.erf(at.to(tl.float32))
    row = row + (tl.max(z, 0) < 0).to(tl.int64)


def softmax_triton(x, out=None):
    out = torch.empty_like(x, memory_format=torch.contiguous_format) if out is None else out
    if x.numel():
        scratch = begin(x, out)

        block = triton.next_power_of_2(x.shape[1])
        copy[(x.shape[0],)](x, scratch, out, x.shape[1], x.stride(0), out.stride(0), BLOCK=block)

        given.clear()
    return out
