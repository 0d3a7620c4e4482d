"""out[r] = the largest element of row r. It is right on most rows, and wrong on these."""

import triton
import triton.language as tl


@triton.jit
def largest(x_ptr, out_ptr, cols, C: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, C)
    x = tl.load(x_ptr + row * cols + c, mask=c < cols, other=0.0)
    tl.store(out_ptr + row, tl.max(x, axis=0))


def row_max(x, out):
    rows, cols = x.shape
    largest[(rows,)](x, out, cols, C=triton.next_power_of_2(cols + 1))
    return out
