"""What warps of a program's launches did, for pictures: those that ran with `warp` (Executable.run)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from onekernel.messages import say
from onekernel.programs.executable import Run
from onekernel.programs.text import shape, worst_lines
from onekernel.trace import Recording, Request
from onekernel.trace.recording import recording_of

Shown = tuple[Recording, Request]


def recordings(run: Run, warp: int = 0) -> list[Recording]:
    """One for each recorded launch and each file of the program whose lines it ran, in order."""
    found = []
    for kernel in run.kernels:
        files = dict.fromkeys(n.file for n in kernel.lines) if "trace" in kernel.extra else ()
        about = say("run.launch", kernel=kernel.kernel, grid=shape(kernel.grid), block=shape(kernel.block))
        found += [recording_of(kernel, Path(file), run.findings, warp, about) for file in files]
    return [r for r in found if r.source in run.files and (r.requests or r.phases)]


def most_wasteful(run: Run, found: Sequence[Recording]) -> Shown | None:
    """The request of the line that wastes most bytes in all launches together, where one of it was recorded; else of
    the launch and line that waste most, or move most."""
    for file, line, *_ in worst_lines(run):
        shown = heaviest((r for r in found if str(r.source) == file), "global", line)
        if shown is not None:
            return shown
    return heaviest(found, "global")


def most_wasteful_launch(found: Sequence[Recording], line: int | None = None) -> Recording:
    """Of at least one recording the one whose load or store, of `line` where it is given, wastes most."""
    shown = heaviest(found, "global", line) or heaviest(found, "shared", line)
    return shown[0] if shown else found[0]


def heaviest(found: Iterable[Recording], space: str, line: int | None = None) -> Shown | None:
    """Of all recordings the one whose heaviest request weighs most."""
    shown = [(r, request) for r in found if (request := r.heaviest(space, line)) is not None]
    return max(shown, key=lambda pair: pair[0].weight(pair[1]), default=None)
