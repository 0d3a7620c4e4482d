# exercise: softmax_triton
# bug: a tile of rows and columns is reduced along axis 0
# group: shapes
# caught: values, row-sum
import os

import torch
import triton
import triton.language as tl

INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"  # no GPU: the interpreter runs the kernels


@triton.jit
def tile(x_ptr, y_ptr, rows, cols, x_stride, y_stride, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    r = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    at = tl.arange(0, BLOCK)
    mask = (r[:, None] < rows) & (at[None, :] < cols)
    x = tl.load(x_ptr + r[:, None] * x_stride + at[None, :], mask=mask, other=-float("inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, axis=0)[None, :])
    tl.store(y_ptr + r[:, None] * y_stride + at[None, :], e / tl.sum(e, axis=0)[None, :], mask=mask)


@triton.jit
def online(x_ptr, y_ptr, cols, x_stride, y_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    top = -float("inf")
    total = 0.0
    for start in range(0, cols, BLOCK):
        x = tl.load(x_ptr + row * x_stride + start + at, mask=start + at < cols, other=-float("inf")).to(tl.float32)
        new_top = tl.maximum(top, tl.max(x))
        total = total * tl.exp(top - new_top) + tl.sum(tl.exp(x - new_top))
        top = new_top
    for start in range(0, cols, BLOCK):
        mask = start + at < cols
        x = tl.load(x_ptr + row * x_stride + start + at, mask=mask, other=-float("inf")).to(tl.float32)
        tl.store(y_ptr + row * y_stride + start + at, tl.exp(x - top) / total, mask=mask)


def softmax_triton(x: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
    """Softmax of each row of x; writes `out` and returns it."""
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
    if cols > 16384:
        online[(rows,)](x, out, cols, x.stride(0), out.stride(0), BLOCK=4096)
        return out
    BLOCK = triton.next_power_of_2(cols)
    ROWS = max(1, 1024 // BLOCK)
    tile[(triton.cdiv(rows, ROWS),)](x, out, rows, cols, x.stride(0), out.stride(0), ROWS=ROWS, BLOCK=BLOCK)
    return out
