"""`onekernel author`: writes or compares what is generated, begins a new piece, and says what is missing from one."""

from __future__ import annotations

import argparse

from onekernel import course as courses
from onekernel.author import generated, new, verify
from onekernel.cli.console import tell, verbatim, write


def generate(args: argparse.Namespace) -> int:
    """Writes a part; with --check, lists the files in which it is stale."""
    root = courses.find_root()
    stale = generated.PARTS[args.part](root, args.check)
    for path in stale:
        verbatim(str(path.relative_to(root) if path.is_relative_to(root) else path))
    if not stale:
        tell(f"{args.part}-fresh")
        return 0
    tell(f"{args.part}-stale" if args.check else f"{args.part}-written", count=len(stale))
    return 1 if args.check else 0


def begin(args: argparse.Namespace) -> int:
    """Writes the files of a new piece, and names them."""
    root = courses.find_root()
    for path in new.write(root, args.sort, args.name, args.lab):
        verbatim(str(path.relative_to(root)))
    tell("begun", name=args.name)
    return 0


def tell_missing(args: argparse.Namespace) -> int:
    """Says what is missing from a piece, a sentence each."""
    missing = verify.missing(courses.find_root(), args.name)
    for message in missing:
        write(message.text())
    if not missing:
        tell("nothing-missing", name=args.name)
    return 1 if missing else 0
