"""The leaky ReLU: x where it is above zero, a tenth of it elsewhere."""

import triton
import triton.language as tl


@triton.jit
def leaky(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = x  # TODO: and a tenth of x where x is not above zero
    tl.store(out_ptr + offsets, y, mask=mask)


def where(x, out):
    leaky[(triton.cdiv(x.numel(), 256),)](x, out, x.numel(), BLOCK=256)
    return out
