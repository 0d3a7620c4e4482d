# exercise: softmax_triton
# unusual: functions of NVIDIA's libdevice, and of Triton's language under names of their own

import torch
import triton
import triton.language as tl
from triton.language import max as largest
from triton.language.extra import libdevice
from triton.language.extra.cuda.libdevice import fast_dividef as divided
from triton.language.math import exp2

power = exp2


@triton.jit
def add(a, b):
    return libdevice.add_rn(a, b)


@triton.heuristics({"BLOCK": lambda args: triton.next_power_of_2(args["cols"])})
@triton.jit
def softmax_rows(x_ptr, y_ptr, cols, x_stride, y_stride, BLOCK: tl.constexpr, EXP: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + at, mask=at < cols, other=-float("inf")).to(tl.float32)
    below = x - largest(x, 0)
    if EXP == 0:
        e = libdevice.exp(below)
    elif EXP == 1:
        e = tl.extra.libdevice.fast_expf(below)
    else:
        e = power(below * 1.4426950408889634)
    y = divided(e, tl.reduce(e, 0, add) + tl.zeros([BLOCK], tl.float32))
    tl.store(y_ptr + row * y_stride + at, y.to(y_ptr.dtype.element_ty), mask=at < cols)


def softmax_triton(x, out=None):
    y = torch.empty_like(x, memory_format=torch.contiguous_format) if out is None else out
    rows, cols = x.shape
    if rows and cols:
        softmax_rows[(rows,)](x, y, cols, x.stride(0), y.stride(0), EXP=cols % 3)
    return y
