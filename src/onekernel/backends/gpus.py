"""The GPUs that the NVIDIA driver shows to a process, counted in milliseconds: torch is not asked."""

from __future__ import annotations

import ctypes
import os


def gpu_count() -> int:
    """How many there are."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return 0
    count = ctypes.c_int()
    if driver.cuInit(0) != 0 or driver.cuDeviceGetCount(ctypes.byref(count)) != 0:
        return 0
    return count.value


def gpu_present() -> bool:
    """Whether there is one."""
    return gpu_count() > 0


def only(gpu: int, visible: str | None = None) -> str:
    """The CUDA_VISIBLE_DEVICES that leaves a process one GPU, by its number among those that are `visible` (this
    process's own where it is None)."""
    asked = os.environ.get("CUDA_VISIBLE_DEVICES") if visible is None else visible
    names = asked.split(",") if asked else []
    return names[gpu] if gpu < len(names) else str(gpu)
