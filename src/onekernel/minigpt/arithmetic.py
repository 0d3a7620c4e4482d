"""Operators whose fp64 results have the same bytes on NumPy, torch (CPU and CUDA) and CuPy.

IEEE 754 fixes the bytes of +, -, *, / and, of what a library gives a model, of little else. So everything here is made
of those four, of comparisons and of moves of bits, in an order that this file fixes:

- a sum is a halving tree: the second half of the list is added to the first until one number is left;
- a matrix product is all the products, then that tree (a library's `sum` and `matmul` choose their own order);
- exp and tanh are a reduction, a polynomial and a scaling by a power of two; sqrt is Heron's rule, corrected exactly.

No step multiplies and adds in one instruction: each operation below is a call of its own on whole arrays, and a library
cannot fuse across calls. For the same reason `addcmul`, `lerp`, `einsum` and torch.compile stay out. Two traps:
torch on CUDA turns `x / 96` into `x * (1 / 96)` when the divisor is a Python number (pytorch,
aten/src/ATen/native/cuda/BinaryDivTrueKernel.cu), so divisors are arrays here; and `torch.sqrt` on a CPU with MKL is
not correctly rounded.

Left open: the sign and payload of a NaN (x86 and NVIDIA GPUs make different ones). Refused: a process that flushes
subnormal numbers to zero.

But: a product of m x k by k x n matrices writes m * n * k numbers to memory. It is an instrument, not a fast path.
"""

from __future__ import annotations

import math
from types import ModuleType
from typing import Any

Array = Any  # numpy.ndarray, cupy.ndarray or torch.Tensor of float64

# ln 2 in two parts: the first has 41 significant bits, so that k * LN2_HIGH is exact for |k| < 2**12.
LN2_HIGH = float.fromhex("0x1.62e42fefa3p-1")
LN2_LOW = float.fromhex("0x1.3de6af278ece6p-42")
LOG2_E = float.fromhex("0x1.71547652b82fep+0")
# Adding 1.5 * 2**52 rounds to the nearest integer, ties to even, and leaves that integer in the low bits of the sum.
SHIFTER = 1.5 * 2.0**52
SHIFTER_BITS = 0x4338000000000000
# x**2/2! + x**3/3! + ...: |x| <= 0.35, so the first term left out is below 2**-60 of the sum.
EXPM1_SERIES = [1.0 / math.factorial(n) for n in range(14, 1, -1)]
VELTKAMP = 2.0**27 + 1.0
CHUNK = 1 << 22  # products that matmul holds at once: 32 MiB


