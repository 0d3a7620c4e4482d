# exercise: gelu_triton
# unusual: a block pointer with boundary checks, a helper with a constexpr branch, a persistent loop over tiles
import torch
import triton
import triton.language as tl


@triton.jit
def formula(v, APPROXIMATE: tl.constexpr):
    if APPROXIMATE:
        return v * tl.sigmoid(1.5957691216057308 * (v + 0.044715 * v * v * v))
    return 0.5 * v * (1.0 + tl.math.erf(v * 0.7071067811865476))


@triton.jit
def persistent(x_ptr, y_ptr, n, APPROXIMATE: tl.constexpr, BLOCK: tl.constexpr):
    for tile in range(tl.program_id(0), tl.cdiv(n, BLOCK), tl.num_programs(0)):
        at = tile.to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
        v = tl.load(x_ptr + at, mask=at < n, other=0.0).to(tl.float32)
        tl.store(y_ptr + at, formula(v, APPROXIMATE).to(y_ptr.dtype.element_ty), mask=at < n)


def gelu_triton(x, out=None, approximate=False):
    if out is None:
        out = torch.empty_like(x)
    if not (x.is_contiguous() and out.is_contiguous()) or (x.dtype, x.shape) != (out.dtype, out.shape):
        raise ValueError("contiguous tensors, alike")
    if x.dtype not in (torch.float32, torch.float16, torch.bfloat16):
        raise ValueError(str(x.dtype))
    n = x.numel()
    if n == 0:
        return out
    persistent[(min(7, triton.cdiv(n, 512)),)](x, out, n, bool(approximate), BLOCK=512)
    return out
