"""The GPUs that the NVIDIA driver shows to a process, counted in milliseconds: torch is not asked."""

from __future__ import annotations

import ctypes
import os


def _driver() -> ctypes.CDLL | None:
    try:
        return ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None


def driver_present() -> bool:
    """Whether there is an NVIDIA driver, which may still see no GPU."""
    return _driver() is not None


def gpu_names() -> list[str]:
    """What each of them is called."""
    driver = _driver()
    if driver is None:
        return []
    count, device, name = ctypes.c_int(), ctypes.c_int(), ctypes.create_string_buffer(256)
    if driver.cuInit(0) != 0 or driver.cuDeviceGetCount(ctypes.byref(count)) != 0:
        return []
    names = []
    for number in range(count.value):
        known = driver.cuDeviceGet(ctypes.byref(device), number) == 0
        known = known and driver.cuDeviceGetName(name, len(name), device) == 0
        names.append(name.value.decode("utf-8", "replace") if known else "?")
    return names


def gpu_count() -> int:
    """How many there are."""
    return len(gpu_names())


def gpu_present() -> bool:
    """Whether there is one."""
    return gpu_count() > 0


def only(gpu: int, visible: str | None = None) -> str:
    """The CUDA_VISIBLE_DEVICES that leaves a process one GPU, by its number among those that are `visible` (this
    process's own where it is None)."""
    asked = os.environ.get("CUDA_VISIBLE_DEVICES") if visible is None else visible
    names = asked.split(",") if asked else []
    return names[gpu] if gpu < len(names) else str(gpu)
