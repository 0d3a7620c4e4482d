# exercise: softmax_triton
# attack: opens later inputs by the sandbox's own function, and has a kernel copy what it makes of them
# ataque: abre entradas posteriores con la función del confinamiento y un kernel copia lo que calcula con ellas
# closed by: a keeper without a name

import sys

import numpy as np
import torch
import triton
import triton.language as tl

from onekernel.sandbox import inputs


@triton.jit
def copy(x_ptr, y_ptr, cols, x_stride, y_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + at, mask=at < cols, other=0.0)
    tl.store(y_ptr + row * y_stride + at, x, mask=at < cols)


answers = []
calls = iter(range(1000))


def worker():
    at = sys._getframe(1)
    while at.f_code.co_name != "work":
        at = at.f_back
    return at.f_locals


def soft(a):
    with np.errstate(all="ignore"):
        a = a.astype(np.float64)
        e = np.exp(a - a.max(1, keepdims=True))
        return (e / e.sum(1, keepdims=True)).astype(np.float32)


def ahead():
    if answers:
        return
    here = worker()
    pages = here["inputs"]._bytes
    inputs.mprotect(pages.ctypes.data, 1, 0, pages.nbytes)
    for _function, given in here["request"].calls:
        x, sizes = given[0], [n for n in given if isinstance(n, int)]
        rows, cols, step = sizes[:3]
        floats = x.memory[x.offset : x.offset + x.extent].view(np.float32)
        answers.append(soft(np.stack([floats[r * step :][:cols] for r in range(rows)])) if rows * cols else None)
    inputs.mprotect(pages.ctypes.data, 0, 0, pages.nbytes)


def softmax_triton(x, out=None):
    out = torch.empty_like(x) if out is None else out
    ahead()
    answer = answers[next(calls)]
    if x.numel():
        a = torch.from_numpy(answer)
        block = triton.next_power_of_2(x.shape[1])
        copy[x.shape[0],](a, out, x.shape[1], a.stride(0), out.stride(0), BLOCK=block)
    return out
