"""`onekernel trace`: pictures of one launch in the simulator, as PNG and SVG or in the terminal.

What is traced is an exercise or a launcher, called on inputs of a shape, or a program with a main() of its own.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from onekernel.backends.base import BuildError
from onekernel.cli import traced_program
from onekernel.cli.common import load_course, one, shape_of
from onekernel.cli.console import complain, console, verbatim, write
from onekernel.cli.tools import build_failed, file_of
from onekernel.course import Course
from onekernel.errors import UserError
from onekernel.messages import Message, say

if TYPE_CHECKING:
    from onekernel.trace import Recording


def run(args: argparse.Namespace) -> int:
    """Runs the kernel once and draws what it did. Returns 1 for a file that does not build."""
    try:
        if traced_program.is_program(args.traced):
            recordings, root = traced_program.recorded(args), Path.cwd()
        else:
            recordings, root = _of_launchers(args)
    except BuildError as error:
        return build_failed(error)
    for recording in recordings:
        for finding in recording.findings:
            complain(str(finding))
    if args.terminal:
        from onekernel.trace import terminal

        for line in terminal.render(recordings, args.line, console().width):
            verbatim(line)
        return 0
    return _draw(root, recordings, args)


def _of_launchers(args: argparse.Namespace) -> tuple[list[Recording], Path]:
    """What is compared with, then the learner's own; and the course's folder, in which pictures are written."""
    course = load_course()
    shape = shape_of(args.shape) or _counted_shape(course, args.traced)
    own = _recorded(course, args.traced, args, shape, args.line)
    before = [_recorded(course, args.against, args, shape, None)] if args.against else []
    return [*before, own], course.root


def _is_file(name: str) -> bool:
    """Whether a .cu file is meant, and no exercise."""
    path = Path(name)
    return path.suffix == ".cu" and (path.is_file() or len(path.parts) > 1)


def _counted_shape(course: Course, name: str) -> tuple[int, ...] | None:
    """The sizes at which the exercise's memory behaviour is graded: a picture shows what the points are about."""
    sizes = None if _is_file(name) else one(course, name).counted_sizes
    return tuple(sizes.values()) if sizes else None


def _recorded(
    course: Course, name: str, args: argparse.Namespace, shape: tuple[int, ...] | None, line: int | None
) -> Recording:
    """The recording of an exercise (the learner's file, or with --solutions the course's), or of any .cu file."""
    from onekernel.backends import call_arguments
    from onekernel.cli.show import call_of
    from onekernel.ops import OPERATORS
    from onekernel.trace import record

    path = Path(name)
    if _is_file(name):
        path = path if path.is_file() else course.root / name
        if not path.is_file():
            raise UserError(Message("trace.no-file", {"file": name}))
        shown = next((e for e in course.practice if e.home == path.resolve().parent and e.made), None)
        if shown:  # the kernel that questions are about
            asked = next((q["sizes"] for c in shown.checks for q in c.options.get("questions", ())), None)
            call = call_arguments.of_declared(shown.made, shown.slug, shape, asked)
        else:
            call = call_arguments.of_file(path, shape, args.dtype)
        return record(path, *call, warp=args.warp, line=line)
    exercise = one(course, name)
    if not (exercise.made or exercise.operator in OPERATORS) or not exercise.file.endswith(".cu"):
        known = ", ".join(e.slug for e in course.exercises.values() if e.operator and e.file.endswith(".cu"))
        raise UserError(Message("trace.no-cuda", {"slug": exercise.slug, "known": known}))
    path, _ = file_of(course, exercise, args)
    return record(path, *call_of(exercise, shape, args.dtype), warp=args.warp, line=line, arch=exercise.arch or None)


def _draw(root: Path, recordings: list[Recording], args: argparse.Namespace) -> int:
    from onekernel.trace import pictures

    folder = Path(args.out) if args.out else root / "build" / "trace" / recordings[-1].source.stem
    under = say("trace.under", command=_command(args))
    kinds = pictures.KINDS if args.line is None else ("access", "banks")
    written = []
    for kind in kinds:
        written += pictures.draw(kind, recordings, folder / kind, under, args.line) or []
    write(say("trace.written"))
    for path in written:
        verbatim(f"    {path.relative_to(root) if path.is_relative_to(root) else path}")
    return 0


def _command(args: argparse.Namespace) -> str:
    """The command line that made a picture, without where it was written."""
    words = ["onekernel trace", args.traced]
    words += ["--solutions"] if args.solutions else []
    for option in ("against", "shape", "line"):
        if getattr(args, option) is not None:
            words += [f"--{option}", str(getattr(args, option))]
    words += ["--warp", str(args.warp)] if args.warp else []
    words += ["--", *args.rest] if args.rest else []
    return " ".join(words)
