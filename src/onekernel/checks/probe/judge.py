"""Judges a storage probe: its predictions, which were committed to, and its experiments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from onekernel.checks import Question
from onekernel.checks.python_task import run, trouble
from onekernel.course import Check
from onekernel.grading.submission import Ran, Submission
from onekernel.grading.verdicts import FAILED, NOT_ASSESSED, PARTIAL, PASSED, Failure, Verdict
from onekernel.messages import Message
from onekernel.minigpt import storage
from onekernel.sandbox.reader import read
from onekernel.sandbox.readers import constants

SECONDS = 60.0


def judge(submission: Submission, check: Check, ran: Ran, before: list[Verdict]) -> Verdict:
    """Half of the points for the predictions, in proportion; half for experiments that show the answers.

    The predictions are those that were committed: the truth is not told to anybody who can still change theirs.
    """
    read(constants, submission.path.read_text(encoding="utf-8"))  # a file that is not Python is told so, with the line
    done = run(submission, {"task": "probe", "requests": [storage.request(submission.device == "cuda")]}, SECONDS)
    stopped = trouble(check, done)
    if stopped and stopped.status == NOT_ASSESSED:
        return stopped
    wrong = list(stopped.failures) if stopped else []
    if not stopped:
        wrong = [Failure(m, check.chapter, code="experiment") for m in storage.judge_probe(done.answers[0])]
    earned = check.points / 2 * (not wrong)
    moved = storage.observed_move(submission.device == "cuda") if not stopped else None
    if not submission.predictions:
        why = Message("grading.predict-first-file", {"slug": submission.exercise.slug})
        first = Failure(why, check.chapter, code="predict-first")
        return Verdict(check, PARTIAL if earned else FAILED, earned, (*wrong, first), moved)
    results = storage.judge_predictions(storage.committed(submission.predictions))
    right = sum(r.right for r in results)
    earned = round(earned + check.points / 2 * right / len(results), 1)
    failures = [*wrong, *(Failure(m, check.chapter, code="prediction") for r in results for m in r.messages)]
    status = PASSED if not failures else PARTIAL if earned else FAILED
    answers = Message("grading.answers", {"right": right, "total": len(results)})
    note = Message("minigpt.probe-note", {"answers": answers, "moved": moved}) if moved else answers
    return Verdict(check, status, earned, tuple(failures), note)


def asked(options: Mapping[str, Any]) -> list[Question]:
    """Every question, in order."""
    return [Question(name, Message(f"minigpt.probe-{name}")) for name in storage.TRUTH]


def in_file(text: str) -> dict[str, bool | None]:
    """What a file predicts. Raises SyntaxError, and UserError for a file without predictions."""
    given: dict[str, bool | None] = read(storage.predictions, text)
    return given
