"""`onekernel run`: somebody's CUDA program on the simulator, then what is wrong with it."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from onekernel.backends.base import BuildError
from onekernel.cli.console import console
from onekernel.errors import UserError
from onekernel.messages import Message, say

if TYPE_CHECKING:
    from onekernel.programs import Run

STYLES = {"error": "bold red", "warning": "yellow", "note": "cyan", "source": "dim", "rule": "bold", "end": "bold"}
_SLOW = 2.0  # seconds of a launch before its progress is shown


def run(args: argparse.Namespace) -> int:
    """Runs the program and reports. Returns its status, 3 where something was found, 1 for what does not build."""
    from onekernel.programs import build
    from onekernel.programs.data import exit_status, read_baseline, without

    files, arguments = files_of(args)
    known = read_baseline(Path(args.baseline)) if args.baseline else []
    mode = args.mode or ("count" if args.report == "html" else "check")
    try:
        program = build(
            files, mode, folders=args.I, defines=args.D, standard=args.std, libraries=args.l, arch=args.arch
        )
    except BuildError as error:
        for finding in error.findings:
            _tell(f"{finding}", "bold red")
        return 1
    sys.stdout.flush()
    shown = _Progress()
    warp = 0 if args.report == "html" and mode == "count" else None  # for the page's pictures
    found = without(program.run(arguments, limit=args.limit, progress=shown.show, warp=warp), known)
    shown.clear()
    _write_report(found, args.report, args.o)
    if os.environ.get("GITHUB_ACTIONS") == "true":
        from onekernel.programs.text import annotation

        for finding in found.findings:
            print(annotation(finding, Path.cwd()))
    return exit_status(found)


def files_of(args: argparse.Namespace) -> tuple[list[Path], list[str]]:
    """The files to compile and the program's arguments: what stands behind `--`."""
    files = [Path(name) for name in args.files]
    for path in files:
        if not path.is_file():
            raise UserError(Message("run.folder" if path.is_dir() else "run.no-file", {"file": path}))
        if b"\0" in path.read_bytes():
            raise UserError(Message("run.no-text", {"file": path}))
    for folder in args.I:
        if not Path(folder).is_dir():
            raise UserError(Message("run.no-folder", {"folder": folder}))
    return files, list(args.rest)


def _write_report(found: Run, kind: str, out: str | None) -> None:
    """As text on standard error; as a page or JSON into a file, `-` for standard output."""
    from onekernel.programs import page, text
    from onekernel.programs.data import json_of

    if kind == "text" and out is None:
        for style, line in text.lines_of(found):
            _tell(line, STYLES.get(style))
        return
    if kind == "html":
        written = page.page(found)
    else:
        written = json_of(found) if kind == "json" else "".join(f"{line}\n" for _, line in text.lines_of(found))
    if out == "-":
        print(written)
    else:
        path = Path(out) if out else Path(f"{found.files[0].stem}.report.{kind}")
        path.write_text(written, encoding="utf-8")
        _tell(say("run.written", file=path))
    for style, line in text.lines_of(found):
        if style in ("error", "warning", "end") and kind != "text":
            _tell(line, STYLES.get(style))


def _tell(text: str, style: str | None = None) -> None:
    console(stderr=True).print(text, style=style, soft_wrap=True)


class _Progress:
    """A line on the terminal for a launch that takes its time, with what is left of it."""

    def __init__(self) -> None:
        self._there = False

    def show(self, done: int, blocks: int, seconds: float) -> None:
        if not sys.stderr.isatty():
            return
        if not blocks or seconds < _SLOW:
            self.clear()
            return
        bar = "█" * (20 * done // blocks)
        left = say("run.left", seconds=seconds * (blocks - done) / done) if done else ""
        line = f"\r{bar:░<20} {say('run.blocks', done=done, blocks=blocks)} {left}"
        print(line[: console(stderr=True).width], end="\x1b[K", file=sys.stderr, flush=True)
        self._there = True

    def clear(self) -> None:
        if self._there:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
            self._there = False
