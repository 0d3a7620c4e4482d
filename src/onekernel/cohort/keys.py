"""What a result depends on. A key has a hash for each part of it, so that a result that was written down is taken where
nothing has changed; where something has, the file is graded again, and it is said what."""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Iterable, Mapping
from importlib import metadata
from pathlib import Path

import onekernel
from onekernel import __version__
from onekernel.backends.base import Unavailable
from onekernel.backends.gpus import gpu_names
from onekernel.cohort.submissions import Student
from onekernel.course import Course, Exercise, Lab
from onekernel.cuda import nvcc
from onekernel.simulator.compilation.compiler import compiler
from onekernel.simulator.facts.includes import may_read

PARTS = ("course", "exercise", "device", "tools", "seed", "file")  # in the order in which a change is told
# What decides about a result: a sentence that is worded better does not.
MACHINERY = (
    "backends", "bench", "checks", "cuda", "explain", "grading", "labs", "minigpt", "ops", "profiling", "sandbox",
    "simulator", "triton", "audit.py", "comments.py", "counts.py", "course.py", "loading.py", "numerals.py",
    "units.py", "ways.py",
)  # fmt: skip
_PACKAGES = ("numpy", "torch", "triton")
_SAID = ("ONEKERNEL_NVCC", "ONEKERNEL_ARCH")  # the environment's words on how a file is tried


class Keys:
    """The keys of a class's files. What they share is read once."""

    def __init__(self, course: Course, graded: Iterable[Exercise], device: str, seed: int) -> None:
        package = Path(onekernel.__path__[0])
        judges = [p for name in MACHINERY for p in (package / name, *(package / name).rglob("*"))]
        machinery = _hash_of(package, (p for p in judges if "__pycache__" not in p.parts), __version__)
        labs = {lab.name: lab for lab in course.labs}
        self._shared = {
            e.slug: (machinery, _said_of(e, labs[e.lab], course), device, tools(e, device), str(seed)) for e in graded
        }

    def of(self, student: Student, exercise: Exercise, predictions: Mapping[str, str]) -> str:
        """The key of a student's file."""
        facts = (*self._shared[exercise.slug], repr((sorted(predictions.items()), _content(student, exercise))))
        return ".".join(hashlib.sha256(fact.encode()).hexdigest()[:16] for fact in facts)


def changed(old: str, new: str) -> str:
    """The first part that tells two keys apart."""
    theirs, mine = old.split("."), new.split(".")
    if len(theirs) != len(mine):
        return PARTS[0]
    return next(part for part, a, b in zip(PARTS, theirs, mine, strict=True) if a != b)


def tools(exercise: Exercise, device: str) -> str:
    """What builds and runs the exercise's file on this machine, by name and version."""
    on_gpu = device == "cuda" and exercise.uses_gpu
    said = []
    if exercise.file.endswith(".cu"):
        found = nvcc.find()
        said += [f"{name}={os.environ.get(name)}" for name in _SAID]
        said += [_compiler(), f"nvcc {found.version if found else None}"]
    if exercise.file.endswith(".py") or on_gpu:
        said += [f"python {platform.python_version()}", *(f"{name} {_version(name)}" for name in _PACKAGES)]
    if on_gpu:
        said += sorted({*gpu_names()})
    return "; ".join(said)


def _compiler() -> str:
    try:
        return compiler().version
    except Unavailable:
        return "no compiler"


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _said_of(exercise: Exercise, lab: Lab, course: Course) -> str:
    """A hash of what the course says of an exercise: its folder or its lab's, without their pages; its answer, and that
    of the kernel that it uses; its starters, which are nobody's answers."""
    folder = exercise.home or lab.folder
    used = [Path(c.options["kernel"]).name for c in exercise.checks if "kernel" in c.options]
    paths = [lab.folder / "lab.toml", *(p for p in folder.rglob("*") if p.suffix != ".md"), course.solution(exercise),
             *(course.root / "solutions" / name for name in used)]  # fmt: skip
    return _hash_of(course.root, paths, repr(course.starters(exercise)))


def _hash_of(root: Path, paths: Iterable[Path], begin: str = "") -> str:
    """One hash of all the files of `paths`, with their names from `root`."""
    found = hashlib.sha256(begin.encode())
    for path in sorted({p for p in paths if p.is_file()}):
        found.update(f"\0{path.relative_to(root)}\0{_hash(path)}".encode())
    return found.hexdigest()


def _content(student: Student, exercise: Exercise) -> list[tuple[str, str]]:
    """The hashes of what the exercise's result depends on of the student's."""
    why = student.unread_of(exercise.file)
    unread = [("unread", repr(why.to_json()))] if why else []
    return [*((f, _hash(student.path(f))) for f in sorted(_read_by(student, exercise))), *unread]


def _read_by(student: Student, exercise: Exercise) -> set[str]:
    """The exercise's file and those of the student's that it may read. Python may read whatever lies beside it; of CUDA
    C the sandbox lets it read no other either (`hiding.from_build`)."""
    if not exercise.file.endswith(".cu"):
        return {exercise.file, *student.files}
    return may_read(student.home, exercise.file, student.files)


def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "-"
