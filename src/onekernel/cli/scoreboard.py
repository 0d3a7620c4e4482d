"""The scoreboard: every exercise with its points, then why points were lost, then what to do next."""

from __future__ import annotations

from itertools import groupby

from onekernel.cli.common import lab_heading
from onekernel.cli.console import MARKS, console, indented, verbatim, width, write
from onekernel.course import Course
from onekernel.grading.verdicts import (
    FAILED,
    NOT_ASSESSED,
    PARTIAL,
    PASSED,
    UNTOUCHED,
    Failure,
    Result,
    Scorecard,
    Verdict,
    place,
)
from onekernel.messages import say, written
from onekernel.report import text as reports

LEAST = 12  # characters of a name that are shown, even if the terminal has to break the line
WAITING = ("right-first", "told-at-first")  # a check that waits for others: no failure of its own to explain


def show_one(result: Result, course: Course, before: Result | None, *, alone: bool) -> None:
    """Prints an exercise's points as soon as they are known, under its lab's heading where the one `before` it was of
    another. `alone`: no other is graded, so each of its checks is shown."""
    if before is None or before.exercise.lab != result.exercise.lab:
        write()
        write(lab_heading(next(lab for lab in course.labs if lab.name == result.exercise.lab)), "bold")
    possible = result.exercise.points if result.status == NOT_ASSESSED else result.assessed
    ran_on = "" if result.status == UNTOUCHED or result.ran_on == "-" else place(result.ran_on)
    _row("  ", result.status, result.exercise.slug, result.earned, possible, bold=True, ran_on=ran_on)
    for verdict in result.verdicts:
        if alone or (result.status in (FAILED, PARTIAL) and verdict.status != PASSED):
            _check(verdict)


def show_rest(card: Scorecard, course: Course, replay: str) -> None:
    """Prints what follows the exercises. `replay` is the command that graded them, to which one of them and a seed are
    added."""
    if len(card.results) > 1:
        write()
        _points("  " + say("cli.total"), card.earned, card.assessed, "bold")
    _not_assessed(card)
    if told := reports.open_walls(card):
        write()
        indented(str(told), 2, "yellow")
    for result in card.results:
        _failures(result, course, f"{replay} {result.exercise.slug} --seed {result.seed}")


def _row(
    indent: str, status: str, name: str, earned: float, points: float, *, bold: bool = False, word: str | None = None,
    ran_on: str = "",
) -> None:
    """A line of the board. What was not assessed has points that can be earned elsewhere, and none that were lost.
    Where it `ran_on` stands where there is room for it behind the name."""
    mark, style = MARKS[status]
    word = word or say(f"grading.status-{status}")
    value = _of(earned, points) if status != NOT_ASSESSED else f"– / {written(points, 'g')}"
    room = max(width() - len(indent) - 2 - len(word) - 14, LEAST)
    name = name if len(name) <= room else name[: room - 1] + "…"
    from rich.text import Text

    line = Text(f"{indent}")
    line.append(f"{mark} ", style)
    where = f" {ran_on}" if ran_on and len(name) + len(ran_on) < room else ""
    line.append(name.ljust(room - len(where)), "bold" if bold else "")
    line.append(where, "dim")
    line.append(f" {word} ", style)
    line.append(value.rjust(10), "bold" if bold else "")
    console().print(line, soft_wrap=True)


def _check(verdict: Verdict) -> None:
    why = reports.why_not_assessed(verdict) if verdict.status == NOT_ASSESSED else None
    short = str(why) if why and why.key == "grading.needs-gpu" else None  # any other cause stands below, in full
    _row("      ", verdict.status, str(verdict.check.title), verdict.earned, verdict.check.points, word=short)
    if verdict.status not in (UNTOUCHED, NOT_ASSESSED):
        waiting = [f.message for f in verdict.failures if f.code in WAITING]
        for told in (verdict.note, *verdict.details, *waiting):
            if told:
                indented(str(told), 8, "dim")


def _points(text: str, earned: float, points: float, style: str) -> None:
    value = _of(earned, points)
    verbatim(text.ljust(width() - len(value) - 1) + value, style)


def _of(earned: float, points: float) -> str:
    return " / ".join(written(value, "g") for value in (earned, points))


def _not_assessed(card: Scorecard) -> None:
    """What this machine cannot assess, each cause once."""
    causes: dict[str, list[str]] = {}
    for result in card.results:
        for verdict in result.verdicts:
            if verdict.status == NOT_ASSESSED:
                what = f"{result.exercise.slug}, {verdict.check.title} ({verdict.check.points})"
                if verdict.note or verdict.failures or not causes:
                    causes.setdefault(str(reports.why_not_assessed(verdict)), []).append(what)
                else:
                    causes[next(reversed(causes))].append(what)
    for cause, checks in causes.items():
        write()
        write(cause[:1].upper() + cause[1:], "yellow")
        for what in checks:
            indented(what, 4, "dim")


def _failures(result: Result, course: Course, replay: str) -> None:
    """Why points were lost, check by check. A cause, at a line of the file or in the same words, is explained once,
    however many checks it costs; sentences about the same input and line share them."""
    seen: set[tuple[str, int | str]] = set()
    told = False
    for verdict in result.verdicts:
        failures = [f for f in verdict.failures if f.code not in WAITING]
        if not failures or verdict.status in (NOT_ASSESSED, UNTOUCHED):
            continue
        mark, style = MARKS[verdict.status]
        write()
        verbatim(f"{mark} {result.exercise.slug}: {verdict.check.title}", f"bold {style}")
        causes = [(f.code, str(f.message) if f.line is None else f.line) for f in failures]
        fresh = [f for f, cause in zip(failures, causes, strict=True) if cause not in seen]
        seen.update(causes)
        if len(fresh) < len(failures):
            indented(say("cli.same-cause"), 2)
        for _, group in groupby(fresh, lambda f: (f.case, f.line, f.chapter)):
            _explain(list(group), course)
        told = True
    if told:
        write()
        verbatim("  " + reports.label("again") + replay, "dim")


def _explain(failures: list[Failure], course: Course) -> None:
    """The sentences of failures on one input at one line, then that input, line and chapter."""
    for failure in failures:
        indented(str(failure.message), 2)
    for kind, text in reports.told(failures[-1], course):
        if kind != "why":
            verbatim("  " + reports.label(kind) + text, "bold" if kind == "source" else "dim")
