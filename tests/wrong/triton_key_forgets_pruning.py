# exercise: softmax_triton
# bug: the pruning looks at the length and the key does not hold it: the tile that the first row needs runs for all
# group: lengths
# caught: autotune-key
# shows: by the pruning, asked again at each call; the values tell it too, where a longer row follows a shorter one

import torch
import triton
import triton.language as tl


def long_enough(configs, named_args, **meta):
    return [c for c in configs if c.kwargs["BLOCK"] >= named_args["cols"]]


@triton.autotune(
    configs=[triton.Config({"BLOCK": block}) for block in (512, 4096, 16384, 131072)],
    key=["rows"],
    prune_configs_by={"early_config_prune": long_enough},
)
@triton.jit
def tile(x_ptr, y_ptr, rows, cols, x_stride, y_stride, BLOCK: tl.constexpr):
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
    tile[(rows,)](x, out, rows, cols, x.stride(0), out.stride(0))
    return out
