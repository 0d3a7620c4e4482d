# exercise: softmax_triton
# unusual: seven programs take rows in turn by tl.range over programs, whose number is widened in a helper's argument
import torch
import triton
import triton.language as tl


@triton.jit
def one(x_row, y_row, cols, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    top = tl.full((), -float("inf"), tl.float32)
    for start in tl.range(0, cols, BLOCK):
        x = tl.load(x_row + start + at, mask=start + at < cols, other=-float("inf")).to(tl.float32)
        top = tl.maximum(top, tl.max(x, 0))
    total = tl.zeros((), tl.float32)
    for start in tl.range(0, cols, BLOCK):
        x = tl.load(x_row + start + at, mask=start + at < cols, other=-float("inf")).to(tl.float32)
        total += tl.sum(tl.exp(x - top), 0)
    for start in tl.range(0, cols, BLOCK):
        x = tl.load(x_row + start + at, mask=start + at < cols, other=-float("inf")).to(tl.float32)
        tl.store(y_row + start + at, (tl.exp(x - top) / total).to(y_row.dtype.element_ty), mask=start + at < cols)


@triton.jit
def rows_in_turn(x_ptr, y_ptr, rows, cols, x_stride, y_stride, BLOCK: tl.constexpr):
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0)):
        one(x_ptr + row.to(tl.int64) * x_stride, y_ptr + row.to(tl.int64) * y_stride, cols, BLOCK)


def softmax_triton(x, out=None):
    out = torch.empty_like(x) if out is None else out
    rows, cols = x.shape
    if x.numel():
        programs = (min(rows, 7),)
        rows_in_turn[programs](x, out, rows, cols, x.stride(0), out.stride(0), BLOCK=512)
    return out
