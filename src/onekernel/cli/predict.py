"""`onekernel predict`: a learner commits to a prediction before the answer is shown.

Numbers are asked for, one by one; where a kind of check has many questions, the answers stand in the learner's file.
"""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from onekernel import learners
from onekernel.checks import Question
from onekernel.cli import INTERRUPTED
from onekernel.cli.common import load_course, one
from onekernel.cli.console import tell, verbatim
from onekernel.course import IN_FILE, Check, Course, Exercise
from onekernel.errors import UserError
from onekernel.learners import Learner
from onekernel.messages import Message, say, written
from onekernel.units import parse, understood

Questions = Sequence[Question]


def run(args: argparse.Namespace) -> int:
    course = load_course()
    exercise = one(course, args.exercise)
    learner = learners.chosen(course.root, args.learner)
    check = _check(exercise)
    if check is None:
        raise UserError(Message.of("cli.predict-nothing", slug=exercise.slug))
    if check.kind.predicts == IN_FILE:
        return _of_file(learner, exercise, check, args.set)
    questions: Questions = check.kind.asked(check.options)
    given = _given(args.set, questions)
    committed = learner.predictions(exercise.slug)
    if committed:
        if any(committed.get(k) != v for k, v in given.items()):
            date = learner.prediction_date(exercise.slug)
            raise UserError(Message.of("cli.predict-again", slug=exercise.slug, date=date))
        _show(learner, exercise, questions, committed)
        return 0
    missing = [q for q in questions if q.id not in given]
    if missing and not args.interactive:
        sets = " ".join(f"--set {q.id}=..." for q in questions)
        raise UserError(Message.of("cli.predict-missing", slug=exercise.slug, missing=_ids(missing), sets=sets))
    if missing:
        _introduce(exercise, check)
        with _nothing_kept(exercise):
            given |= {q.id: _ask(q) for q in missing}
    learner.commit_prediction(exercise.slug, {q.id: given[q.id] for q in questions})
    _show(learner, exercise, questions, given)
    tell("predict-committed", slug=exercise.slug)
    return 0


def _of_file(learner: Learner, exercise: Exercise, check: Check, sets: Sequence[str]) -> int:
    """Commits to the predictions that stand in the learner's file, all at once."""
    if sets:
        raise UserError(Message.of("cli.predict-in-file", slug=exercise.slug))
    answers = learner.predictions(exercise.slug)
    if not answers:
        found = _predicted(learner, exercise, check)
        missing = [question for question, answer in found.items() if answer is None]
        if missing:
            file = f"learners/{learner.name}/{exercise.file}"
            values = {"count": len(missing), "total": len(found), "file": file, "missing": missing[0]}
            raise UserError(Message("cli.predict-file-missing", values))
        answers = {question: str(answer) for question, answer in found.items()}
        learner.commit_prediction(exercise.slug, answers)
        tell("predict-committed-file", slug=exercise.slug)
    tell("predict-shown", slug=exercise.slug, date=learner.prediction_date(exercise.slug))
    for question in check.kind.asked(check.options):
        verbatim(f"    {question.id:30} {answers.get(question.id, '-')}")
    return 0


