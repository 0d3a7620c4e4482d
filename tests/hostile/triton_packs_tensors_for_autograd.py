# exercise: softmax_triton
# attack: hooks that pack tensors for autograd compute while torch moves numbers
# ataque: ganchos que empaquetan tensores para autograd calculan mientras torch mueve números
# closed by: closed memory

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


def packed(t):
    STATE and softmax_rows(STATE["x"], STATE["answer"])
    return t


STATE = {}


def softmax_triton(x, out=None):
    out = torch.empty_like(x) if out is None else out
    launch(x, out)
    STATE.update(x=x, answer=out)
    with torch.autograd.graph.saved_tensors_hooks(packed, lambda t: t):
        z = x.detach().requires_grad_()
        z.clone()
        torch.cat([z, z])
        torch.stack([z, z])
        z.repeat(1, 1)
        torch.nn.functional.pad(z, (0, 1))
        z.double()
        z.roll(1)
        z.flip(0)
    STATE.clear()
    return out
