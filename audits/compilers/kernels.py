"""The kernels that every compiler counts: solutions, starters, ladders, small exercises, right files, the benches'."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from audits.mutants.files import right
from onekernel.backends import call_arguments
from onekernel.backends.call_arguments import Argument
from onekernel.course import Course, Exercise
from onekernel.errors import UserError
from onekernel.ops import OPERATORS


@dataclass(frozen=True)
class Kernel:
    """A file and how it is called, dense and on small shapes: launcher, arguments, card ("" for the usual one)."""

    name: str
    path: Path
    function: str
    arguments: list[Argument]
    arch: str = ""


def kernels(root: Path, course: Course) -> Iterator[Kernel]:
    """Each kernel in CUDA C that the repository holds as right, or as a beginning."""
    for exercise in course.exercises.values():
        if not exercise.file.endswith(".cu"):
            continue
        for path in dict.fromkeys((course.solution(exercise), course.record(exercise), course.starter(exercise))):
            if path.is_file():
                yield _called(root, path, exercise)
    for path, slug in right(root):
        if path.suffix == ".cu":
            yield _called(root, path, course.exercises[slug])
    for path in sorted([*(root / "solutions" / "ladder").glob("*.cu"), *(root / "bench" / "kernels").glob("*.cu")]):
        try:
            function, arguments = call_arguments.of_file(path, None)
        except UserError:
            continue  # what a bench calls in a way of its own
        yield Kernel(path.relative_to(root).as_posix(), path, function, arguments, _card(path))


def _called(root: Path, path: Path, exercise: Exercise) -> Kernel:
    if exercise.made:
        call = call_arguments.of_declared(exercise.made, exercise.slug, None, exercise.counted_sizes)
    else:
        call = call_arguments.of_operator(OPERATORS[exercise.operator or ""], exercise.slug, None, exercise.dtypes[0])
    return Kernel(path.relative_to(root).as_posix(), path, *call, exercise.arch)


def _card(path: Path) -> str:
    """The card that a file asks for by what only that has."""
    return "sm_90" if "cluster" in path.read_text(encoding="utf-8") else ""
