"""The commands that look into a kernel: compile (a compiler's listings), profile (ncu on one launch), bench."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

from onekernel import course as courses
from onekernel import learners
from onekernel.backends import call_arguments
from onekernel.backends.base import BuildError
from onekernel.cli.common import answer, load_course, one, shape_of
from onekernel.cli.console import tell, verbatim
from onekernel.course import Course, Exercise
from onekernel.cuda import inspect as cuda_inspect
from onekernel.errors import UserError
from onekernel.messages import Message, language
from onekernel.ops import OPERATORS
from onekernel.triton import inspect as triton_inspect

TORCH = "F.softmax"  # PyTorch's own softmax, which has no file of the course


def compile_file(args: argparse.Namespace) -> int:
    """Prints what a file compiles to, CUDA C or Triton, for any architecture and without a GPU."""
    course = load_course()
    exercise = one(course, args.exercise)
    if not exercise.operator or not exercise.file.endswith((".cu", ".py")):
        known = ", ".join(e.slug for e in course.exercises.values() if e.operator and e.file.endswith((".cu", ".py")))
        raise UserError(Message.of("cli.compile-what", slug=exercise.slug, known=known or "-"))
    path, _ = file_of(course, exercise, args)
    inspection: cuda_inspect.Inspection | triton_inspect.Inspection
    try:
        if exercise.file.endswith(".cu"):
            inspection = cuda_inspect.read(path, args.arch.split(","), kernel=args.kernel or "")
        else:
            given = shape_of(args.shape) or (8192, 4096)
            if len(given) > 2:
                raise UserError(Message.of("cli.bad-shape", text=args.shape))
            rows, cols = (1, *given)[-2:]  # n elements are one row
            archs = args.arch.split(",")
            inspection = triton_inspect.compile_source(path, archs, rows=rows, cols=cols, dtype=args.dtype)
    except BuildError as error:
        return build_failed(error)
    verbatim(str(inspection))
    if args.out:
        for written in inspection.write(Path(args.out)):
            verbatim(str(written), "dim")
    return 0


def profile(args: argparse.Namespace) -> int:
    """Has ncu watch one launch, and writes what it counted and how to read it."""
    course = load_course()
    from onekernel import profiling

    if args.exercise == TORCH:
        slug, path, out = TORCH, None, course.root / "profiles"
    else:
        exercise = one(course, args.exercise)
        if not exercise.operator:
            raise UserError(Message.of("cli.no-kernel", slug=exercise.slug))
        slug = exercise.slug
        path, out = file_of(course, exercise, args)
    try:
        found = profiling.run(slug, path, shape_of(args.shape), out, args.dtype)
    except BuildError as error:
        return build_failed(error)
    for written in profiling.write_readings(found, out / found.device["slug"]):
        verbatim(str(written.relative_to(course.root)))
    tell("profiled")
    return 0


def bench(args: argparse.Namespace) -> int:
    """Runs the bench of an exercise's operator for that exercise, or for a rung, and PyTorch; results go to build/."""
    course = load_course()
    rungs = courses.rungs(course.root)
    benched = {e.slug for e in course.exercises.values() if (course.root / "bench" / f"{e.operator}.py").is_file()}
    is_rung = args.exercise.startswith("ladder/")
    name = args.exercise if is_rung else one(course, args.exercise).slug
    if name not in benched | set(rungs):
        known = ", ".join(rungs if is_rung else sorted(benched)) or "-"
        raise UserError(Message.of("cli.no-bench", slug=name, known=known))
    operator = "softmax" if is_rung else course.exercises[name].operator
    script = course.root / "bench" / f"{operator}.py"
    command = [sys.executable, str(script), "--only", name, TORCH]
    if args.dry_run:
        command.append("--dry-run")
    else:  # the committed results compare every contender: a run of two does not replace them
        (course.root / "build").mkdir(exist_ok=True)
        command += ["--quick", "--out", str(course.root / "build" / "bench.json")]
    return subprocess.run(command, check=False, env={**os.environ, "ONEKERNEL_LANG": language()}).returncode


def file_of(course: Course, exercise: Exercise, args: argparse.Namespace) -> tuple[Path, Path]:
    """The file to look into, and where profiles of it belong."""
    if args.solutions:
        return answer(course, exercise, args), course.root / "profiles"
    learner = learners.chosen(course.root, args.learner)
    path = learner.path(exercise.file)
    if not path.is_file():
        raise UserError(Message.of("cli.no-file", path=path.relative_to(course.root), slug=exercise.slug))
    return path, learner.folder / "profiles"


def with_launcher(course: Course, name: str) -> Exercise:
    """The exercise of that name, in CUDA C with a launcher that can be called. Raises UserError for another."""
    exercise = one(course, name)
    if not (exercise.made or exercise.operator in OPERATORS) or not exercise.file.endswith(".cu"):
        known = ", ".join(e.slug for e in course.exercises.values() if e.operator and e.file.endswith(".cu"))
        raise UserError(Message("trace.no-cuda", {"slug": exercise.slug, "known": known}))
    return exercise


def call_of(exercise: Exercise, shape: tuple[int, ...] | None, dtype: str) -> tuple[str, list[call_arguments.Argument]]:
    """The launcher of an exercise in CUDA C, and what it is called with; in the exercise's first element type, where it
    has none of that `dtype`."""
    if exercise.made:
        return call_arguments.of_declared(exercise.made, exercise.slug, shape, exercise.counted_sizes)
    dtype = dtype if dtype in exercise.dtypes else exercise.dtypes[0]
    return call_arguments.of_operator(OPERATORS[exercise.operator or ""], exercise.slug, shape, dtype)


def build_failed(error: BuildError) -> int:
    for finding in error.findings:
        verbatim(str(finding), "red")
    return 1
