"""`onekernel explain`: what a few lines of PyTorch launch, and which of five bottlenecks binds them."""

from __future__ import annotations

import argparse
from pathlib import Path

from onekernel.cli.console import console, verbatim, write
from onekernel.course import find_root
from onekernel.errors import UserError
from onekernel.messages import Message, say


def run(args: argparse.Namespace) -> int:
    """Records or reads the trace, tells it, draws it."""
    from onekernel.explain import picture, record, words
    from onekernel.explain.shares import Explained

    path, root = Path(args.explained), find_root()
    if not path.exists() and (root / path).is_file():
        path = root / path
    save = Path(args.save) if args.save else None
    if save and record.is_trace(path):
        raise UserError(Message.of("explain.save-trace", path=path))
    if not record.is_trace(path) and path.is_file() and console(stderr=True).is_terminal:
        console(stderr=True).print(say("explain.running"), style="dim")
    explained = Explained(record.trace(path, args.seconds, save))
    for text, kind in words.lines(explained, path.name):
        if kind == "table":
            verbatim(text)
        else:
            write(text, "bold" if kind == "head" else None)
    stem = path.name.removesuffix(".gz").removesuffix(".json").removesuffix(".py")
    folder = Path(args.out) if args.out else root / "build" / "explain"
    write("")
    write(say("explain.drawn"))
    for written in picture.draw(explained, path.name, f"onekernel explain {args.explained}", folder / stem):
        verbatim(f"    {written.relative_to(root) if written.is_relative_to(root) else written}")
    if save:
        write(say("explain.saved", path=save))
    return 0
