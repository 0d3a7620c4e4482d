"""Row softmax in Triton, one tile: the row is loaded once and stays in the program's registers.

Check:  python -m pytest tests/grading/test_triton_solutions.py -k single_tile
Bench:  python -m audits.triton_sweep
Idea:   make BLOCK the next power of two above the row. One load, one maximum, one sum, one store, no loop. The size
        of a tile is a compile-time constant, so each power of two is a kernel of its own, compiled at its first call.
But:    a short row leaves most of the program idle, a long one does not fit: above 32768 columns the registers run out
        and the tile spills to memory. softmax_triton.py gives short rows company and long rows several programs.
"""

# Work: row per program
# Ledger: reads 1, writes 1

import torch
import triton
import triton.language as tl


@triton.jit
def single_tile(x_ptr, y_ptr, cols, x_stride, y_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + at, mask=at < cols, other=-float("inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x))
    y = e / tl.sum(e)
    tl.store(y_ptr + row * y_stride + at, y.to(y_ptr.dtype.element_ty), mask=at < cols)


def triton_single_tile(x: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
    """Softmax over the columns of x (rows, cols), inner stride 1, fp32, fp16 or bf16; writes `out` and returns it."""
    if out is None:
        out = torch.empty_like(x)
    rows, cols = x.shape
    if x.numel():
        block = triton.next_power_of_2(cols)
        warps = min(32, max(1, block // 512))  # 16 elements a thread
        single_tile[(rows,)](x, out, cols, x.stride(0), out.stride(0), BLOCK=block, num_warps=warps)
    return out
