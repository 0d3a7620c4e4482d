"""Judges a tuning log by its complete rounds."""

from __future__ import annotations

from onekernel.checks.log.rounds import EXPLANATION_WORDS, rounds, starting_point
from onekernel.course import Check
from onekernel.grading.submission import Ran, Submission
from onekernel.grading.verdicts import FAILED, PARTIAL, PASSED, Failure, Verdict
from onekernel.messages import Message

ROUNDS = 3


def judge(s: Submission, check: Check, ran: Ran, before: list[Verdict]) -> Verdict:
    """A third of the points for each complete round, three at the most."""
    text = s.path.read_text(encoding="utf-8")
    seen = [kernel] if (kernel := starting_point(text)) else []
    complete, failures = 0, []
    for r in rounds(text):
        lack = r.missing(seen)
        if lack:
            values = {"number": r.number, "title": r.title, "words": EXPLANATION_WORDS, "log": s.exercise.slug}
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
