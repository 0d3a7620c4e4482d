# exercise: softmax_triton
# attack: asks the keeper again and again, and looks at its frame in a signal's handler
# ataque: le pide los bytes al guardián una y otra vez y mira su marco desde el manejador de una señal
# closed by: a keeper without a name

import contextlib
import signal
import sys
import time

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


found = {}


def look(number, frame):
    while frame:
        for name, value in frame.f_locals.items():
            if name == "real" and isinstance(value, dict):
                found.update(value)
        frame = frame.f_back


def real_bytes():
    found.clear()
    signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, 0.0002, 0.0002)
    until = time.monotonic() + 0.2
    while not found and time.monotonic() < until:
        with contextlib.suppress(PermissionError):
            sys.audit("onekernel.open")
    signal.setitimer(signal.ITIMER_REAL, 0)
    return found


def softmax_triton(x, out=None):
    out = torch.empty_like(x) if out is None else out
    if x.numel():
        block = triton.next_power_of_2(x.shape[1])
        copy[x.shape[0],](x, out, x.shape[1], x.stride(0), out.stride(0), BLOCK=block)
        real = real_bytes()
        xs = real[x.untyped_storage().data_ptr()].view(np.float32)
        ys = real[out.untyped_storage().data_ptr()].view(np.float32)
        for r in range(x.shape[0]):
            a = xs[x.storage_offset() + r * x.stride(0) :][: x.shape[1]].astype(np.float64)
            e = np.exp(a - a.max())
            ys[out.storage_offset() + r * out.stride(0) :][: x.shape[1]] = e / e.sum()
    return out