class Reproducible:
    """The five operators that MiniGPT calls, on the arrays of `xp`: the module numpy, cupy or torch.

    All take and give float64 (TypeError otherwise). ArithmeticError where subnormal numbers are flushed to zero.
    """

    def __init__(self, xp: ModuleType) -> None:
        self.xp = xp
        smallest = xp.full((1,), 2.0**-1022, dtype=xp.float64)
        if float((smallest * xp.full_like(smallest, 0.5))[0]) == 0.0:
            raise ArithmeticError(
                "this process flushes subnormal numbers to zero, which changes bytes; "
                "undo torch.set_flush_denormal(True) or the compiler flag that set it"
            )

    def matmul(self, a: Array, b: Array) -> Array:
        """a @ b for (..., m, k) by (k, n), or by (..., k, n) with a's own leading dimensions."""
        self._require_float64(a, b)
        (m, k), n = a.shape[-2:], b.shape[-1]
        rows = a.reshape(1, -1, k) if b.ndim == 2 else a.reshape(-1, m, k)
        columns = b.reshape(-1, k, n)
        left = self.xp.moveaxis(rows, 2, 0)[:, :, :, None]  # (k, batch, rows, 1)
        right = self.xp.moveaxis(columns, 1, 0)[:, :, None, :]  # (k, batch, 1, n)
        step = max(1, CHUNK // (k * n * rows.shape[0]))
        parts = [self._tree(left[:, :, i : i + step] * right) for i in range(0, rows.shape[1], step)]
        return self.xp.concatenate(parts, axis=1).reshape(*a.shape[:-1], n)

    def mean(self, x: Array) -> Array:
        """The mean along the last axis, which stays with length 1."""
        self._require_float64(x)
        total = self.sum(x)
        return total / self.xp.full_like(total, x.shape[-1])

    def softmax(self, x: Array) -> Array:
        """exp(x - max) / sum along the last axis. -inf gives 0; a row of nothing else gives NaN."""
        self._require_float64(x)
        e = self.exp(x - self.xp.amax(x, axis=-1, keepdims=True))
        return e / self.sum(e)

    def tanh(self, x: Array) -> Array:
        """tanh within 3 ULP: t / (t + 2) with t = exp(2|x|) - 1, and the sign of x (also of -0.0)."""
        self._require_float64(x)
        z = self.xp.clip(self.xp.abs(x) * 2.0, 0.0, 44.0)  # tanh(22) rounds to 1
        p, scale = self._reduced_expm1(z)
        t = p * scale * 2.0 + (scale * 2.0 - 1.0)
        return self.xp.copysign(t / (t + 2.0), x)

    def sqrt(self, x: Array) -> Array:
        """The correctly rounded square root: -0.0 stays, negative numbers give NaN, subnormal numbers are exact too.

        x is scaled to m = x * 4**-h in [1, 4) by moving bits. Heron's rule y <- (y + m / y) / 2, from (1 + m) / 2, has
        the relative errors 0.25, 0.025, 3e-4, 5e-8, 1e-15 and then only its own rounding: y is within 3/4 u of the
        root, u = 2**-52, so the correctly rounded root is y or a neighbour, y + u or y - u. Which one is decided
        exactly. Let r = m - y*y. Then m > (y + u/2)**2 = y*y + u*y + u*u/4 if and only if r > u*y, and m < (y - u/2)**2
        if and only if r <= -u*y, because r and u*y are whole multiples of u*u. (m is never the square of a midpoint:
        that has more bits than m.) Dekker's product gives y*y = p + e exactly, m - p is exact (Sterbenz: p is near m),
        and the one rounding left, in (m - p) - e, changes nothing below 2**-51, above which u*y never lies.
        """
        self._require_float64(x)
        xp = self.xp
        has_root = (x > 0.0) & (x < math.inf)
        tiny = x < 2.0**-1022
        bits = xp.where(has_root, xp.where(tiny, xp.where(tiny, x, 0.0) * 2.0**108, x), 1.0).view(xp.int64)
        half = ((bits >> 52) - 1023) >> 1
        m = (bits - (half << 53)).view(xp.float64)
        y = (m + 1.0) * 0.5
        for _ in range(5):
            y = (y + m / y) * 0.5
        c = y * VELTKAMP
        high = c - (c - y)
        low = y - high
        p = y * y
        e = ((high * high - p) + high * low * 2.0) + low * low
        r = (m - p) - e
        step = y * 2.0**-52
        y = xp.where(r > step, y + 2.0**-52, xp.where(r <= -step, y - 2.0**-52, y))
        root = y * ((half + 1023) << 52).view(xp.float64)
        root = xp.where(tiny, root * 2.0**-54, root)
        return xp.where(has_root, root, xp.where(x < 0.0, math.nan, x))

    def exp(self, x: Array) -> Array:
        """exp within 1 ULP; 0 below -708, so that no subnormal number is made; inf above 709.78."""
        p, scale = self._reduced_expm1(self.xp.clip(x, -708.0, 710.0))
        return self.xp.where(x < -708.0, 0.0, (p + 1.0) * scale * 2.0)

    def sum(self, x: Array) -> Array:
        """The halving tree along the last axis, which stays with length 1."""
        return self._tree(self.xp.moveaxis(x, -1, 0) * 1.0)[..., None]

    def _tree(self, terms: Array) -> Array:
        """Adds the terms along axis 0 by halving, in their own memory. With an odd count the middle one waits."""
        n = terms.shape[0]
        while n > 1:
            half = (n + 1) // 2
            first = terms[: n - half]
            first += terms[half:n]
            n = half
        return terms[0]

    def _reduced_expm1(self, x: Array) -> tuple[Array, Array]:
        """(p, s) with exp(x) = (1 + p) * 2s and |p| < 0.42: x = k ln 2 + r, p = exp(r) - 1, s = 2**(k - 1)."""
        shifted = x * LOG2_E + SHIFTER
        k = shifted - SHIFTER
        r = (x - k * LN2_HIGH) - k * LN2_LOW
        q = self.xp.full_like(r, EXPM1_SERIES[0])
        for coefficient in EXPM1_SERIES[1:]:
            q = q * r + coefficient
        integer = shifted.view(self.xp.int64) - SHIFTER_BITS
        return r + r * r * q, ((integer + 1022) << 52).view(self.xp.float64)

    def _require_float64(self, *arrays: Array) -> None:
        for array in arrays:
            if array.dtype != self.xp.float64:
                raise TypeError(f"the reproducible operators take float64, not {array.dtype}")
