"""Row softmax in Triton, for short rows and long ones: the wrapper chooses who shares a row.

Check:  python -m pytest tests/grading/test_triton_solutions.py -k regimes
Bench:  python -m audits.triton_sweep
Idea:   a tile may have two dimensions. Several short rows share a program, the rows of a tile (ROWS, BLOCK), and the
        reductions go along axis 1. A row beyond 32768 columns is cut into parts: one launch writes each part's maximum
        and sum, the next one joins them and writes the result. In between the single tile stays what it was.
But:    a long row is read twice, and where a row starts elsewhere than on 16 bytes the loads are narrow.
        softmax_triton.py has pieces and singles for the second, and a team that waits for each other for the first.
"""

# Work: row per program
# Ledger (tile): reads 1, writes 1
# Ledger (split): reads 2, writes 1

import torch
import triton
import triton.language as tl

LONGEST = 32768  # columns that a program holds
PART = 8192  # columns of a part of a longer row


@triton.jit
def tile(x_ptr, y_ptr, rows, cols, x_stride, y_stride, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)[:, None]
    at = tl.arange(0, BLOCK)[None, :]
    inside = (row < rows) & (at < cols)
    x = tl.load(x_ptr + row * x_stride + at, mask=inside, other=-float("inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, axis=1)[:, None])
    y = e / tl.sum(e, axis=1)[:, None]
    tl.store(y_ptr + row * y_stride + at, y.to(y_ptr.dtype.element_ty), mask=inside)


@triton.jit
def reduce_part(x_ptr, tops_ptr, totals_ptr, cols, x_stride, parts, PART: tl.constexpr):
    row = (tl.program_id(0) // parts).to(tl.int64)
    at = (tl.program_id(0) % parts).to(tl.int64) * PART + tl.arange(0, PART)
    x = tl.load(x_ptr + row * x_stride + at, mask=at < cols, other=-float("inf")).to(tl.float32)
    top = tl.max(x)
    offset = tl.where(top == -float("inf"), 0.0, top)  # -inf - -inf is NaN, and the part's sum must be 0
    tl.store(tops_ptr + tl.program_id(0), top)
    tl.store(totals_ptr + tl.program_id(0), tl.sum(tl.exp(x - offset)))


@triton.jit
def write_part(
    x_ptr, y_ptr, tops_ptr, totals_ptr, cols, x_stride, y_stride, parts, PARTS: tl.constexpr, PART: tl.constexpr
):
    row = (tl.program_id(0) // parts).to(tl.int64)
    every = tl.arange(0, PARTS)
    tops = tl.load(tops_ptr + row * parts + every, mask=every < parts, other=-float("inf"))
    totals = tl.load(totals_ptr + row * parts + every, mask=every < parts, other=0.0)
    top = tl.max(tops)
    offset = tl.where(top == -float("inf"), 0.0, top)
    total = tl.sum(totals * tl.exp(tops - offset))
    at = (tl.program_id(0) % parts).to(tl.int64) * PART + tl.arange(0, PART)
    x = tl.load(x_ptr + row * x_stride + at, mask=at < cols, other=-float("inf")).to(tl.float32)
    tl.store(y_ptr + row * y_stride + at, (tl.exp(x - top) / total).to(y_ptr.dtype.element_ty), mask=at < cols)


def triton_regimes(x: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
    """Softmax over the columns of x (rows, cols), inner stride 1, fp32, fp16 or bf16; writes `out` and returns it."""
    if out is None:
        out = torch.empty_like(x)
    rows, cols = x.shape
    if x.numel() and cols <= LONGEST:
        block = triton.next_power_of_2(cols)
        together = max(1, 1024 // block)  # rows of a program
        warps = min(32, max(1, together * block // 512))  # 16 elements a thread, or more
        grid = (triton.cdiv(rows, together),)
        tile[grid](x, out, rows, cols, x.stride(0), out.stride(0), ROWS=together, BLOCK=block, num_warps=warps)
    elif x.numel():
        parts = triton.cdiv(cols, PART)
        tops, totals = (torch.empty(rows * parts, dtype=torch.float32, device=x.device) for _ in range(2))
        reduce_part[(rows * parts,)](x, tops, totals, cols, x.stride(0), parts, PART=PART, num_warps=16)
        write_part[(rows * parts,)](x, out, tops, totals, cols, x.stride(0), out.stride(0), parts,
                                    PARTS=triton.next_power_of_2(parts), PART=PART, num_warps=16)  # fmt: skip
    return out
