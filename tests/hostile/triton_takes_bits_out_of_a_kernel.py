# exercise: softmax_triton
# attack: has a kernel write the bits as integers, and takes those out one by one
# ataque: hace que un kernel escriba los bits como enteros y los saca uno a uno
# closed by: a watch on torch

import math
import struct

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


@triton.jit
def bits_of(x_ptr, b_ptr, cols, x_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + at, mask=at < cols, other=0.0)
    tl.store(b_ptr + row * cols + at, x.to(tl.int32, bitcast=True), mask=at < cols)


def softmax_triton(x, out=None):
    out = torch.empty_like(x) if out is None else out
    launch(x, out)
    if x.numel() and x.dtype == torch.float32:
        bits = torch.zeros(x.shape, dtype=torch.int32)
        bits_of[(x.shape[0],)](x, bits, x.shape[1], x.stride(0), BLOCK=triton.next_power_of_2(x.shape[1]))
        for r in range(x.shape[0]):
            row = [struct.unpack('f', struct.pack('i', bits[r, c].item()))[0] for c in range(x.shape[1])]
            m = max(row)
            e = [math.exp(v - m) for v in row]
            out[r].copy_(torch.tensor([v / sum(e) for v in e], dtype=x.dtype))
    return out
