"""Row softmax in Triton, online: maximum and sum in one pass, the result in a second.

Check:  python -m pytest tests/grading/test_triton_solutions.py -k online
Bench:  python -m audits.triton_sweep
Idea:   keep a running maximum and the sum of exp(x - maximum). When the maximum grows from m to n, what has been summed
        is too large by exp(n - m): multiply it by exp(m - n) and go on (Milakov and Gimelshein, arXiv:1805.02867).
        The second pass walks backwards: the columns that the first one read last are the likeliest to be in L2.
But:    the row is still read twice, although a row of a few thousand columns fits in the program's registers.
"""

# Work: row per program
# Ledger: reads 2, writes 1

import torch
import triton
import triton.language as tl


@triton.jit
def online(x_ptr, y_ptr, cols, x_stride, y_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x_row = x_ptr + row * x_stride
    y_row = y_ptr + row * y_stride
    top = -float("inf")
    total = 0.0
    for begin in range(0, cols, BLOCK):
        at = begin + tl.arange(0, BLOCK)
        x = tl.load(x_row + at, mask=at < cols, other=-float("inf")).to(tl.float32)
        new_top = tl.maximum(top, tl.max(x))
        # While all that was seen is -inf, subtract 0 instead: -inf - -inf is NaN, and the sum must stay 0.
        offset = tl.where(new_top == -float("inf"), 0.0, new_top)
        total = total * tl.exp(top - offset) + tl.sum(tl.exp(x - offset))
        top = new_top
    last = (cols - 1) // BLOCK * BLOCK
    for done in range(0, cols, BLOCK):
        at = last - done + tl.arange(0, BLOCK)
        x = tl.load(x_row + at, mask=at < cols, other=-float("inf")).to(tl.float32)
        tl.store(y_row + at, (tl.exp(x - top) / total).to(y_ptr.dtype.element_ty), mask=at < cols)


def triton_online(x: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
    """Softmax over the columns of x (rows, cols), inner stride 1, fp32, fp16 or bf16; writes `out` and returns it."""
    if out is None:
        out = torch.empty_like(x)
    rows, cols = x.shape
    if x.numel():
        online[(rows,)](x, out, cols, x.stride(0), out.stride(0), BLOCK=1024, num_warps=4)
    return out
