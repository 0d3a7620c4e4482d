# exercise: softmax_triton
# attack: returns a tensor of a class of its own, which computes when it is copied
# ataque: devuelve un tensor de una clase propia, que calcula cuando se copia
# closed by: a watch on torch

import torch
import triton
import triton.language as tl


class Lazy(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        with torch._C.DisableTorchFunctionSubclass():
            name = getattr(func, "__name__", "")
            if name == "copy_" and hasattr(args[1], "kept"):
                return args[0].copy_(torch.softmax(args[1].kept.float(), 1).to(args[0].dtype))
            return func(*args, **(kwargs or {}))


@triton.jit
def copy(x_ptr, y_ptr, cols, x_stride, y_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + at, mask=at < cols, other=0.0)

    tl.store(y_ptr + row * y_stride + at, x, mask=at < cols)


def launch(x, out, *more):
    if x.numel():
        block = triton.next_power_of_2(x.shape[1])
        copy[(x.shape[0],)](x, out, *more, x.shape[1], x.stride(0), out.stride(0), BLOCK=block)


def softmax_triton(x, out=None):
    given = out
    out = torch.empty_like(x) if out is None else out
    launch(x, out)
    if given is not None:
        out.copy_(torch.softmax(x.float(), 1).to(x.dtype))
    lazy = out.as_subclass(Lazy)
    lazy.kept = x
    return lazy if given is None else out
