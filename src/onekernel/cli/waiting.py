"""What is being done, for whoever waits at a terminal: a line for each file in work. Nothing of it stays, and where
there is no terminal there is nothing of it."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from onekernel.cli.console import console, width
from onekernel.course import Exercise
from onekernel.grading.verdicts import place
from onekernel.messages import say
from onekernel.sandbox.progress import Progress

A_SECOND = 5  # times that it is written anew
Line = tuple[str, Sequence[str]]  # what may be cut short, and what stands behind it


@contextlib.contextmanager
def shown(lines: Callable[[], Sequence[Line]]) -> Iterator[None]:
    """Shows the lines, as they are at each moment, until it is left."""
    err = console(stderr=True)
    if not err.is_terminal:
        yield
        return
    from rich.live import Live
    from rich.spinner import Spinner

    spinner = Spinner("dots")
    with Live(
        console=err, transient=True, refresh_per_second=A_SECOND, redirect_stdout=False, redirect_stderr=False,
        get_renderable=lambda: _drawn(lines(), spinner.render(err.get_time())),
    ):  # fmt: skip
        yield


def testing(since: float) -> Sequence[Line]:
    """While it is found out what there is to grade with."""
    return [(say("cli.testing-backend"), _seconds(since))]


def grading(exercises: Sequence[Exercise], told: Iterable[Progress], since: float, following: Exercise) -> list[Line]:
    """While exercises are graded, of each what is told of it; before there is anything, which one is to come."""
    every = [(e, p) for e, p in zip(exercises, told, strict=True) if p.since and not p.over]
    return [_line(e, p) for e, p in every] or [(say("cli.grading", slug=following.slug), _seconds(since))]


def _line(exercise: Exercise, at: Progress) -> Line:
    """The exercise, its check, the input of how many, the seconds so far."""
    title = next((str(c.title) for c in exercise.checks if c.id.encode() == at.check), "")
    where = place(at.place.decode())
    known = [where] if title and where != "-" else []
    number, total = at.input, at.inputs
    if total and not number:
        known.append(say("cli.waiting-start"))
    elif total:
        key = "cli.waiting-answer" if at.answer else "cli.waiting-inputs"
        known.append(say(key, number=number, total=total))
    return f"{exercise.slug}: {title}" if title else exercise.slug, [*known, *_seconds(at.since)]


def _seconds(since: float) -> list[str]:
    return [say("cli.waiting-seconds", seconds=int(time.monotonic() - since))]


def _drawn(lines: Sequence[Line], sign: Any) -> Any:
    """The lines, each of which fits. Where there is little room a title is cut short, where it ran is left out before
    numbers are, and the seconds stay."""
    from rich.text import Text

    room = max(width() - 3, 1)
    drawn = []
    for what, known in lines:
        fitting = [" · ".join(("", *known[n:])) for n in range(len(known))]
        behind = next((text for text in fitting if 3 * len(text) <= 2 * room), fitting[-1])
        head = Text(what)
        head.truncate(max(room - len(behind), room // 3), overflow="ellipsis")
        line = head.append(behind, "dim")
        line.truncate(room, overflow="ellipsis")
        drawn.append(Text.assemble(sign, " ", line))
    return Text("\n").join(drawn)
