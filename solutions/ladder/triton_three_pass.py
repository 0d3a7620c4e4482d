"""Row softmax in Triton, three passes over the row: maximum, sum, result.

Check:  python -m pytest tests/grading/test_triton_solutions.py -k three_pass
Bench:  python -m audits.triton_sweep
Idea:   a program owns a row and walks it in tiles of BLOCK columns. There is no thread index, no shared memory and no
        barrier in the source: tl.max and tl.sum are where the compiler puts them.
But:    the row is read three times, and each element's exponential is computed twice.
"""

# Work: row per program
# Ledger: reads 3, writes 1

import torch
import triton
import triton.language as tl


@triton.jit
def three_pass(x_ptr, y_ptr, cols, x_stride, y_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)  # 64 bits: row * stride may pass 2**31
    x_row = x_ptr + row * x_stride
    y_row = y_ptr + row * y_stride
    top = -float("inf")
    for begin in range(0, cols, BLOCK):
        at = begin + tl.arange(0, BLOCK)
        x = tl.load(x_row + at, mask=at < cols, other=-float("inf")).to(tl.float32)
        top = tl.maximum(top, tl.max(x))
    total = 0.0
    for begin in range(0, cols, BLOCK):
        at = begin + tl.arange(0, BLOCK)
        x = tl.load(x_row + at, mask=at < cols, other=-float("inf")).to(tl.float32)
        total += tl.sum(tl.exp(x - top))
    for begin in range(0, cols, BLOCK):
        at = begin + tl.arange(0, BLOCK)
        x = tl.load(x_row + at, mask=at < cols, other=-float("inf")).to(tl.float32)
        tl.store(y_row + at, (tl.exp(x - top) / total).to(y_ptr.dtype.element_ty), mask=at < cols)


def triton_three_pass(x: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
    """Softmax over the columns of x (rows, cols), inner stride 1, fp32, fp16 or bf16; writes `out` and returns it."""
    if out is None:
        out = torch.empty_like(x)
    rows, cols = x.shape
    if x.numel():
        three_pass[(rows,)](x, out, cols, x.stride(0), out.stride(0), BLOCK=1024, num_warps=4)
    return out
