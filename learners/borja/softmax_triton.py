"""Row softmax in Triton. Borja's version, lab 03: one tile where the row fits, an online loop where it does not.

Check:  onekernel check softmax_triton

What I learnt: this is NumPy with a mask. My 150 lines of CUDA are 12 here, and what is gone is what I had just learnt:
    blockIdx * blockDim + threadIdx, the stride loops   ->  tl.program_id and tl.arange
    __shfl_xor_sync, of_warp[], __syncthreads()         ->  inside tl.max and tl.sum
    Pack<T> and the cast to it                          ->  the compiler decides, if it can prove the alignment
But:    it cannot prove it for rows of 4095 columns, and I did not help it (the solution does). `onekernel compile`
        shows loads of 4 bytes there. To my surprise also for 1000 columns, though 4000 bytes are a multiple of 16:
        Triton only notes which integers are divisible by 16, and 1000 is not. At 4096 all loads are 16 bytes wide.
"""

# Ledger (up to 16384 columns): reads 1, writes 1
# Ledger (longer rows): reads 2, writes 1

import torch
import triton
import triton.language as tl

LONGEST_TILE = 16384  # with 16 warps that is 32 elements a thread, the share that my CUDA kernel had, too
STEP = 4096  # the tile of the online loop: it need not hold a row, so it can be small


@triton.jit
def whole_rows(
    x_ptr, y_ptr, rows, cols, x_stride, y_stride, ROWS: tl.constexpr, BLOCK: tl.constexpr, num_warps: tl.constexpr
):
    """A tile of (ROWS, BLOCK): one long row, or several short ones so that 128 threads have something to do."""
    # int64 first: row * stride is an int32 product otherwise, and that ends at 2**31
    row = (tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS))[:, None]
    col = tl.arange(0, BLOCK)[None, :]
    there = (row < rows) & (col < cols)
    # other=-inf: the number that changes neither a maximum nor a sum of exponentials. With other=0 a row of negative
    # numbers would get a wrong maximum, and I would have noticed only on such a row.
    x = tl.load(x_ptr + row * x_stride + col, mask=there, other=-float("inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, axis=1, keep_dims=True))
    y = e / tl.sum(e, axis=1, keep_dims=True)
    tl.store(y_ptr + row * y_stride + col, y.to(y_ptr.dtype.element_ty), mask=there)


# Three configurations, all of the same tile. 4 warps: 32 elements a thread, few shuffles. 8: the middle. 16: 8 elements
# a thread, more warps to hide the waiting in a loop that needs each tile's maximum before it can go on.
@triton.autotune(configs=[triton.Config({}, num_warps=w) for w in (8, 4, 16)], key=["cols"])
@triton.jit
def online(x_ptr, y_ptr, cols, x_stride, y_stride, STEP: tl.constexpr):
    """One program, one row too long for a tile: (maximum, sum) tile by tile, then a second look for the output."""
    row = tl.program_id(0).to(tl.int64)
    x_row = x_ptr + row * x_stride
    y_row = y_ptr + row * y_stride
    col = tl.arange(0, STEP)

    top = tl.full((), -float("inf"), tl.float32)
    total = tl.full((), 0.0, tl.float32)
    for start in range(0, cols, STEP):
        x = tl.load(x_row + start + col, mask=start + col < cols, other=-float("inf")).to(tl.float32)
        new = tl.maximum(top, tl.max(x))
        # As in CUDA: -inf - (-inf) is NaN, so a row that begins with -inf is measured from 0 until a number comes.
        base = tl.where(new == -float("inf"), 0.0, new)
        total = total * tl.exp(top - base) + tl.sum(tl.exp(x - base))
        top = new

    for start in range(0, cols, STEP):
        x = tl.load(x_row + start + col, mask=start + col < cols, other=-float("inf")).to(tl.float32)
        y = tl.exp(x - top) / total
        tl.store(y_row + start + col, y.to(y_ptr.dtype.element_ty), mask=start + col < cols)


def softmax_triton(x: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
    """Softmax over the columns of x (rows, cols), fp32, fp16 or bf16, inner stride 1; writes `out` and returns it."""
    if out is None:
        out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    for t in (x, out):
        if t.ndim != 2 or (t.stride(1) != 1 and t.shape[1] > 1):
            raise ValueError(f"softmax_triton wants 2-D tensors of inner stride 1, not {tuple(t.shape)}, {t.stride()}")
    if x.dtype not in (torch.float32, torch.float16, torch.bfloat16) or (x.dtype, x.shape) != (out.dtype, out.shape):
        raise ValueError(f"softmax_triton wants fp32, fp16 or bf16, out like x; not {x.dtype} and {out.dtype}")
    if x.numel() == 0:
        return out
    rows, cols = x.shape
    if cols > LONGEST_TILE:
        online[(rows,)](x, out, cols, x.stride(0), out.stride(0), STEP=STEP)
        return out
    block = triton.next_power_of_2(cols)
    together = max(1, 2048 // block)  # a program has at least 2048 elements: 16 for each thread of 4 warps
    warps = min(16, max(4, block // 1024))
    grid = (triton.cdiv(rows, together),)
    whole_rows[grid](x, out, rows, cols, x.stride(0), out.stride(0), ROWS=together, BLOCK=block, num_warps=warps)
    return out
