"""The commands of a learner beside `check` and `predict`: start, status, hint, diff, reset, solution."""

from __future__ import annotations

import argparse
import difflib
import os
from collections.abc import Collection
from pathlib import Path
from typing import Any

from onekernel import gaps, learners
from onekernel.cli.common import lab_heading, lab_of, load_course, next_step, one, prose, select
from onekernel.cli.console import MARKS, tell, verbatim, write
from onekernel.course import Course, Exercise, Lab
from onekernel.errors import UserError
from onekernel.grading.verdicts import PARTIAL, PASSED, UNTOUCHED, place
from onekernel.labs.statements import hints_of, statement
from onekernel.learners import Learner
from onekernel.messages import Message, language, say, written


def start(args: argparse.Namespace) -> int:
    course = load_course()
    starters = {e.file: text for e in course.exercises.values() if (text := _starter(course, e)) is not None}
    new = not learners.named(course.root, args.name).folder.is_dir()
    learner, added = learners.start(course.root, args.name, starters)
    tell("started" if new else "started-again", name=learner.name)
    small = {e.file for e in course.practice}
    for file in added:
        if file not in small:
            verbatim(f"    learners/{learner.name}/{file}")
    if small & set(added):
        tell("started-practice", count=len(small & set(added)), folder=f"learners/{learner.name}/practice/")
    next_step(course, learner)
    return 0


def _starter(course: Course, exercise: Exercise) -> str | None:
    """The starter's text in the language in force; None where the exercise has no starter."""
    return course.starters(exercise).get(language())


def status(args: argparse.Namespace) -> int:
    course = load_course()
    learner = learners.chosen(course.root, args.learner)
    scores = learner.scores()
    verbatim(learner.name, "bold")
    asked, here = select(course, args.part), lab_of(course, learner) or course.labs[0].name
    earned, points, apart = 0.0, 0, True
    for lab in course.labs:
        mine = [e for e in lab.exercises if e in asked]
        best = {e.slug: scores.get(e.slug, {}).get("best", {}) for e in mine}
        earned += sum(b.get("earned", 0) for b in best.values())
        points += sum(e.points for e in mine)
        if not mine:
            continue
        full = bool(args.part) or lab.name == here
        if full or apart:
            write()
        apart = full
        if not full:
            _lab_row(lab, best.values())
            continue
        write(lab_heading(lab), "bold")
        for exercise in mine:
            _status_row(course, learner, exercise, best[exercise.slug])
    write()
    verbatim("  " + say("cli.total-points", earned=earned, points=points), "bold")
    next_step(course, learner)
    return 0


def _lab_row(lab: Lab, best: Collection[dict[str, Any]]) -> None:
    """A lab in a line: how many of its exercises are solved, and its points; `best` has a record of each, or {}."""
    done, begun = sum(bool(b.get("solved")) for b in best), any(best)
    state = PASSED if done == len(best) else PARTIAL if begun else UNTOUCHED
    mark, style = MARKS[state]
    earned = sum(b.get("earned", 0) for b in best)
    value = f"{written(earned, 'g')} / {sum(e.points for e in lab.exercises)}"
    told = say("cli.lab-solved", solved=done, total=len(best))
    verbatim(f"  {mark} {lab.name:<22} {told:<16} {value:>9}", style if begun else "")


def _status_row(course: Course, learner: Learner, exercise: Exercise, best: dict[str, Any]) -> None:
    mine = learner.path(exercise.file)
    state = best.get("status")
    if state is None:
        fresh = not mine.is_file() or course.untouched(exercise, mine)
        word = say("grading.status-untouched" if fresh else "cli.not-checked")
        state = "untouched"
    else:
        word = say(f"grading.status-{state}")
    mark, style = MARKS[state]
    when = f"{best['date'][:10]} {place(best['device'])}" if best else ""
    hints = learner.hints_read(exercise.slug)
    if hints:
        when += ("  " if when else "") + say("cli.hints-read", count=hints)
    value = f"{written(best.get('earned', 0), 'g')} / {exercise.points}"
    line = f"  {mark} {exercise.slug:<22} {word:<16} {value:>9}  {when}"
    verbatim(line.rstrip(), style if best else "")


def hint(args: argparse.Namespace) -> int:
    course = load_course()
    exercise = one(course, args.exercise)
    learner = learners.chosen(course.root, args.learner)
    levels = hints_of(course, exercise)
    if not levels:
        raise UserError(Message.of("cli.no-hints", slug=exercise.slug))
    read = min(learner.hints_read(exercise.slug), len(levels))
    if args.again:
        shown = levels[:read]
        if not shown:
            raise UserError(Message.of("cli.no-hint-read", slug=exercise.slug))
        for number, text in enumerate(shown, 1):
            _show_hint(exercise, number, len(levels), text)
        return 0
    if read == len(levels):
        tell("hints-over", slug=exercise.slug)
        return 0
    _show_hint(exercise, read + 1, len(levels), levels[read])
    learner.read_hint(exercise.slug, read + 1)
    return 0


def _show_hint(exercise: Exercise, number: int, total: int, text: str) -> None:
    """Paragraphs are broken to fit, code is not."""
    verbatim(say("cli.hint", slug=exercise.slug, number=number, total=total), "bold")
    prose(text)
    write()


def diff(args: argparse.Namespace) -> int:
    course = load_course()
    exercise = one(course, args.exercise)
    learner = learners.chosen(course.root, args.learner)
    mine = learner.path(exercise.file)
    now = _text(mine).splitlines()
    begun = [text.splitlines() for text in course.starters(exercise).values()] or [[]]
    lines = list(difflib.unified_diff(
        max(begun, key=lambda text: len(set(text) & set(now))), now,  # the language that they began in
        f"kernels/{exercise.file}", f"learners/{learner.name}/{exercise.file}", lineterm="",
    ))  # fmt: skip
    if not lines:
        tell("no-diff", slug=exercise.slug)
    styles = {"+": "green", "-": "red", "@": "cyan"}
    for line in lines:
        verbatim(line, styles.get(line[:1]))
    return 0


def reset(args: argparse.Namespace) -> int:
    course = load_course()
    exercise = one(course, args.exercise)
    learner = learners.chosen(course.root, args.learner)
    starter, mine = course.starters(exercise)[language()], learner.path(exercise.file)
    if mine.is_file() and mine.read_bytes() == starter.encode():
        tell("no-diff", slug=exercise.slug)
        return 0
    kept = learner.reset(exercise.file, starter)
    if kept is None:
        tell("reset-new", file=f"learners/{learner.name}/{exercise.file}")
    else:
        tell("reset-kept", file=exercise.file, kept=kept.relative_to(course.root))
    return 0


def solution(args: argparse.Namespace) -> int:
    course = load_course()
    exercise = one(course, args.exercise)
    if not args.spoil and not learners.chosen(course.root, args.learner).solved(exercise.slug):
        raise UserError(Message.of("cli.not-solved", slug=exercise.slug, statement=statement(course, exercise)))
    path = course.record(exercise) if args.record else course.solution(exercise)
    print(course.told(exercise, gaps.solved(path.read_text(encoding="utf-8"), path))[language()], end="")
    return 0


def _text(path: Path) -> str:
    if os.path.lexists(path) and not path.is_file():
        raise UserError(Message.of("cli.not-plain", path=path, slug=path.stem))
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise UserError(Message.of("cli.no-file", path=path, slug=path.stem)) from None
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        raise UserError(Message.of("cli.not-utf8", path=path, line=line)) from None
