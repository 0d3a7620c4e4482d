# exercise: softmax_triton
# unusual: several rows of a short matrix in a program, through block pointers; autotuned with a key of the columns
# triton: below 3.9

import torch
import triton
import triton.language as tl


@triton.autotune([triton.Config({"ROWS": r}, num_warps=w) for r, w in ((1, 4), (4, 4), (8, 2))], key=["cols"])
@triton.jit
def tiles(x_ptr, y_ptr, rows, cols, x_stride, y_stride, ROWS: tl.constexpr, COLS: tl.constexpr):
    first = tl.program_id(0) * ROWS
    source = tl.make_block_ptr(x_ptr, (rows, cols), (x_stride, 1), (first, 0), (ROWS, COLS), (1, 0))
    target = tl.make_block_ptr(y_ptr, (rows, cols), (y_stride, 1), (first, 0), (ROWS, COLS), (1, 0))
    x = tl.load(source, boundary_check=(0, 1), padding_option="zero").to(tl.float32)
    there = (tl.arange(0, COLS) < cols)[None, :]
    x = tl.where(there, x, -float("inf"))
    e = tl.exp(x - tl.max(x, axis=1, keep_dims=True))
    y = e / tl.sum(e, axis=1, keep_dims=True)
    tl.store(target, y.to(y_ptr.dtype.element_ty), boundary_check=(0, 1))


def softmax_triton(x, out=None):
    out = torch.empty_like(x) if out is None else out
    rows, cols = x.shape
    if x.numel():

        def grid(meta):
            return (triton.cdiv(rows, meta["ROWS"]),)

        tiles[grid](x, out, rows, cols, x.stride(0), out.stride(0), COLS=triton.next_power_of_2(cols))
    return out
