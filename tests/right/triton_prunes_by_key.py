# exercise: softmax_triton
# unusual: the pruning looks at a number made of the length, and that number is the key

import torch
import triton
import triton.language as tl


def long_enough(configs, named_args, **meta):
    fitting = [c for c in configs if c.kwargs["BLOCK"] >= meta["NEEDED"]]
    return fitting[:2]


@triton.autotune(
    configs=[triton.Config({"BLOCK": block}) for block in (64, 512, 4096, 16384, 131072)],
    key=["NEEDED"],
    prune_configs_by={"early_config_prune": long_enough},
)
@triton.jit
def tile(x_ptr, y_ptr, rows, cols, x_stride, y_stride, NEEDED: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + at, mask=at < cols, other=-float("inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x))
    tl.store(y_ptr + row * y_stride + at, (e / tl.sum(e)).to(y_ptr.dtype.element_ty), mask=at < cols)


def softmax_triton(x, out=None):
    out = torch.empty_like(x) if out is None else out
    if x.numel() == 0:
        return out
    rows, cols = x.shape
    needed = triton.next_power_of_2(cols)
    tile[(rows,)](x, out, rows, cols, x.stride(0), out.stride(0), NEEDED=needed)
    return out
