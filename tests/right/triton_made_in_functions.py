# exercise: softmax_triton
# unusual: a function makes the kernels: at the file's import and in a call, with what they capture of it

import functools

import torch
import triton
import triton.language as tl


def make(base: float):
    SCALE = tl.constexpr(base)

    @triton.jit
    def raised(x, top):
        return tl.exp2((x - top) * SCALE)

    @triton.jit
    def tile(x_ptr, y_ptr, cols, x_stride, y_stride, BLOCK: tl.constexpr):
        row = tl.program_id(0).to(tl.int64)
        at = tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * x_stride + at, mask=at < cols, other=-float("inf")).to(tl.float32)
        e = raised(x, tl.max(x))
        tl.store(y_ptr + row * y_stride + at, (e / tl.sum(e)).to(y_ptr.dtype.element_ty), mask=at < cols)

    return tile


@functools.cache
def walking(block: int):
    WIDTH = tl.constexpr(block)

    @triton.jit
    def walk(x_ptr, y_ptr, cols, x_stride, y_stride):
        row = tl.program_id(0).to(tl.int64)
        top = -float("inf")
        total = 0.0
        for begin in range(0, cols, WIDTH):
            at = begin + tl.arange(0, WIDTH)
            x = tl.load(x_ptr + row * x_stride + at, mask=at < cols, other=-float("inf")).to(tl.float32)
            above = tl.maximum(top, tl.max(x))
            total = total * tl.exp(top - tl.where(above == -float("inf"), 0.0, above)) + tl.sum(
                tl.exp(x - tl.where(above == -float("inf"), 0.0, above))
            )
            top = above
        for begin in range(0, cols, WIDTH):
            at = begin + tl.arange(0, WIDTH)
            x = tl.load(x_ptr + row * x_stride + at, mask=at < cols, other=-float("inf")).to(tl.float32)
            y = tl.exp(x - top) / total
            tl.store(y_ptr + row * y_stride + at, y.to(y_ptr.dtype.element_ty), mask=at < cols)

    return walk


whole, other = make(1.4426950408889634), make(1.4426950408889634)


def softmax_triton(x, out=None):
    out = torch.empty_like(x) if out is None else out
    if x.numel() == 0:
        return out
    rows, cols = x.shape
    if cols > 2048:
        walking(1024)[(rows,)](x, out, cols, x.stride(0), out.stride(0))
    else:
        kernel = whole if cols % 2 else other
        kernel[(rows,)](x, out, cols, x.stride(0), out.stride(0), BLOCK=triton.next_power_of_2(cols))
    return out
