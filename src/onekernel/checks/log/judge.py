"""Judges a tuning log by its complete rounds."""

from __future__ import annotations

from pathlib import Path

from onekernel.checks.log.rounds import EXPLANATION_WORDS, MOST_LINES, Round, rounds, starting_point
from onekernel.course import Check
from onekernel.grading.submission import SOURCE_BYTES, Ran, Submission
from onekernel.grading.verdicts import FAILED, PARTIAL, PASSED, Failure, Verdict
from onekernel.messages import Message

ROUNDS = 3
LONGER = 3  # times as long as the kernel is that was handed in, it may have been in an earlier round


def judge(submission: Submission, check: Check, ran: Ran, before: list[Verdict]) -> Verdict:
    """A third of the points for each complete round, three at the most."""
    text = submission.path.read_text(encoding="utf-8")
    seen = [kernel] if (kernel := starting_point(text)) else []
    complete, failures = 0, []
    earlier: list[Round] = []
    most_lines = _most_lines(submission, check)
    for r in rounds(text):
        lack = r.missing(seen, earlier, most_lines)
        earlier.append(r)
        if lack:
            values = {"number": r.number, "title": r.title, "words": EXPLANATION_WORDS, "log": submission.exercise.slug}
            failures.append(Failure(Message(f"grading.{lack}", values), check.chapter, code=lack))
        else:
            complete += 1
        if r.kernel:
            seen.append(r.kernel)
    done = min(complete, ROUNDS)
    note = Message("grading.log-rounds", {"complete": complete, "wanted": ROUNDS})
    if done == ROUNDS:
        return Verdict(check, PASSED, check.points, note=note)
    failures = failures or [Failure(note, check.chapter, code="log-rounds")]
    return Verdict(check, PARTIAL if done else FAILED, round(check.points * done / ROUNDS, 1), tuple(failures), note)


def _most_lines(submission: Submission, check: Check) -> int:
    """The lines that the kernel may have had of which the log tells: it lies beside it."""
    kernel = submission.path.with_name(Path(submission.course.exercises[check.options["kernel"]].file).name)
    try:
        if not kernel.is_file() or kernel.is_symlink() or kernel.stat().st_size > SOURCE_BYTES:
            return MOST_LINES
        return LONGER * (kernel.read_bytes().count(b"\n") + 1)
    except OSError:
        return MOST_LINES
