"""Which device runs a .cu: asked for, or found."""

from __future__ import annotations

from collections.abc import Iterable

from onekernel.backends.base import Unavailable
from onekernel.backends.gpus import gpu_present
from onekernel.course import Course, Exercise
from onekernel.doctor.selftest import Health, health
from onekernel.messages import Message

DEVICES = ("auto", "cuda", "simulator")


def certain(asked: str) -> str:
    """The device for `asked` where it does not depend on how a GPU does; else ""."""
    return "simulator" if asked == "simulator" or (asked == "auto" and not gpu_present()) else ""


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


def settle(course: Course, exercises: Iterable[Exercise], asked: str) -> tuple[str, Message | None]:
    """The device to grade `exercises` on, and for "auto" why a GPU that is there is not used.

    Raises Unavailable where what runs a .cu is missing or wrong, or Triton is wrong. Where Triton is missing, grading
    itself says so at the exercises that need it, and grades the others.
    """
    backends = {_needs(e) for e in exercises}
    device, note = "simulator" if asked == "auto" else asked, None
    if "cuda c" in backends:
        device, health_of_device, note = choose(course, asked)
        if not health_of_device.ok and health_of_device.cause:
            raise Unavailable(health_of_device.cause)
    if "triton" in backends:
        triton = health(course, "triton")
        if triton.wrong and triton.cause:
            raise Unavailable(triton.cause)
    return device, note


def _needs(exercise: Exercise) -> str | None:
    if exercise.operator is None:
        return None
    return "triton" if exercise.file.endswith(".py") else "cuda c"
