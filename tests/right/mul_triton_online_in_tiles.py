# exercise: softmax_mul_triton
# unusual: maximum and sum online, lane by lane of a tile of 256, joined once behind the loop; a second loop multiplies
import torch
import triton
import triton.language as tl


@triton.jit
def online(x_ptr, w_ptr, y_ptr, cols, x_stride, w_stride, y_stride, TILE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    lanes = tl.arange(0, TILE)
    tops = tl.full([TILE], float("-inf"), tl.float32)
    sums = tl.zeros([TILE], tl.float32)
    first = tl.program_id(0).to(tl.int64) * 0
    while first < cols:
        at = first + lanes
        v = tl.load(x_ptr + row * x_stride + at, mask=at < cols, other=float("-inf")).to(tl.float32)
        higher = tl.where(v > tops, v, tops)
        base = tl.where(higher == float("-inf"), 0.0, higher)
        sums = sums * tl.exp(tops - base) + tl.exp(v - base)
        tops = higher
        first += TILE
    top = tl.max(tops, 0)
    total = tl.sum(tl.where(tops == float("-inf"), sums, sums * tl.exp(tops - top)), 0)
    first = row * 0
    while first < cols:
        at = first + lanes
        inside = at < cols
        v = tl.load(x_ptr + row * x_stride + at, mask=inside).to(tl.float32)
        w = tl.load(w_ptr + row * w_stride + at, mask=inside).to(tl.float32)
        y = tl.exp(v - top) / total * w
        tl.store(y_ptr + row * y_stride + at, y.to(y_ptr.dtype.element_ty), mask=inside)
        first += TILE


def softmax_mul_triton(x, w, out=None):
    if out is None:
        out = torch.empty_like(x)
    rows, cols = x.shape
    if rows and cols:
        online[(rows,)](x, w, out, cols, x.stride(0), w.stride(0), out.stride(0), TILE=256)
    return out
