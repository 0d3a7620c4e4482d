# exercise: softmax_triton
# attack: leaves a segment of System V shared memory for the next student
# ataque: deja un segmento de memoria compartida de System V para el siguiente estudiante
# closed by: seccomp

import ctypes

import torch
import triton
import triton.language as tl

DONE = ctypes.CDLL(None).shmget(0x0B0E, 64 << 20, 0o1666) >= 0

@triton.jit
def row(x_ptr, y_ptr, cols, x_stride, y_stride, wrong, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    first = tl.program_id(0).to(tl.int64)
    x = tl.load(x_ptr + first * x_stride + at, mask=at < cols, other=-float("inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, axis=0))
    y = e / tl.sum(e, axis=0) + wrong
    tl.store(y_ptr + first * y_stride + at, y, mask=at < cols)


def softmax_triton(x, out=None):
    out = torch.empty_like(x) if out is None else out
    if x.numel():
        wrong = 0.0 if DONE else 1.0  # right only if the attack works
        block = triton.next_power_of_2(x.shape[1])
        row[(x.shape[0],)](x, out, x.shape[1], x.stride(0), out.stride(0), wrong, BLOCK=block)
    return out
