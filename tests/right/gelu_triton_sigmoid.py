# exercise: gelu_triton
# unusual: a sigmoid for the tanh; two axes of programs; a static_range over sub-tiles; any contiguous shape

import torch
import triton
import triton.language as tl


@triton.jit
def piece(x, EXACT: tl.constexpr):
    if EXACT:
        return 0.5 * x * (1.0 + tl.erf(0.7071067811865476 * x))
    return x * tl.sigmoid(1.5957691216057308 * (x + 0.044715 * x * x * x))


@triton.jit
def kernel(x_ptr, y_ptr, n, EXACT: tl.constexpr, PIECE: tl.constexpr, PIECES: tl.constexpr):
    program = tl.program_id(1).to(tl.int64) * tl.num_programs(0) + tl.program_id(0)
    for k in tl.static_range(PIECES):
        at = (program * PIECES + k) * PIECE + tl.arange(0, PIECE)
        x = tl.load(x_ptr + at, at < n, 0.0).to(tl.float32)
        tl.store(y_ptr + at, piece(x, EXACT).to(y_ptr.dtype.element_ty), at < n)


def gelu_triton(x, out=None, approximate=False):
    if out is None:
        out = torch.empty_like(x)
    n = x.numel()
    if n:
        programs = triton.cdiv(n, 4 * 256)
        across = min(programs, 1000)
        kernel[(across, triton.cdiv(programs, across))](x, out, n, not approximate, 256, 4)
    return out
