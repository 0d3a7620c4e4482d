# exercise: softmax_triton
# attack: replaces the function that `import` calls, which libraries do while a kernel runs
# ataque: sustituye la función a la que llama `import`, que las bibliotecas usan mientras se ejecuta un kernel
# closed by: refused names

import builtins

import numpy as np
import torch
import triton
import triton.language as tl

given = []
right = []


def view(t):
    base = np.zeros(1, np.float32)
    far = t.data_ptr() - base.__array_interface__["data"][0]
    at = np.lib.stride_tricks.as_strided(base, (2,), (far,))[1:]
    return np.lib.stride_tricks.as_strided(at, t.shape, [s * 4 for s in t.stride()])


def compute(*_, **__):
    if given:
        x, out = given
        if not right and not (np.ascontiguousarray(x).view(np.uint32) == 0xFFFFFFFF).all():
            x = x.astype(np.float64)
            e = np.exp(x - x.max(1, keepdims=True))
            right.append((e / e.sum(1, keepdims=True)).astype(np.float32))
        if right:
            out[...] = right[0]


imports = builtins.__import__


busy = []


def mine(*args, **more):
    if not busy:
        busy.append(1)
        compute()
        busy.clear()
    return imports(*args, **more)


builtins.__import__ = mine
builtins.__dict__["__import__"] = mine


@triton.jit
def copy(x_ptr, y_ptr, cols, x_stride, y_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    s = tl.load(x_ptr + row * x_stride + at, mask=at < cols, other=0.0)
    tl.store(y_ptr + row * y_stride + at, tl.exp(s - tl.max(s, 0)), mask=at < cols)


def softmax_triton(x, out=None):
    out = torch.empty_like(x, memory_format=torch.contiguous_format) if out is None else out
    if x.numel():
        given[:], right[:] = [view(x), view(out)], []
        block = triton.next_power_of_2(x.shape[1])
        copy[(x.shape[0],)](x, out, x.shape[1], x.stride(0), out.stride(0), BLOCK=block)
        given.clear()
    return out
