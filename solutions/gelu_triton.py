"""GeLU in Triton, exactly or by tanh: any number of elements at any address, fp32, fp16 and bf16.

Check:  onekernel check gelu_triton
Bench:  python bench/fusion.py
Idea:   a chain of elementwise operators is one expression on a tile: the compiler keeps what is between them in
        registers. It makes 16-byte accesses of a load only where it can prove the address and where no mask divides a
        vector.
        # <gap>
        So tiles begin on a boundary that lies before the tensor, and those that lie in it whole have no mask.
But:    where x and y begin at different distances from a boundary, y's is taken, and x is read element by element.
        # </gap>
"""

# Ledger: reads 1, writes 1

from __future__ import annotations

import os

import torch
import triton
import triton.language as tl

INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"  # no GPU: the interpreter runs the kernel


# <gap>
#| @triton.jit
#| def gelu_tile(x_ptr, y_ptr, n, APPROXIMATE: tl.constexpr, BLOCK: tl.constexpr):
#|     """One program, BLOCK elements; APPROXIMATE: the form with tanh."""
#|     # TODO: the offsets of this program's elements, and which of them exist; load them, masked, and widen to float32.
#|     # TODO: the whole formula as one expression (tl.erf, or tanh by tl.exp); narrow, and store with the same mask.
#|
#|
WARPS = 8
BYTES = 4096  # of a tile: a vector of 16 bytes for each thread
LINE = 128  # bytes of a cache line
SLOPE = tl.constexpr(-2.3022082)  # -2 * sqrt(2 / pi) * log2(e)
CUBIC = tl.constexpr(-2.3022082 * 0.044715)


@triton.jit
def slope(x2, APPROXIMATE: tl.constexpr):
    """log2(Phi(-x) / Phi(x)) / x from x * x. Both forms of Phi are 1 / (1 + 2**(x * slope)).

    The tanh's is a line. The exact one is a polynomial: least weighted error over |x| <= 5.5, where gelu comes out
    within 1e-6 of itself and 2e-8 of x; beyond, Phi is 0 or 1 to float32's precision.
    """
    if APPROXIMATE:
        return x2 * CUBIC + SLOPE
    s = tl.minimum(x2, 30.25)
    p = s * -5.24677546e-9 + 3.85494531e-7
    p = p * s - 1.14358791e-5
    p = p * s + 1.59051866e-4
    p = p * s + 9.7643242e-5
    p = p * s - 0.104843006
    return p * s - 2.30220461


@triton.jit
def gelu_of(x, APPROXIMATE: tl.constexpr):
    """x * Phi(x) of float32: one exponential, one division, and nothing cancels below 0."""
    return x / (1.0 + tl.exp2(x * slope(x * x, APPROXIMATE)))


@triton.jit
def gelu_tile(
    x_ptr,
    y_ptr,
    n,
    phase,  # how many elements y starts after the boundary of a cache line
    ALIKE: tl.constexpr,  # whether x lies on multiples of 16 bytes where y does
    APPROXIMATE: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """One program, BLOCK elements from the boundary of a cache line of y on."""
    start = tl.program_id(0).to(tl.int64) * BLOCK
    at = tl.arange(0, BLOCK)
    y_tile = tl.multiple_of(y_ptr - phase, 16) + start + at
    x_tile = (tl.multiple_of(x_ptr - phase, 16) if ALIKE else x_ptr - phase) + start + at
    if (start >= phase) & (start + BLOCK <= n + phase):
        x = tl.load(x_tile).to(tl.float32)
        tl.store(y_tile, gelu_of(x, APPROXIMATE).to(y_ptr.dtype.element_ty))
    else:
        exists = (start + at >= phase) & (start + at < n + phase)
        x = tl.load(x_tile, mask=exists, other=0.0).to(tl.float32)
        tl.store(y_tile, gelu_of(x, APPROXIMATE).to(y_ptr.dtype.element_ty), mask=exists)


# Triton finds a kernel anew at each call, which takes the host longer than a short kernel runs. Tensors of the same
# length, type and alignment get the kernel that the first of them got, called directly.
LAUNCHES: dict = {}
MOST_LAUNCHES = 4096  # remembered; then they are forgotten, all at once


def launch_first(x: torch.Tensor, out: torch.Tensor, approximate: bool, key: tuple) -> None:
    """Launches, and remembers how."""
    n, size = x.numel(), x.element_size()
    phase, block = out.data_ptr() % LINE // size, BYTES // size
    grid = (triton.cdiv(n + phase, block), 1, 1)
    values = (n, phase, x.data_ptr() % 16 == out.data_ptr() % 16, approximate, block)
    kernel = gelu_tile[grid](x, out, *values, num_warps=WARPS)
    if x.get_device() >= 0:
        if len(LAUNCHES) >= MOST_LAUNCHES:
            LAUNCHES.clear()
        LAUNCHES[key] = (kernel[grid], values)


# </gap>
def gelu_triton(x: torch.Tensor, out: torch.Tensor | None = None, approximate: bool = False) -> torch.Tensor:
    """GeLU of a contiguous x of any shape, fp32, fp16 or bf16; writes `out` and returns it.

    `out` is like x, contiguous; it may be x itself. `approximate`: the form with tanh. Raises ValueError for others.
    """
    if out is None:
        out = torch.empty_like(x)
    # <gap>
    approximate = bool(approximate)
    device = x.get_device()  # -1: not on a GPU
    places = x.data_ptr() % LINE, out.data_ptr() % LINE, device, out.get_device()
    key = (x.shape, x.stride(), x.dtype, out.shape, out.stride(), out.dtype, approximate, *places)
    again = LAUNCHES.get(key)
    if again and device == torch.cuda.current_device():
        start, values = again
        start(x, out, *values)
        return out
    # </gap>
    if not (x.is_contiguous() and out.is_contiguous()):
        raise ValueError(f"gelu_triton wants contiguous tensors, not strides of {x.stride()} and {out.stride()}")
    if x.dtype not in (torch.float32, torch.float16, torch.bfloat16) or (x.dtype, x.shape) != (out.dtype, out.shape):
        raise ValueError(f"gelu_triton wants fp32, fp16 or bf16, out like x; not {x.dtype} and {out.dtype}")
    if x.numel() == 0:
        return out
    # <gap>
    #| # TODO: choose BLOCK (a power of two), and launch `gelu_tile` on a grid of one program per BLOCK elements.
    if x.device != out.device:
        raise ValueError(f"gelu_triton wants x and out on one device, not {x.device} and {out.device}")
    if device >= 0:
        with torch.cuda.device(device):  # a kernel is launched on the current device, wherever its tensors are
            launch_first(x, out, approximate, key)
    else:
        launch_first(x, out, approximate, key)
    # </gap>
    return out
