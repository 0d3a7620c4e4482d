# exercise: softmax_triton
# bug: the hook of the configurations clears one sum of many before the autotuner times the kernel that adds to them
# group: shapes
# caught: autotune-runs
import torch
import triton
import triton.language as tl


@triton.jit
def maxima(x_ptr, top_ptr, cols, x_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    top = -float("inf")
    for start in range(0, cols, BLOCK):
        at = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * x_stride + at, mask=at < cols, other=-float("inf")).to(tl.float32)
        top = tl.maximum(top, tl.max(x, axis=0))
    tl.store(top_ptr + row, top)


def clear(args):
    args["sum_ptr"][:1].zero_()


@triton.autotune([triton.Config({"BLOCK": b}, pre_hook=clear) for b in (128, 256)], key=["cols"])
@triton.jit
def sums(x_ptr, top_ptr, sum_ptr, cols, x_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    top = tl.load(top_ptr + row)
    x = tl.load(x_ptr + row * x_stride + at, mask=at < cols, other=-float("inf")).to(tl.float32)
    tl.atomic_add(sum_ptr + row, tl.sum(tl.exp(x - top), axis=0))


@triton.jit
def divide(x_ptr, y_ptr, top_ptr, sum_ptr, cols, x_stride, y_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + at, mask=at < cols, other=0.0).to(tl.float32)
    y = tl.exp(x - tl.load(top_ptr + row)) / tl.load(sum_ptr + row)
    tl.store(y_ptr + row * y_stride + at, y, mask=at < cols)


def softmax_triton(x, out=None):
    y = torch.empty_like(x) if out is None else out
    rows, cols = x.shape
    if rows and cols:
        top = torch.empty(rows, dtype=torch.float32, device=x.device)
        total = torch.zeros(rows, dtype=torch.float32, device=x.device)
        maxima[(rows,)](x, top, cols, x.stride(0), BLOCK=256)
        sums[lambda meta: (rows, triton.cdiv(cols, meta["BLOCK"]))](x, top, total, cols, x.stride(0))
        divide[(rows, triton.cdiv(cols, 256))](x, y, top, total, cols, x.stride(0), y.stride(0), BLOCK=256)
    return y
