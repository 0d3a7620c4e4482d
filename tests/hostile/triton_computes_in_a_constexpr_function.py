# exercise: softmax_triton
# attack: calls a function of triton.constexpr_function, which is Python, in a kernel
# ataque: llama en un kernel a una función de triton.constexpr_function, que es Python
# closed by: refused names

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
    z: tl.constexpr = secret(BLOCK)
    x = x + 0.0 * z
    tl.store(y_ptr + row * y_stride + at, x, mask=at < cols)


last = []


def rows_of(t):
    return [
        np.ctypeslib.as_array((ctypes.c_float * t.shape[1]).from_address(t.data_ptr() + 4 * r * t.stride(0)))
        for r in range(t.shape[0])
    ]


def compute():
    """Softmax where real numbers stand in memory just now; True if they did."""
    if not last or not last[0].numel():
        return False
    x, out = last
    xs, ys = (rows_of(x), rows_of(out))
    if np.isnan(xs[0]).all() and np.ascontiguousarray(xs[0]).view(np.uint32)[0] == 4294967295:
        return False
    for a, y in zip(xs, ys, strict=False):
        with np.errstate(all="ignore"):
            a = a.astype(np.float64)
            e = np.exp(a - a.max())
            y[:] = e / e.sum()
    return True


@triton.constexpr_function
def secret(n):
    compute()
    return n


def softmax_triton(x, out=None):
    out = torch.empty_like(x) if out is None else out
    last[:] = [x, out]
    if x.numel():
        block = triton.next_power_of_2(x.shape[1])
        copy[x.shape[0],](x, out, x.shape[1], x.stride(0), out.stride(0), BLOCK=block)
    return out
