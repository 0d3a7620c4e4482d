"""GeLU in Triton, exactly or by tanh. Borja's version.

Check:  onekernel check gelu_triton

What I learnt: the whole of gelu.cu is one line of arithmetic here, and the slots, the skew and the ragged ends are one
        mask. tl.erf is there; tl.tanh is not, so the other form is x times a sigmoid, as in my CUDA kernel.
But:    every load has a mask, and `onekernel compile` says what that costs: loads of 4 bytes unless n is divisible by
        16. I left it there; the starter's advice, tiles that begin on a boundary and have no mask, I have not followed.
"""

# Ledger: reads 1, writes 1

from __future__ import annotations

import torch
import triton
import triton.language as tl

BLOCK = 1024  # elements per program: 8 for each thread of 4 warps, 16 bytes of bf16


@triton.jit
def gelu_tile(x_ptr, y_ptr, n, APPROXIMATE: tl.constexpr, BLOCK: tl.constexpr):
    """One program, BLOCK elements; APPROXIMATE: the form with tanh."""
    # int64 first, as in my softmax: program * BLOCK ends at 2**31 otherwise
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n).to(tl.float32)  # no `other`: nobody reads what does not exist
    if APPROXIMATE:
        u = 0.7978845608028654 * (x + 0.044715 * x * x * x)
        y = x / (1.0 + tl.exp(-2.0 * u))
    else:
        y = 0.5 * x * (1.0 + tl.erf(x * 0.7071067811865476))
    tl.store(y_ptr + i, y.to(y_ptr.dtype.element_ty), mask=i < n)


def gelu_triton(x: torch.Tensor, out: torch.Tensor | None = None, approximate: bool = False) -> torch.Tensor:
    """GeLU of a contiguous x of any shape, fp32, fp16 or bf16; writes `out` and returns it.

    `out` is like x, contiguous; it may be x itself. `approximate`: the form with tanh. Raises ValueError for others.
    """
    if out is None:
        out = torch.empty_like(x)
    if not (x.is_contiguous() and out.is_contiguous()):
        raise ValueError(f"gelu_triton wants contiguous tensors, not strides of {x.stride()} and {out.stride()}")
    if x.dtype not in (torch.float32, torch.float16, torch.bfloat16) or (x.dtype, x.shape) != (out.dtype, out.shape):
        raise ValueError(f"gelu_triton wants fp32, fp16 or bf16, out like x; not {x.dtype} and {out.dtype}")
    if x.numel() == 0:
        return out
    gelu_tile[(triton.cdiv(x.numel(), BLOCK),)](x, out, x.numel(), APPROXIMATE=approximate, BLOCK=BLOCK)
    return out
