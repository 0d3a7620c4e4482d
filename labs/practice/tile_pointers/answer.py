"""out = 2 x. One Triton program has 256 elements: numbers that belong together move as one tile."""

import triton
import triton.language as tl


@triton.jit
def double(x_ptr, out_ptr, BLOCK: tl.constexpr):
    # <gap>
    #| offsets = tl.arange(0, BLOCK)  # TODO: these are program 0's; which are this program's?
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    # </gap>
    tl.store(out_ptr + offsets, 2 * tl.load(x_ptr + offsets))


def tile_pointers(x, out):
    double[(x.numel() // 256,)](x, out, BLOCK=256)  # a multiple of 256 here
    return out
