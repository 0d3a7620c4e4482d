"""The roofs of a card, measured: what a copy moves and what fused multiply-adds compute."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from onekernel.bench.device import Device
from onekernel.bench.sample import AboveRoof, Sample, floor_seconds, refuse_above_roof
from onekernel.bench.timing import L2Emptier, interleaved

COPY_BYTES = 1 << 30


def copy_bandwidth(device: Device, emptier: L2Emptier | None = None) -> float:
    """Bytes read plus bytes written per second of `y.copy_(x)` on 1 GiB. Raises AboveRoof for an impossible figure."""
    import torch

    x = torch.randint(-128, 127, (COPY_BYTES,), dtype=torch.int8, device="cuda")
    y = torch.empty_like(x)
    sample = interleaved({"copy": lambda: y.copy_(x)}, repeats=15, emptier=emptier)["copy"]
    check(sample, COPY_BYTES, COPY_BYTES, device)
    return 2 * COPY_BYTES / sample.median


def check(sample: Sample, bytes_read: float, bytes_written: float, device: Device, calls: int = 1) -> None:
    """Raises AboveRoof where the card cannot have moved these bytes (of one call) in that time (of one call).

    With `calls` > 1 the sample is the mean of a walk over as many sets of tensors, none of them emptied from L2: at
    most one L2 full of all their inputs was already there.
    """
    there = device.l2_bytes if calls > 1 else 0
    read, written = max(0.0, calls * bytes_read - there), calls * bytes_written
    floor = floor_seconds(read, written, device.datasheet_bandwidth, device.l2_bytes)
    refuse_above_roof(sample, floor / calls)


def check_rate(sample: Sample, flops: float, peak: float) -> None:
    """Raises AboveRoof where `flops` in that time are more than `peak` FLOP/s, by more than clocks are rounded."""
    rate = flops / sample.median
    if rate > peak * 1.02:
        raise AboveRoof(f"{rate / 1e12:.1f} TFLOP/s exceeds the card's {peak / 1e12:.1f}")


def fma_rate(launch: Callable[[int], Any], flops: float, device: Device) -> float:
    """FLOP/s of a kernel that does nothing but independent fp32 FMAs: `launch(0)` runs it, `flops` is its work.

    Raises AboveRoof where the figure exceeds SMs x lanes x 2 x the largest clock.
    """
    sample = interleaved({"fma": lambda: launch(0)}, repeats=9)["fma"]
    check_rate(sample, flops, device.fma_rate)
    return flops / sample.median
