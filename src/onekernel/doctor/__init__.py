"""What this machine can do, and whether what it says can be believed.

`settle` turns "auto" into a device that can be trusted, in two steps, `found` and `trust`; `health` tests a backend
with the course's own solution, `facts` lists what is installed and names the mend of what is not.
"""

from __future__ import annotations

from collections.abc import Iterable

from onekernel.backends.base import Unavailable
from onekernel.backends.gpus import gpu_present
from onekernel.course import Course, Exercise
from onekernel.doctor.machine import Fact, facts
from onekernel.doctor.selftest import BACKENDS, Health, health
from onekernel.messages import Message

__all__ = ["BACKENDS", "Fact", "Health", "choose", "facts", "found", "health", "settle", "trust"]


def choose(course: Course, asked: str) -> tuple[str, Health, Message | None]:
    """The device for `asked`, its health, and for "auto" why a GPU that is there is not used."""
    device, note = _found(course) if asked == "auto" else (asked, None)
    return device, health(course, device), note


def _found(course: Course) -> tuple[str, Message | None]:
    """The GPU where there is one that works, else the simulator, and why a GPU that is there is not used."""
    if not gpu_present():
        return "simulator", None
    cuda = health(course, "cuda")
    return ("cuda", None) if cuda.ok else ("simulator", Message("doctor.gpu-not-used", {"why": cuda.cause}))


def settle(course: Course, exercises: Iterable[Exercise], asked: str) -> tuple[str, Message | None]:
    """The device to grade `exercises` on, and for "auto" why a GPU that is there is not used. Raises Unavailable where
    what runs them cannot be trusted."""
    exercises = tuple(exercises)
    device, note = found(course, exercises, asked)
    trust(course, exercises, device)
    return device, note


def found(course: Course, exercises: Iterable[Exercise], asked: str) -> tuple[str, Message | None]:
    """The device to grade `exercises` on, as `settle` says it, before what runs them was tested: at once, but where it
    depends on how a GPU does.

    "auto" is a GPU that works, wherever it has a part in one of them: what runs a file does not depend on which others
    are graded with it. Raises Unavailable where a GPU is asked for and none is there.
    """
    exercises = tuple(exercises)
    if asked == "auto" and any(e.uses_gpu for e in exercises):
        return _found(course)
    if asked == "cuda" and not gpu_present():
        trust(course, exercises, asked)
    return "simulator" if asked == "auto" else asked, None


def trust(course: Course, exercises: Iterable[Exercise], device: str) -> None:
    """Tests what runs `exercises` on the device. Raises Unavailable where it is missing or wrong. Where Triton is
    missing, grading itself says so at the exercises that need it, and grades the others."""
    for backend in sorted({b for e in exercises if (b := _needs(e, device))}):
        of_backend = health(course, backend)
        if of_backend.cause and (of_backend.wrong or (backend != "triton" and not of_backend.ok)):
            raise Unavailable(of_backend.cause)


def _needs(exercise: Exercise, device: str) -> str | None:
    """What must get its numbers right before the exercise is graded on the device."""
    if exercise.operator is None:
        return device if device == "cuda" and exercise.uses_gpu else None
    if exercise.file.endswith(".py"):
        return "triton"
    return device if exercise.uses_gpu else "simulator"
