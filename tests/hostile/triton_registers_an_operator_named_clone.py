# exercise: softmax_triton
# attack: registers an operator of its own under the name of one that moves
# ataque: registra un operador propio con el nombre de uno que mueve datos
# closed by: a watch on torch

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


lib = torch.library.Library("mine", "DEF")
lib.define("clone(Tensor x) -> Tensor")
lib.impl("clone", lambda x: torch.softmax(x.float(), 1).to(x.dtype), "CPU")


def softmax_triton(x, out=None):
    out = torch.empty_like(x) if out is None else out
    launch(x, out)
    out.copy_(torch.ops.mine.clone(x))
    return out
