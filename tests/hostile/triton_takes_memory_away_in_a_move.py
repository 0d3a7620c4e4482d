# exercise: softmax_triton
# attack: takes memory away from the process as torch moves numbers, so that what opened is not closed
# ataque: quita memoria al proceso mientras torch mueve números, para que lo abierto no se cierre
# closed by: closed memory

import resource

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


def squeeze(x, out):
    before = resource.getrlimit(resource.RLIMIT_DATA)
    for extra in range(0, 1 << 22, 1 << 16):
        try:
            resource.setrlimit(resource.RLIMIT_DATA, ((1 << 20) + extra, before[1]))
            x.clone()
            out.clone()
        except MemoryError:
            pass
        except RuntimeError:
            pass
        finally:
            resource.setrlimit(resource.RLIMIT_DATA, before)


def softmax_triton(x, out=None):
    out = torch.empty_like(x) if out is None else out
    launch(x, out)
    squeeze(x, out)
    softmax_rows(x, out)
    return out
