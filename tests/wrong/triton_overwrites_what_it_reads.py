# exercise: softmax_triton
# bug: with its input as its output, it reads exponentials that it has stored where x was
# group: shapes
# caught: values
import torch
import triton
import triton.language as tl


@triton.jit
def walk(x_ptr, y_ptr, n_cols, x_stride, y_stride, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(0).to(tl.int64)
    x_row = x_ptr + pid * x_stride
    y_row = y_ptr + pid * y_stride
    offsets = tl.arange(0, BLOCK_SIZE)
    m = -float("inf")
    for start in range(0, n_cols, BLOCK_SIZE):
        v = tl.load(x_row + start + offsets, mask=start + offsets < n_cols, other=-float("inf")).to(tl.float32)
        m = tl.maximum(m, tl.max(v, axis=0))
        tl.store(y_row + start + offsets, v.to(y_ptr.dtype.element_ty), mask=start + offsets < n_cols)
    d = 0.0
    for start in range(0, n_cols, BLOCK_SIZE):
        v = tl.load(x_row + start + offsets, mask=start + offsets < n_cols, other=-float("inf")).to(tl.float32)
        d += tl.sum(tl.exp(v - m), axis=0)
        tl.store(y_row + start + offsets, tl.exp(v - m).to(y_ptr.dtype.element_ty), mask=start + offsets < n_cols)
    for start in range(0, n_cols, BLOCK_SIZE):
        v = tl.load(x_row + start + offsets, mask=start + offsets < n_cols, other=-float("inf")).to(tl.float32)
        p = tl.exp(v - m) / d
        tl.store(y_row + start + offsets, p.to(y_ptr.dtype.element_ty), mask=start + offsets < n_cols)


def softmax_triton(x, out=None):
    if out is None:
        out = torch.empty_like(x)
    rows, n_cols = x.shape
    if x.numel() == 0:
        return out
    walk[(rows,)](x, out, n_cols, x.stride(0), out.stride(0), BLOCK_SIZE=1024, num_warps=4)
    return out
