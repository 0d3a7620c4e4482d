"""`onekernel grade FOLDER`: grades a class, and writes what goes out."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from onekernel.cli.common import load_course, select
from onekernel.cli.console import complain, console, indented, verbatim, write
from onekernel.cohort import archives, cluster, image, outputs, run
from onekernel.cohort.journal import DAMAGED
from onekernel.cohort.keys import PARTS
from onekernel.cohort.run import Asked, Class
from onekernel.course import Course, Exercise
from onekernel.errors import UserError
from onekernel.grading.verdicts import place
from onekernel.messages import Message, say
from onekernel.sandbox import confinement

MOST_NOTES = 20  # that the terminal shows; the page for the class has them all


def grade(args: argparse.Namespace) -> int:
    course = load_course()
    source = Path(args.folder)
    out = Path(args.out) if args.out else source.with_name(f"{archives.stem(source.resolve().name)}-graded")
    exercises = select(course, args.target) if args.target else ()
    if args.gradescope_image:
        return _image(args, course, exercises)
    if args.require_sandbox:
        confinement.require()
    asked = Asked(source, out, exercises, args.device, args.seed, max(1, args.jobs), args.due)
    with run.opened(course, asked) as cohort:
        _begin(cohort)
        try:
            with _progress(cohort) as advance:
                for _ in run.grade(cohort, _say, _cluster(args, cohort)):
                    advance()
        except (UserError, OSError, KeyboardInterrupt):
            done, total = len(cohort.results), len(cohort.tasks)
            complain(say("cohort.stopped", done=done, total=total, folder=out))
            raise
        written = outputs.write(cohort)
    verbatim("")
    write(say("cohort.done", folder=out), "bold")
    for path in written:
        verbatim(f"  {path.relative_to(out)}")
    return 0


def _image(args: argparse.Namespace, course: Course, exercises: Sequence[Exercise]) -> int:
    """Writes Gradescope's autograder for the exercises that were named, or all of the labs'."""
    chosen = exercises or [e for lab in course.labs if not lab.elective for e in lab.exercises]
    archive = image.write(course, Path(args.folder), chosen, args.visibility)
    write(say("cohort.image-done", archive=archive))
    return 0


def _cluster(args: argparse.Namespace, cohort: Class) -> run.Grade | None:
    """What grades on a cluster, where one was asked for."""
    if not args.cluster:
        return None
    odd = [text for text in args.slurm if "=" not in text]
    if odd:
        raise UserError(Message.of("cohort.odd-option", text=odd[0]))
    options = dict(text.split("=", 1) for text in args.slurm)
    return cluster.grader(args.cluster, cohort.course.root, cohort.asked.out.resolve(), cohort.asked.jobs, options)


def _begin(cohort: Class) -> None:
    values = {"students": len(cohort.students), "exercises": len(cohort.exercises), "device": place(cohort.device)}
    verbatim(say("cohort.heading", **values, seed=cohort.journal.seed), "bold")
    if not cohort.asked.exercises:
        write(say("cohort.which", names=", ".join(e.slug for e in cohort.exercises)), "dim")
    if cohort.note:
        complain(str(cohort.note))
    if cohort.results:
        write(say("cohort.resumed", done=len(cohort.results), total=len(cohort.tasks)))
    for sentence in _not_taken(cohort):
        write(sentence)
    notes = [*map(str, cohort.notes)]
    notes += [say("cohort.noted", name=s.name, note=n) for s in cohort.students for n in s.notes]
    for note in notes[:MOST_NOTES]:
        indented(note, 2, "dim")
    if len(notes) > MOST_NOTES:
        indented(say("cohort.more-notes", count=len(notes) - MOST_NOTES), 2, "dim")


def _not_taken(cohort: Class) -> Iterator[str]:
    """What earlier runs have graded and this one does not take, each with why."""
    book = cohort.journal
    reasons = [say(f"cohort.again-{part}", count=book.stale[part]) for part in (*PARTS, DAMAGED) if book.stale[part]]
    if reasons:
        yield say("cohort.again", reasons="; ".join(reasons))
    here = {s.key for s in cohort.students}
    gone = sorted({student for student, _ in book.others} - here)
    if gone:
        more = ", ..." if len(gone) > MOST_NOTES else ""
        yield say("cohort.gone", names=", ".join(gone[:MOST_NOTES]) + more)
    others = sorted({exercise for student, exercise in book.others if student in here})
    if others:
        yield say("cohort.not-asked", names=", ".join(others))


def _say(message: Message) -> None:
    complain(str(message))


@contextlib.contextmanager
def _progress(cohort: Class) -> Iterator[Callable[[], None]]:
    """A bar with an estimate, on a terminal; elsewhere a line now and then, for a log."""
    todo = len(cohort.todo)
    err = console(stderr=True)
    if not err.is_terminal:
        done = 0

        def count() -> None:
            nonlocal done
            done += 1
            if done == todo or done % max(1, todo // 20) == 0:
                complain(f"{say('cohort.progress')} {done} / {todo}")

        yield count
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
               TimeRemainingColumn(elapsed_when_finished=True))  # fmt: skip
    with Progress(*columns, console=err, speed_estimate_period=600) as bar:
        task = bar.add_task(say("cohort.progress"), total=todo)
        yield lambda: bar.advance(task)
