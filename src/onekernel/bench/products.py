"""What the speed of a matrix product is measured beside: NVIDIA's library, by torch.matmul, on the same card."""

from __future__ import annotations

from functools import partial

from onekernel.bench.device import Device
from onekernel.bench.sample import Sample, floor_seconds
from onekernel.bench.timing import L2Emptier, interleaved

# How much faster than its fp32 units a card's Tensor Cores may be in 16 bits: 15 times on an H200. It bounds what a
# process may claim, and nothing is measured by it: a generous number forgives a newer card.
MOST_BY_TENSOR_CORES = 32


def reference(
    device: Device, dtype: str, shape: tuple[int, ...], repeats: int, emptier: L2Emptier | None = None
) -> tuple[Sample, Sample, float]:
    """The library's time at (m, n, k), twice, as what limits and as PyTorch's; and the least possible one (seconds).

    float32 is multiplied in float32: torch takes tf32 only where it is told to.
    """
    import torch

    m, n, k = shape
    a, b = (torch.randn(dims, device="cuda").to(getattr(torch, dtype)) for dims in ((m, k), (k, n)))
    c = torch.empty((m, n), dtype=a.dtype, device="cuda")
    library = interleaved({"library": partial(torch.matmul, a, b, out=c)}, repeats, emptier)["library"]
    return library, library, least(device, dtype, shape, a.element_size())


def least(device: Device, dtype: str, shape: tuple[int, ...], itemsize: int) -> float:
    """Seconds that no kernel takes less than: for the bytes of A, B and C, and for the multiply-adds."""
    m, n, k = shape
    moved = floor_seconds((m * k + k * n) * itemsize, m * n * itemsize, device.datasheet_bandwidth, device.l2_bytes)
    units = 1 if dtype == "float32" else MOST_BY_TENSOR_CORES
    return max(moved, 2 * m * n * k / (device.fma_rate * units))