def _predicted(learner: Learner, exercise: Exercise, check: Check) -> dict[str, bool | None]:
    """Each question of the check with the answer in the learner's file. Raises UserError for a file without any."""
    path = learner.path(exercise.file)
    try:
        given = check.kind.in_file(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(Message.of("cli.no-file", path=path.relative_to(learner.root), slug=exercise.slug)) from None
    except SyntaxError as error:
        raise UserError(Message.of("grading.syntax", line=error.lineno or 0, why=error.msg)) from None
    return {q.id: given.get(q.id) for q in check.kind.asked(check.options)}


def ask_before_check(course: Course, learner: Learner, exercise: Exercise) -> None:
    """Asks for a prediction that is still missing, once there is a kernel to count. An empty answer puts it off."""
    check = _check(exercise)
    mine = learner.path(exercise.file)
    if check is None or learner.predictions(exercise.slug) or not mine.is_file():
        return
    if course.untouched(exercise, mine):
        return
    if check.kind.predicts == IN_FILE:
        with contextlib.suppress(UserError):  # the check tells what is wrong with the file
            if None not in _predicted(learner, exercise, check).values() and _agreed(exercise):
                _of_file(learner, exercise, check, ())
        return
    _introduce(exercise, check)
    tell("predict-later")
    answers: dict[str, str] = {}
    with _nothing_kept(exercise):
        for question in check.kind.asked(check.options):
            answer = _ask(question, may_skip=True)
            if answer is None:
                return
            answers[question.id] = answer
    learner.commit_prediction(exercise.slug, answers)


def _check(exercise: Exercise) -> Check | None:
    return next((c for c in exercise.checks if c.kind.predicts), None)


def _agreed(exercise: Exercise) -> bool:
    """Whether the learner commits to what stands in the file now."""
    verbatim("")
    tell("predict-file-now", slug=exercise.slug)
    try:
        return input("  > ").strip().lower() in ("yes", "y", "sí", "si", "s")
    except EOFError:
        raise KeyboardInterrupt from None


def _given(pairs: Sequence[str], questions: Questions) -> dict[str, str]:
    """What `--set id=value` gave. Raises UserError for a question that is not asked or a value in no unit of it."""
    known = {q.id: q for q in questions}
    given: dict[str, str] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or key not in known:
            raise UserError(Message.of("cli.predict-unknown", pair=pair, known=_ids(questions)))
        try:
            given[key] = _answer(value, known[key])
        except UserError as error:
            raise UserError(Message.of("cli.predict-value", id=key, text=value, why=error.message)) from None
    return given


def _answer(text: str, question: Question) -> str:
    """A prediction of that quantity as it is kept: a bare number is in the question's unit. Raises UserError for what
    is none."""
    if not text.strip():
        raise UserError(Message.of("cli.predict-empty", unit=_unit(question)))
    try:
        got = parse(text)
    except UserError as error:
        if question.unit or error.message.key != "units.no-number":
            raise
        raise UserError(Message("cli.predict-number", {"text": repr(text)})) from None
    if got.unit not in ("", question.unit):
        raise UserError(Message.of("cli.predict-unit", unit=_unit(question)))
    if got.unit == question.unit:
        return text.strip()
    joined = f"{text.strip()}{question.unit}"  # 4 KiB of 4 Ki
    return joined if text.strip()[-1].isalpha() else f"{text.strip()} {question.unit}"


@contextlib.contextmanager
def _nothing_kept(exercise: Exercise) -> Iterator[None]:
    """While answers are asked for: whoever stops then is told that those are not kept, which others are."""
    try:
        yield
    except KeyboardInterrupt:
        verbatim("")
        raise UserError(Message("cli.predict-stopped", {"slug": exercise.slug}), INTERRUPTED) from None


def _unit(question: Question) -> str:
    return question.unit or say("cli.no-unit")


def _introduce(exercise: Exercise, check: Check) -> None:
    sizes = " x ".join(str(v) for v in check.options["sizes"].values())
    verbatim("")
    tell("predict-intro", slug=exercise.slug, sizes=sizes)


def _ask(question: Question, *, may_skip: bool = False) -> Any:
    """Asks until the answer is a number in the right unit; None for an empty one where it may be put off."""
    while True:
        verbatim(f"  {question.id}: {question.what} ({_unit(question)})")
        try:
            text = input("  > ").strip()
        except EOFError:
            raise KeyboardInterrupt from None
        if not text and may_skip:
            return None
        try:
            return _answer(text, question)
        except UserError as error:
            verbatim(f"    {error}", "yellow")


def _show(learner: Learner, exercise: Exercise, questions: Questions, answers: Mapping[str, str]) -> None:
    tell("predict-shown", slug=exercise.slug, date=learner.prediction_date(exercise.slug))
    for q in questions:
        verbatim(f"    {q.id}: {_told(answers.get(q.id, '-'))}  ({q.what})")


def _told(text: str) -> str:
    """A prediction as it is scored; as it was typed where it cannot be read."""
    read = understood(text)
    return read if isinstance(read, str) else written(read, ".7g")


def _ids(questions: Questions) -> str:
    return ", ".join(q.id for q in questions)
