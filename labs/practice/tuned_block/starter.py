"""out = x * x. Three tile sizes are tried on a GPU, once for each n, and the fastest is kept."""

import triton
import triton.language as tl

CONFIGS = [triton.Config({"BLOCK": size}, num_warps=size // 256) for size in (256, 512, 1024)]


@triton.autotune(configs=CONFIGS, key=["n"])
@triton.jit
def square(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    tl.store(out_ptr + offsets, x * x, mask=offsets < n)


def tuned_block(x, out):
    n = x.numel()
    square[(1,)](x, out, n)  # TODO: how many programs? Nobody knows BLOCK before Triton has chosen
    return out
