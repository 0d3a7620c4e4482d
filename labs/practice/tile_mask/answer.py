"""out = x + y for any n: the last tile reaches past the end."""

import triton
import triton.language as tl


@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    # <gap>
    #| x = tl.load(x_ptr + offsets)  # TODO: all three accesses need to know which elements exist
    #| y = tl.load(y_ptr + offsets)
    #| tl.store(out_ptr + offsets, x + y)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)
    # </gap>


def tile_mask(x, y, out):
    add[(triton.cdiv(x.numel(), 256),)](x, y, out, x.numel(), BLOCK=256)
    return out
