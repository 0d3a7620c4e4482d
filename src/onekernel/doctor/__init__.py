"""What this machine can do, and whether what it says can be believed.

`settle` turns "auto" into a device that can be trusted, in two steps, `found` and `trust`; `facts` lists what is
installed and names the mend of what is not. `health` tests a backend with a kernel whose answer is known: the course's
own solution, through grading's own machinery. A backend that gets it wrong must not grade anybody. A pass is remembered
for as long as nothing that it depends on changes: the course's code, the solution, the compiler, the driver, the
packages.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path

import onekernel
from onekernel import ops
from onekernel.backends.base import Unavailable
from onekernel.backends.cache import cache_folder
from onekernel.backends.gpus import gpu_present
from onekernel.course import Course, Exercise
from onekernel.doctor.machine import Fact, facts
from onekernel.grading.grader import fresh_seed, grade
from onekernel.grading.submission import Submission, trial
from onekernel.grading.verdicts import NOT_ASSESSED, PASSED
from onekernel.messages import Message

__all__ = ["BACKENDS", "Fact", "Health", "choose", "facts", "found", "health", "settle", "trust"]
BACKENDS = {
    "simulator": "vector_add",
    "cuda": "vector_add",
    "triton": "softmax_triton",
}  # and the kernel that tests each
_COMPILERS = ("c++", "g++", "clang++", "nvcc", "ninja")
_PACKAGES = ("torch", "triton", "numpy", "ml_dtypes")
_ENVIRONMENT = ("ONEKERNEL_CXX", "CXX", "CUDA_HOME", "CUDA_VISIBLE_DEVICES")
_DRIVER = Path("/sys/module/nvidia/version")


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


@dataclass(frozen=True)
class Health:
    """Whether a backend may grade. `cause` says why not, with the mend; `inputs` how many inputs it got right."""

    backend: str
    ok: bool
    cause: Message | None = None
    inputs: int = 0

    @property
    def wrong(self) -> bool:
        """Whether it runs, and gets its numbers wrong."""
        return self.cause is not None and self.cause.key == "doctor.wrong-numbers"


def health(course: Course, backend: str, *, again: bool = False) -> Health:
    """Tests `backend` with its known kernel; `again` even where it is known to pass. A course without that kernel
    cannot test, and passes."""
    exercise = course.exercises.get(BACKENDS[backend])
    if exercise is None:
        return Health(backend, True)
    stamp = cache_folder() / f"{backend}-{_fingerprint(course, backend)}.ok"
    if stamp.is_file() and not again:
        return Health(backend, True)
    device = "cuda" if backend == "cuda" else "simulator"
    whole = Submission(course, exercise, course.solution(exercise), device, fresh_seed(), known_right=True)
    result = grade(replace(whole, exercise=replace(exercise, checks=trial(whole))))
    if result.status == PASSED:
        _remember(stamp)
        return Health(backend, True, inputs=sum(int(v.note.values["total"]) for v in result.verdicts if v.note))
    failures = [f for v in result.verdicts for f in v.failures]
    why = failures[0].message if failures else Message("doctor.no-answer")
    if result.status == NOT_ASSESSED or (failures and not any(f.case for f in failures)):
        return Health(backend, False, why)  # nothing ran: it did not build
    values = {"backend": backend, "kernel": exercise.file, "why": why, "seed": result.seed}
    return Health(backend, False, Message("doctor.wrong-numbers", values))


def _remember(stamp: Path) -> None:
    try:
        stamp.parent.mkdir(parents=True, exist_ok=True)
        for old in stamp.parent.glob(f"{stamp.name.split('-')[0]}-*.ok"):
            old.unlink(missing_ok=True)
        stamp.touch()
    except OSError:
        return  # a cache that cannot be written costs time, nothing else


def _fingerprint(course: Course, backend: str) -> str:
    """Everything that a pass depends on, as a hash."""
    seen = hashlib.sha256(f"{os.uname().nodename} {sys.version} {sys.executable}".encode())
    for path in _sources(backend):
        seen.update(path.name.encode() + path.read_bytes())
    solution = course.solution(course.exercises[BACKENDS[backend]])
    seen.update(solution.read_bytes() if solution.is_file() else b"")
    for name in _ENVIRONMENT:
        seen.update(f"{name}={os.environ.get(name)} ".encode())
    for name in (*_COMPILERS, os.environ.get("ONEKERNEL_CXX", "c++")):
        found = shutil.which(name)
        if found:
            real = Path(found).resolve()
            seen.update(f"{real} {real.stat().st_size} {real.stat().st_mtime_ns} ".encode())
    for package in _PACKAGES:
        try:
            seen.update(f"{package} {metadata.version(package)} ".encode())
        except metadata.PackageNotFoundError:
            continue
    seen.update(_DRIVER.read_bytes() if _DRIVER.is_file() else b"")
    return seen.hexdigest()[:24]


def _sources(backend: str) -> Iterator[Path]:
    """Every file of the backend and of the operators that judge it."""
    for root in (Path(onekernel.__path__[0]) / backend, Path(ops.__path__[0])):
        yield from sorted(p for p in root.rglob("*") if p.is_file() and "__pycache__" not in p.parts)
