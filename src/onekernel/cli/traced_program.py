"""What `onekernel trace` records of a program with a main() of its own."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from onekernel.errors import UserError
from onekernel.messages import Message

if TYPE_CHECKING:
    from onekernel.trace import Recording

_MAIN = re.compile(r"^[ \t]*(?:int|auto|void)\s+main\s*\(", re.MULTILINE)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def is_program(name: str) -> bool:
    """Whether a .cu file with a main() is meant."""
    path = Path(name)
    if path.suffix != ".cu" or not path.is_file():
        return False
    return bool(_MAIN.search(_COMMENT.sub(" ", path.read_text(encoding="utf-8-sig", errors="replace"))))


def recorded(args: argparse.Namespace) -> list[Recording]:
    """The launch that wastes most of each program: of the one to compare with, then of the one that is asked about.

    Raises BuildError, and UserError for options that a program does not take, or where nothing was recorded.
    """
    if args.shape or args.dtype != "float32" or args.solutions or args.learner:
        raise UserError(Message("trace.program-shape", {"file": args.traced}))
    if args.against and not is_program(args.against):
        raise UserError(Message("trace.program-against", {"file": args.against}))
    return [_one(name, args, args.line if name == args.traced else None)
            for name in (args.against, args.traced) if name]  # fmt: skip


def _one(name: str, args: argparse.Namespace, line: int | None) -> Recording:
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
