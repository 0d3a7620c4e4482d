"""`onekernel trace`: pictures of one launch in the simulator, as PNG and SVG or in the terminal.

What is traced is an exercise or a launcher, called on inputs of a shape, or a program with a main() of its own.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from onekernel.backends.base import BuildError
from onekernel.cli.common import load_course, one, shape_of
from onekernel.cli.console import complain, console, verbatim, write
from onekernel.cli.tools import build_failed, call_of, file_of, with_launcher
from onekernel.course import Course
from onekernel.errors import UserError
from onekernel.messages import Message, say

if TYPE_CHECKING:
    from onekernel.trace import Recording

_MAIN = re.compile(r"^[ \t]*(?:int|auto|void)\s+main\s*\(", re.MULTILINE)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def run(args: argparse.Namespace) -> int:
    """Runs the kernel once and draws what it did. Returns 1 for a file that does not build."""
    try:
        if _is_program(args.traced):
            recordings, root = _of_programs(args), Path.cwd()
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
    exercise = with_launcher(course, name)
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
    words += [args.solutions] if args.solutions else []
    for option in ("against", "shape", "line"):
        if getattr(args, option) is not None:
            words += [f"--{option}", str(getattr(args, option))]
    words += ["--warp", str(args.warp)] if args.warp else []
    words += ["--", *args.rest] if args.rest else []
    return " ".join(words)


def _is_program(name: str) -> bool:
    """Whether a .cu file with a main() is meant."""
    path = Path(name)
    if path.suffix != ".cu" or not path.is_file():
        return False
    return bool(_MAIN.search(_COMMENT.sub(" ", path.read_text(encoding="utf-8-sig", errors="replace"))))


def _of_programs(args: argparse.Namespace) -> list[Recording]:
    """The launch that wastes most of each program: of the one to compare with, then of the one that is asked about.

    Raises BuildError, and UserError for options that a program does not take, or where nothing was recorded.
    """
    if args.shape or args.dtype != "float32" or args.solutions or args.learner:
        raise UserError(Message("trace.program-shape", {"file": args.traced}))
    if args.against and not _is_program(args.against):
        raise UserError(Message("trace.program-against", {"file": args.against}))
    return [_of_program(name, args, args.line if name == args.traced else None)
            for name in (args.against, args.traced) if name]  # fmt: skip


def _of_program(name: str, args: argparse.Namespace, line: int | None) -> Recording:
    from onekernel.programs import build
    from onekernel.programs.recordings import most_wasteful_launch, recordings

    program = build([name], "count", folders=args.I, defines=args.D, standard=args.std, libraries=args.l,
                    arch=args.arch)  # fmt: skip
    sys.stdout.flush()
    run = program.run(args.rest, warp=args.warp)
    path = Path(name)
    found = recordings(run, args.warp)
    if line is not None:
        found = [r for r in found if any(n.line == line and Path(n.file) == path.resolve() for n in r.counts.lines)]
    if not found:
        if run.findings and line is None:
            raise UserError(Message("trace.stopped", {"finding": str((run.errors or run.findings)[0])}))
        key = "trace.no-line" if line is not None else "trace.no-kernel"
        raise UserError(Message(key, {"file": path.name, "line": line or 0}))
    chosen = most_wasteful_launch(found, line)
    warps = chosen.warps
    if args.warp >= warps:
        raise UserError(Message("trace.no-warp", {"warp": args.warp, "last": warps - 1}))
    return chosen
