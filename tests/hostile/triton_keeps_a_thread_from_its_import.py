# exercise: softmax_triton
# attack: has a thread compute that was started when the file was imported
# ataque: calcula en un hilo creado al importar el fichero
# closed by: closed memory

import queue
import threading

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


asked, done = queue.Queue(), queue.Queue()


def serve():
    while True:
        x, out = asked.get()
        out.copy_(torch.softmax(x.float(), 1).to(x.dtype))
        done.put(1)


threading.Thread(target=serve, daemon=True).start()


def softmax_triton(x, out=None):
    out = torch.empty_like(x) if out is None else out
    launch(x, out)
    asked.put((x, out))
    done.get()
    return out
