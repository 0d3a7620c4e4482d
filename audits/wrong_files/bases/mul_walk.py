"""softmax(x) * w in Triton: a row per program, in a tile if it has up to 8192 columns, in steps otherwise."""

import torch
import triton
import triton.language as tl


@triton.jit
def whole(x_ptr, w_ptr, y_ptr, cols, xs, ws, ys, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, BLOCK)
    m = c < cols
    x = tl.load(x_ptr + row * xs + c, mask=m, other=float("-inf")).to(tl.float32)
    w = tl.load(w_ptr + row * ws + c, mask=m, other=0.0).to(tl.float32)
    e = tl.exp(x - tl.max(x, 0))
    p = e / tl.sum(e, 0)
    tl.store(y_ptr + row * ys + c, (p * w).to(y_ptr.dtype.element_ty), mask=m)


@triton.jit
def stepwise(x_ptr, w_ptr, y_ptr, cols, xs, ws, ys, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * xs
    w_ptr += row * ws
    y_ptr += row * ys
    top = float("-inf")
    total = 0.0
    for start in range(0, cols, BLOCK):
        c = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + c, mask=c < cols, other=float("-inf")).to(tl.float32)
        higher = tl.maximum(top, tl.max(x, 0))
        safe = tl.where(higher == float("-inf"), 0.0, higher)
        total = total * tl.exp(top - safe) + tl.sum(tl.exp(x - safe), 0)
        top = higher
    for start in range(0, cols, BLOCK):
        c = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + c, mask=c < cols, other=float("-inf")).to(tl.float32)
        w = tl.load(w_ptr + c, mask=c < cols, other=0.0).to(tl.float32)
        tl.store(y_ptr + c, (tl.exp(x - top) / total * w).to(y_ptr.dtype.element_ty), mask=c < cols)


def softmax_mul_triton(x: torch.Tensor, w: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
    if out is None:
        out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    rows, cols = x.shape
    if rows == 0 or cols == 0:
        return out
    kernel, block = (whole, triton.next_power_of_2(cols)) if cols <= 8192 else (stepwise, 4096)
    kernel[(rows,)](x, w, out, cols, x.stride(0), w.stride(0), out.stride(0), BLOCK=block)
    return out
