"""Softmax in Triton: a tile that holds the row, tuned among those that do; longer rows in steps."""

import torch
import triton
import triton.language as tl


def long_enough(configs, named_args, **kwargs):
    return [c for c in configs if c.kwargs["BLOCK"] >= named_args["cols"]]


@triton.autotune(
    configs=[
        triton.Config({"BLOCK": 1024}, num_warps=4),  # short rows: registers for all of it
        triton.Config({"BLOCK": 4096}, num_warps=8),  # middle ones: more warps, so that none spills
        triton.Config({"BLOCK": 16384}, num_warps=16),  # what a program can still hold
    ],
    key=["cols"],
    prune_configs_by={"early_config_prune": long_enough},
)
@triton.jit
def tile(x_ptr, y_ptr, cols, x_stride, y_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + c, mask=c < cols, other=-float("inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * y_stride + c, (e / tl.sum(e, axis=0)).to(y_ptr.dtype.element_ty), mask=c < cols)


@triton.jit
def steps(x_ptr, y_ptr, cols, x_stride, y_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * x_stride
    y_ptr += row * y_stride
    tops = tl.full((BLOCK,), -float("inf"), tl.float32)
    for start in range(0, cols, BLOCK):
        c = start + tl.arange(0, BLOCK)
        tops = tl.maximum(tops, tl.load(x_ptr + c, mask=c < cols, other=-float("inf")).to(tl.float32))
    top = tl.max(tops, axis=0)
    sums = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, cols, BLOCK):
        c = start + tl.arange(0, BLOCK)
        sums += tl.exp(tl.load(x_ptr + c, mask=c < cols, other=-float("inf")).to(tl.float32) - top)
    total = tl.sum(sums, axis=0)
    for start in range(0, cols, BLOCK):
        c = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + c, mask=c < cols, other=-float("inf")).to(tl.float32)
        tl.store(y_ptr + c, (tl.exp(x - top) / total).to(y_ptr.dtype.element_ty), mask=c < cols)


def softmax_triton(x: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
    y = torch.empty(x.shape, dtype=x.dtype, device=x.device) if out is None else out
    rows, cols = x.shape
    if rows == 0 or cols == 0:
        return y
    if cols <= 16384:
        tile[(rows,)](x, y, cols, x.stride(0), y.stride(0))
    else:
        steps[(rows,)](x, y, cols, x.stride(0), y.stride(0), BLOCK=8192)
    return y
