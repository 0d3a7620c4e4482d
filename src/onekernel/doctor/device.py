"""Which device runs a .cu: asked for, or found."""

from __future__ import annotations

import ctypes

from onekernel.course import Course
from onekernel.doctor.selftest import Health, health
from onekernel.messages import Message

DEVICES = ("auto", "cuda", "simulator")


def choose(course: Course, asked: str) -> tuple[str, Health, Message | None]:
    """The device for `asked`, its health, and for "auto" why a GPU that is there is not used.

    "auto" is the GPU where there is one that works, else the simulator.
    """
    if asked != "auto":
        return asked, health(course, asked), None
    if not gpu_present():
        return "simulator", health(course, "simulator"), None
    cuda = health(course, "cuda")
    if cuda.ok:
        return "cuda", cuda, None
    return "simulator", health(course, "simulator"), Message("doctor.gpu-not-used", {"why": cuda.cause})


def gpu_present() -> bool:
    """Whether the NVIDIA driver sees a GPU. Costs milliseconds: torch is not asked."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    count = ctypes.c_int()
    return driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0 and count.value > 0
