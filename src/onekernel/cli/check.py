"""`onekernel check`: grades a learner's files, or the solutions, and keeps the scores."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Collection, Sequence
from functools import partial
from pathlib import Path
from time import monotonic, sleep
from typing import NoReturn

from onekernel import __version__, doctor, learners
from onekernel.cli import pool, scoreboard, waiting
from onekernel.cli.common import answer, load_course, next_of, next_step, prose, select
from onekernel.cli.console import complain, tell, verbatim
from onekernel.cli.predict import ask_before_check
from onekernel.course import Course, Exercise
from onekernel.errors import UserError
from onekernel.grading.grader import fresh_seed
from onekernel.grading.submission import Submission
from onekernel.grading.verdicts import UNTOUCHED, Result, Scorecard, place
from onekernel.labs.statements import parts_of
from onekernel.learners import Learner
from onekernel.messages import Message, say
from onekernel.sandbox import confinement

POLL_SECONDS = 0.1


def run(args: argparse.Namespace) -> int:
    course = load_course()
    exercises = select(course, args.target)
    if args.require_sandbox:
        confinement.require()
    learner = None if args.solutions else learners.chosen(course.root, args.learner)
    _refuse_another_file(course, learner, args)
    if args.json:
        learners.expect_to_write(Path(args.json))  # told before the work, not after it
    if not args.watch:
        return _once(course, exercises, learner, args)
    while learner is None:
        watched = [answer(course, e, args) for e in exercises]
        seen = _stamps(watched)
        _once(course, exercises, None, args)
        _wait(watched, seen)
    _watch(course, exercises, learner, args)


def _refuse_another_file(course: Course, learner: Learner | None, args: argparse.Namespace) -> None:
    """A path names its exercise. One that leads to a file which is not the one to be graded would be misunderstood."""
    for name in args.target:
        if not (name.endswith((".cu", ".py", ".md")) and os.path.isfile(name)):
            continue
        (exercise,) = course.select(name)
        graded = learner.path(exercise.file) if learner else answer(course, exercise, args)
        if not graded.exists() or not os.path.samefile(name, graded):
            shown = os.path.relpath(graded, course.root)
            raise UserError(Message.of("cli.another-file", file=name, graded=shown, slug=exercise.slug))


def _watch(course: Course, exercises: tuple[Exercise, ...], learner: Learner, args: argparse.Namespace) -> NoReturn:
    """Grades the first exercise that is open, then whatever is saved; what is solved makes way for the next one."""
    at = next((e for e in exercises if not learner.solved(e.slug)), exercises[0])
    _tell(course, at)

    def files() -> dict[Path, Exercise]:
        return {learner.path(e.file): e for e in (*exercises, at)}

    while True:
        seen = _stamps(watched := files())
        _once(course, (at,), learner, args, among=exercises)
        following = next_of(course, learner, (at, *exercises)) if learner.solved(at.slug) else None
        if following is not None:
            at = following
            seen = _stamps(watched := files())
            _tell(course, at)
        at = [*watched.values()][_wait(watched, seen)]


def _tell(course: Course, exercise: Exercise) -> None:
    """What to do in a small exercise: short enough to be read where it is graded."""
    if exercise.home:
        verbatim(str(exercise.title), "bold")
        prose(parts_of(course, exercise)[0])
        verbatim("")


def _wait(paths: Collection[Path], seen: list[float]) -> int:
    """Waits until a file is not as it was `seen`; which one."""
    verbatim("")
    tell("watching")
    while (now := _stamps(paths)) == seen:
        sleep(POLL_SECONDS)
    return next(i for i, (a, b) in enumerate(zip(now, seen, strict=True)) if a != b)


def _once(
    course: Course, exercises: tuple[Exercise, ...], learner: Learner | None, args: argparse.Namespace,
    among: tuple[Exercise, ...] = (),
) -> int:
    """One round of grading; `among` those that come next before others. Returns the exit code."""
    with waiting.shown(partial(waiting.testing, monotonic())):
        device, note = doctor.found(course, exercises, args.device)
    if note:
        complain(str(note))
    if learner:
        learner.scores()  # damaged ones are refused before the work, not after it
    if learner and sys.stdin.isatty() and sys.stdout.isatty():
        for exercise in exercises:
            ask_before_check(course, learner, exercise)
    seed = fresh_seed() if args.seed is None else args.seed
    submissions = [_submission(course, e, learner, args, device, seed) for e in exercises]
    _begin(learner, submissions, seed)
    results: list[Result] = []
    looked_at = args.learner == learners.EXAMPLE  # by somebody else: his scores are files of the course
    not_kept: OSError | None = None  # where scores cannot be written: said below the verdicts, not instead of them
    progress = pool.progress_of(len(exercises))
    following = pool.graded(
        submissions, lambda: doctor.trust(course, exercises, device), progress=progress, first=args.first
    )
    began = monotonic()
    try:
        for exercise in exercises:
            with waiting.shown(partial(waiting.grading, exercises, progress, began, exercise)):
                result = next(following, None)
            if result is None:
                break
            scoreboard.show_one(result, course, results[-1] if results else None, alone=len(exercises) == 1)
            results.append(result)
            if learner and not looked_at and not not_kept and not result.not_graded:  # half a score would be none
                try:
                    _record(learner, result)
                except OSError as error:
                    not_kept = error
    except KeyboardInterrupt:
        _write(args.json, learner, device, seed, Scorecard.of(results), exercises)
        raise
    card = Scorecard.of(results)
    scoreboard.show_rest(card, course, _replay(args, learner))
    _tell_not_graded(results, exercises, kept=learner is not None and not looked_at)
    _write(args.json, learner, device, seed, card, exercises)
    if not_kept:
        raise not_kept
    if looked_at:
        tell("example-stays", name=learners.EXAMPLE)
    elif learner:
        learners.write_evidence(course, learner)
    done = all(r.solved for r in results)
    if learner and all(r.solved or r.status == UNTOUCHED for r in results):  # what failed comes next, and was explained
        next_step(course, learner, (*exercises, *among))
    return 0 if done else 1


def _begin(learner: Learner | None, submissions: Sequence[Submission], seed: int) -> None:
    """Whose files are graded, and what runs them."""
    who = learner.name if learner else say("cli.solutions")
    where = ", ".join(sorted({place(submission.ran_on) for submission in submissions} - {"-"})) or "-"
    verbatim(say("cli.heading", version=__version__, who=who, device=where, seed=seed), "bold")


def _tell_not_graded(results: Sequence[Result], exercises: Sequence[Exercise], *, kept: bool) -> None:
    """What was left where the first check that fails ended it, in a line."""
    last = results[-1]
    checks, others = len(last.not_graded), len(exercises) - len(results)
    if not checks and not others:
        return
    parts = [say("cli.left-checks", count=checks, slug=last.exercise.slug)] if checks else []
    parts += [say("cli.left-exercises", count=others)] if others else []
    verbatim("")
    if kept and checks:
        tell("left-kept", what=", ".join(parts), slug=last.exercise.slug)
    else:
        tell("left", what=", ".join(parts))


def _write(
    path: str | None, learner: Learner | None, device: str, seed: int, card: Scorecard, asked: Sequence[Exercise]
) -> None:
    """The scorecard as JSON, where it was asked for, with the checks of what was `asked` that were not graded."""
    if path:
        told = {v.check.id for r in card.results for v in r.verdicts}
        left = [c.id for e in asked for c in e.checks if c.id not in told]
        about = {"version": __version__, "learner": learner.name if learner else None, "device": device, "seed": seed}
        learners.write_report(Path(path), {**about, "date": learners.today(), **card.to_json(), "not_graded": left})


def _submission(
    course: Course, exercise: Exercise, learner: Learner | None, args: argparse.Namespace, device: str, seed: int
) -> Submission:
    if learner:
        return Submission(
            course, exercise, learner.path(exercise.file), device, seed, learner.predictions(exercise.slug)
        )
    predictions = learners.read_predictions(course.root / "solutions").get(exercise.slug, {})
    return Submission(course, exercise, answer(course, exercise, args), device, seed, predictions)


def _record(learner: Learner, result: Result) -> None:
    if result.status == UNTOUCHED:
        return
    learner.record(
        result.exercise.slug,
        {
            "status": result.status,
            "solved": result.solved,
            "earned": result.earned,
            "assessed": result.assessed,
            "points": result.exercise.points,
            "checks": {v.check.id: v.earned for v in result.verdicts},
            "device": result.ran_on,
            "seed": result.seed,
            "version": __version__,
            "date": learners.today(),
        },
    )


def _replay(args: argparse.Namespace, learner: Learner | None) -> str:
    command = "onekernel check"
    if learner is None:
        command += f" {args.solutions}"
    elif args.learner:
        command += f" --learner {learner.name}"
    return command + (f" --device {args.device}" if args.device != "auto" else "")


def _stamps(paths: Collection[Path]) -> list[float]:
    return [p.stat().st_mtime if p.exists() else 0.0 for p in paths]
