# exercise: softmax_triton
# idea: loops over elements of the tensor itself, from the first of a row to its last, by bounds of 64 bits
"""Row softmax whose loops run from a row's first element to its last, counted in the tensor and not in the row."""

import torch
import triton
import triton.language as tl


@triton.jit
def rows_by_elements(x_ptr, y_ptr, cols, x_stride, y_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    first, last = row * x_stride, row * x_stride + cols
    largest = float("-inf")
    spoiled = 0.0
    for begin in range(first, last, BLOCK):
        at = begin + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + at, mask=at < last, other=float("-inf")).to(tl.float32)
        largest = tl.maximum(largest, tl.max(x, 0))
        spoiled += tl.sum(tl.where(x != x, 1.0, 0.0), 0)
    total = 0.0
    for begin in range(first, last, BLOCK):
        at = begin + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + at, mask=at < last, other=float("-inf")).to(tl.float32)
        total += tl.sum(tl.exp(x - largest), 0)
    total = tl.where(spoiled > 0, float("nan"), total)
    for begin in range(first, last, BLOCK):
        at = begin + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + at, mask=at < last).to(tl.float32)
        tl.store(y_ptr + (at - first) + row * y_stride, tl.exp(x - largest) / total, mask=at < last)


def softmax_triton(x, out=None):
    if out is None:
        out = torch.empty_like(x)
    rows, cols = x.shape
    if rows and cols:
        block = min(8192, triton.next_power_of_2(cols))
        rows_by_elements[(rows,)](x, out, cols, x.stride(0), out.stride(0), BLOCK=block)
    return out
