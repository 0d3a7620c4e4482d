"""out[r][c] = a[r] * b[c], in one program with a tile of two dimensions."""

import triton
import triton.language as tl


@triton.jit
def outer_kernel(a_ptr, b_ptr, out_ptr, rows, cols, R: tl.constexpr, C: tl.constexpr):
    r = tl.arange(0, R)
    c = tl.arange(0, C)
    a = tl.load(a_ptr + r, mask=r < rows, other=0.0)
    b = tl.load(b_ptr + c, mask=c < cols, other=0.0)
    # <gap>
    #| tl.store(out_ptr + r, a, mask=r < 0)  # TODO: three R x C tiles: the products, their pointers, and a mask
    mask = (r[:, None] < rows) & (c[None, :] < cols)
    tl.store(out_ptr + r[:, None] * cols + c[None, :], a[:, None] * b[None, :], mask=mask)
    # </gap>


def outer(a, b, out):
    rows, cols = out.shape
    R, C = triton.next_power_of_2(rows), triton.next_power_of_2(cols)
    outer_kernel[(1,)](a, b, out, rows, cols, R=R, C=C)
    return out
