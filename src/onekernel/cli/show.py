"""`onekernel show`: the values that one thread gives to one variable of a kernel, in the simulator."""

from __future__ import annotations

import argparse
import difflib
from typing import Any

from onekernel.backends import call_arguments
from onekernel.backends.base import BuildError
from onekernel.cli.common import load_course, shape_of
from onekernel.cli.console import complain, verbatim, write
from onekernel.cli.tools import build_failed, call_of, file_of, with_launcher
from onekernel.errors import UserError
from onekernel.messages import Message, language, say
from onekernel.numerals import separated

MOST_LINES = 40  # of values; the last ones come after a gap
LAST = 5


def run(args: argparse.Namespace) -> int:
    """Runs the kernel once and prints the values. Returns 1 for a file that does not build."""
    from onekernel import simulator

    course = load_course()
    exercise = with_launcher(course, args.exercise)
    path, _ = file_of(course, exercise, args)
    call = call_of(exercise, shape_of(args.shape), args.dtype)
    try:
        program = simulator.build(path, "bounds", show=args.value, arch=exercise.arch or None)
        if args.value not in program.source.assigned:
            raise UserError(_no_such_value(args.value, program.source.assigned))
        program.shows = (args.block, args.thread)
        report = program.call(call[0], call_arguments.buffers(call[1]))
    except BuildError as error:
        return build_failed(error)
    for finding in report.findings:
        complain(str(finding))
    fitting = [k for k in report.kernels if args.block < _size(k.grid) and args.thread < _size(k.block)]
    if report.kernels and not fitting:
        blocks = max(_size(k.grid) for k in report.kernels)
        threads = max(_size(k.block) for k in report.kernels)
        values = {"block": args.block, "thread": args.thread, "blocks": blocks, "threads": threads}
        raise UserError(Message("cli.show-no-thread", values))
    _tell(args, program.shown, call_arguments.about(call[1]))
    return 0


def _size(shape: tuple[int, int, int]) -> int:
    return shape[0] * shape[1] * shape[2]


def _no_such_value(name: str, known: list[str]) -> Message:
    near = difflib.get_close_matches(name, known, 3, 0.5) or known[:8]
    return Message("cli.show-no-value", {"name": name, "near": ", ".join(near) or "-"})


def _tell(args: argparse.Namespace, shown: dict[str, Any], about: str) -> None:
    values = {"name": args.value, "block": args.block, "thread": args.thread, "input": about}
    if not shown["count"]:
        write(say("cli.show-nothing", **values))
        return
    write(say("cli.show-head", count=shown["count"], **values))
    first, last = shown["first"], shown["last"]
    many = len(first) + len(last) > MOST_LINES
    head, tail = (first[: MOST_LINES - LAST], (first + last)[-LAST:]) if many else (first + last, [])
    for entry in head:
        _line(entry)
    if tail:
        verbatim("    " + say("cli.show-more", count=shown["count"] - len(head) - len(tail)))
    for entry in tail:
        _line(entry)


def _line(entry: dict[str, Any]) -> None:
    where = say("cli.show-line", line=entry["line"])
    verbatim(f"    {where:<10} {entry['name']} = {separated(entry['value'], language())}")
