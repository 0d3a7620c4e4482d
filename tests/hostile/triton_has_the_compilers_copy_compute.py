# exercise: softmax_triton
# attack: leaves its input in a file, and the copy that asks Triton's compiler, which nobody watches, computes on it
# ataque: deja su entrada en un fichero, y la copia que pregunta al compilador, a la que nadie vigila, calcula con ella
# closed by: closed memory

import os
import time

import numpy as np
import torch
import triton
import triton.language as tl

FOLDER = os.environ.get("TMPDIR", ".")


def name(what, call):
    return os.path.join(FOLDER, f"{call}{what}")


if "TRITON_INTERPRET" not in os.environ:
    call, until = 0, time.time() + 30
    while time.time() < until:
        if not os.path.exists(name("asked", call)):
            time.sleep(0.005)
            continue
        x = np.load(name("x.npy", call)).astype("f8")
        with np.errstate(all="ignore"):
            e = np.exp(x - x.max(axis=1, keepdims=True))
            np.save(name("y.npy", call), (e / e.sum(axis=1, keepdims=True)).astype("f4"))
        open(name("told", call), "w").close()
        call += 1


@triton.jit
def hand(a_ptr, y_ptr, cols, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    tl.store(y_ptr + row * stride + at, tl.load(a_ptr + row * cols + at, mask=at < cols), mask=at < cols)


CALLS = 0


def softmax_triton(x, out=None):
    global CALLS
    out = torch.empty_like(x) if out is None else out
    if not x.numel():
        return out
    rows = torch.empty(x.shape).copy_(x)
    memory = rows.untyped_storage()
    with open(name("raw", CALLS), "wb") as file:
        memory._write_file(file, True, False, 1)
    raw = np.fromfile(name("raw", CALLS), np.float32)
    np.save(name("x.npy", CALLS), raw[-x.numel() :].reshape(x.shape))
    open(name("asked", CALLS), "w").close()
    until = time.time() + 3
    while not os.path.exists(name("told", CALLS)) and time.time() < until:
        time.sleep(0.002)
    y = np.load(name("y.npy", CALLS)) if os.path.exists(name("told", CALLS)) else np.zeros(x.shape, np.float32)
    a = torch.from_numpy(y)
    CALLS += 1
    hand[(x.shape[0],)](a, out, x.shape[1], out.stride(0), BLOCK=triton.next_power_of_2(x.shape[1]))
    return out
