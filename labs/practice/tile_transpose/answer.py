"""out[c][r] = x[r][c], in tiles of 16 x 16: pointers may run in any direction."""

import triton
import triton.language as tl


@triton.jit
def turn(x_ptr, out_ptr, rows, cols, B: tl.constexpr):
    r = tl.program_id(0) * B + tl.arange(0, B)
    c = tl.program_id(1) * B + tl.arange(0, B)
    mask = (r[:, None] < rows) & (c[None, :] < cols)
    tile = tl.load(x_ptr + r[:, None] * cols + c[None, :], mask=mask)
    # <gap>
    #| tl.store(out_ptr + r[:, None] * cols + c[None, :], tile, mask=mask)  # TODO: where does (r, c) go in out?
    tl.store(out_ptr + c[None, :] * rows + r[:, None], tile, mask=mask)
    # </gap>


def tile_transpose(x, out):
    rows, cols = x.shape
    turn[(triton.cdiv(rows, 16), triton.cdiv(cols, 16))](x, out, rows, cols, B=16)
    return out
