# exercise: softmax_triton
# attack: gives a function's code the name of a file of Triton's afterwards
# ataque: da después al código de una función el nombre de un fichero de Triton
# closed by: closed memory


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


def finish(x, out):
    out.copy_(torch.softmax(x.float(), 1).to(x.dtype))


finish.__code__ = finish.__code__.replace(co_filename="/triton/x.py")


def softmax_triton(x, out=None):
    out = torch.empty_like(x) if out is None else out
    launch(x, out)
    finish(x, out)
    return out
