"""Verdicts without an answer to judge: files that are not worth running, that do not build, that cannot be judged."""

from __future__ import annotations

import tokenize
from contextlib import suppress
from pathlib import PurePath

from onekernel.course import Check
from onekernel.errors import UserError, why
from onekernel.grading.reasons import failure_of
from onekernel.grading.submission import ERRORS, SOURCE_BYTES, Submission
from onekernel.grading.verdicts import FAILED, MAX_FAILURES, NOT_ASSESSED, UNTOUCHED, Failure, Verdict
from onekernel.messages import Message
from onekernel.sandbox.supervisor import CallOutcome, RunOutcome

_READ_ALIKE = ("utf-8", "utf-8-sig", "ascii", "us-ascii")
KEPT_OPEN = "grading.kept-open"  # what keeps points open that nobody could say are lost


def refusals(submission: Submission) -> list[Verdict] | None:
    """Verdicts for a file that is not worth running: missing, too large, not UTF-8, still the starter. Else None."""
    if submission.unread is not None:
        return for_all(submission, NOT_ASSESSED if submission.unread.key == KEPT_OPEN else FAILED, submission.unread)
    try:
        if _is_linked(submission):  # to the solution, or to somebody else's file: not what was written here
            return for_all(submission, FAILED, Message("grading.link", {"path": _shown(submission)}))
        if not submission.path.is_file():
            return for_all(
                submission,
                FAILED,
                Message("grading.no-file", {"path": _shown(submission), "slug": submission.exercise.slug}),
            )
        if submission.path.stat().st_size > SOURCE_BYTES:
            return for_all(submission, FAILED, Message("grading.too-large", {"path": _shown(submission)}))
        submission.path.read_text(encoding="utf-8")
        if other := _says_other_encoding(submission):
            values = {"path": _shown(submission), "encoding": other}
            return for_all(submission, FAILED, Message("grading.other-encoding", values), line=1)
    except UnicodeDecodeError as error:
        line = submission.path.read_bytes()[: error.start].count(b"\n") + 1
        return for_all(
            submission, FAILED, Message("grading.not-utf8", {"path": _shown(submission), "line": line}), line=line
        )
    except OSError as error:
        unread = Message("grading.unreadable", {"path": _shown(submission), "why": why(error)})
        return for_all(submission, NOT_ASSESSED, Message(KEPT_OPEN, {"why": unread}))
    if not submission.exercise.broken and submission.course.untouched(submission.exercise, submission.path):
        return [Verdict(c, UNTOUCHED) for c in submission.exercise.checks]
    return None


def _is_linked(submission: Submission) -> bool:
    """Whether the file is a link, or lies in one below the folder that was handed in."""
    within = PurePath(submission.exercise.file).parts
    return any(path.is_symlink() for path in (submission.path, *submission.path.parents)[: len(within)])


def _says_other_encoding(submission: Submission) -> str | None:
    """The encoding that a Python file says it has, where Python would read other characters in it than we do: code
    could stand there in what is a comment here. Source: PEP 263."""
    if submission.path.suffix != ".py":
        return None
    with submission.path.open("rb") as file, suppress(SyntaxError):  # one that Python does not know: it is told so
        found = tokenize.detect_encoding(file.readline)[0]
        return None if found in _READ_ALIKE else found
    return None


def _shown(submission: Submission) -> str:
    """The file as a reader knows it: from the course's root, where it lies in it; of a class, by the course's name."""
    root = submission.course.root
    if submission.closed:
        return submission.exercise.file
    return str(submission.path.relative_to(root) if submission.path.is_relative_to(root) else submission.path)


def for_all(submission: Submission, status: str, message: Message, *, line: int | None = None) -> list[Verdict]:
    """The same verdict for every check."""
    failure = Failure(
        message, submission.exercise.checks[0].chapter, file=str(submission.path), line=line, code="refused"
    )
    return _told_once(submission, status, (failure,))


def _told_once(submission: Submission, status: str, failures: tuple[Failure, ...]) -> list[Verdict]:
    """The first check tells why, so that it is read once, and the others that it does; what this machine cannot assess
    has its reason at each."""
    first, *others = submission.exercise.checks
    verdicts = [Verdict(first, status, failures=failures[:MAX_FAILURES])]
    for check in others:
        there = Failure(Message("grading.told-at-first"), check.chapter, code="told-at-first")
        verdicts.append(Verdict(check, status, failures=failures[:1] if status == NOT_ASSESSED else (there,)))
    return verdicts


def build_failed(submission: Submission, outcome: RunOutcome) -> list[Verdict]:
    """The compiler's findings, told once, at the first check."""
    failures = tuple(failure_of(f, submission.exercise.checks[0]) for f in outcome.build)
    if outcome.ended:
        failures = (Failure(outcome.ended, ERRORS, code="ended"),)
    return _told_once(submission, FAILED, failures)


def not_built(outcome: RunOutcome) -> CallOutcome:
    """A call of a file that does not build with the macros that the call asks for, though it does without."""
    return CallOutcome(exports=outcome.build, ended=outcome.ended)


def unjudged(check: Check, error: Exception) -> Verdict:
    """No points, by name, for a file that could not be read or judged: its points stay in the total."""
    if isinstance(error, SyntaxError):
        why = Message("grading.syntax", {"line": error.lineno or 0, "why": error.msg})
        return Verdict(check, FAILED, failures=(Failure(why, check.chapter, line=error.lineno, code="syntax"),))
    name = Message("grading.unjudged", {"error": type(error).__name__})
    why = error.message if isinstance(error, UserError) else name
    return Verdict(check, FAILED, failures=(Failure(why, check.chapter, code="unjudged"),))
