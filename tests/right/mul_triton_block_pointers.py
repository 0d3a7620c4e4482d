# exercise: softmax_mul_triton
# unusual: tl.make_block_ptr for both tensors, a row kept in a tile of one row, where it fits; tiles beyond
# triton: below 3.9
import torch
import triton
import triton.language as tl

# Work: row per program
# Ledger: reads 4, writes 1


@triton.jit
def walk(x_ptr, w_ptr, y_ptr, cols, xs, ws, ys, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x_at = tl.make_block_ptr(x_ptr + row * xs, (cols,), (1,), (0,), (BLOCK,), (0,))
    top = -float("inf")
    for start in range(0, cols, BLOCK):
        v = tl.load(x_at, boundary_check=(0,), padding_option="zero").to(tl.float32)
        v = tl.where(start + tl.arange(0, BLOCK) < cols, v, -float("inf"))
        top = tl.maximum(top, tl.max(v, axis=0))
        x_at = tl.advance(x_at, (BLOCK,))
    x_at = tl.make_block_ptr(x_ptr + row * xs, (cols,), (1,), (0,), (BLOCK,), (0,))
    total = 0.0
    for start in range(0, cols, BLOCK):
        v = tl.load(x_at, boundary_check=(0,), padding_option="zero").to(tl.float32)
        total += tl.sum(tl.where(start + tl.arange(0, BLOCK) < cols, tl.exp(v - top), 0.0), axis=0)
        x_at = tl.advance(x_at, (BLOCK,))
    x_at = tl.make_block_ptr(x_ptr + row * xs, (cols,), (1,), (0,), (BLOCK,), (0,))
    w_at = tl.make_block_ptr(w_ptr + row * ws, (cols,), (1,), (0,), (BLOCK,), (0,))
    y_at = tl.make_block_ptr(y_ptr + row * ys, (cols,), (1,), (0,), (BLOCK,), (0,))
    for _ in range(0, cols, BLOCK):
        v = tl.load(x_at, boundary_check=(0,), padding_option="zero").to(tl.float32)
        u = tl.load(w_at, boundary_check=(0,), padding_option="zero").to(tl.float32)
        tl.store(y_at, (tl.exp(v - top) / total * u).to(y_ptr.dtype.element_ty), boundary_check=(0,))
        x_at = tl.advance(x_at, (BLOCK,))
        w_at = tl.advance(w_at, (BLOCK,))
        y_at = tl.advance(y_at, (BLOCK,))


def softmax_mul_triton(x, w, out=None):
    if out is None:
        out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    for t in (x, w, out):
        if t.ndim != 2 or (t.stride(1) != 1 and t.shape[1] > 1) or (t.dtype, t.shape) != (x.dtype, x.shape):
            raise ValueError("2-D, inner stride 1, all alike")
    if x.dtype not in (torch.float32, torch.float16, torch.bfloat16):
        raise ValueError(str(x.dtype))
    if x.numel() == 0:
        return out
    walk[(x.shape[0],)](x, w, out, x.shape[1], x.stride(0), w.stride(0), out.stride(0), BLOCK=1024)
    return out
