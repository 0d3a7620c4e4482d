"""The row lengths that the two softmax kernels are asked for."""

from __future__ import annotations

import random

_AROUND = (-1, 0, 1)
_LAST = 4_200_000
# Where one of the kernels goes another way, in columns of 4 and of 2 bytes.
_LIMITS = (8, 16, 32, 64, 128, 256, 512, 1016, 1024, 2040, 2048, 8192, 16_384, 24_576, 32_768, 65_536, 98_304, 262_144,
           452_608, 524_288, 905_216, 2_097_152)  # fmt: skip


def _lengths() -> list[int]:
    found = {n for n in range(1, 33)}
    for k in range(23):
        found |= {factor * 2**k + d for factor in (1, 3, 5, 7) for d in _AROUND}
    for k in range(7):
        found |= {factor * 10**k + d for factor in (1, 2, 5) for d in _AROUND}
    found |= {limit + d for limit in _LIMITS for d in _AROUND}
    chance = random.Random(2026)
    found |= {int(2 ** chance.uniform(5, 22)) for _ in range(140)}
    return sorted(n for n in found if 1 <= n <= _LAST)


LENGTHS = _lengths()
GIANTS = (7_999_999, 10_000_000, 33_554_433, 100_000_001, 2**31 - 1, 2**31 + 3, 2**32)
"""One row each; x, y and the reference must fit in memory."""

TIMED = (100, 500, 1000, 1536, 3000, 5000, 7777, 10_000, 20_000, 24_577, 30_000, 40_000, 60_000, 100_000, 130_000,
         150_001, 180_000, 200_001, 230_000, 262_145, 300_001, 350_000, 400_000, 450_000, 500_000, 600_000, 750_001,
         900_000, 1_000_000, 1_250_000, 1_500_000, 1_750_001, 2_000_000, 2_500_000, 3_000_001, 4_000_000, 5_000_000,
         6_000_000, 7_500_001, 8_000_000, 10_000_000)  # fmt: skip
TIMED_BYTES = 256 << 20  # of the input
