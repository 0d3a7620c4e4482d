"""A GPU's verdicts beside the simulator's, or beside those of Triton's interpreter.

What gives right results on a GPU must do so there, too: there device memory is closed to the host, and every access is
checked. What is wrong on a GPU, which does not say where, is looked for there and told with its line.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from onekernel.grading.submission import Submission
from onekernel.grading.verdicts import FAILED, MAX_FAILURES, PASSED, Failure, Verdict
from onekernel.messages import Message

RAISED = "raised"  # what Triton says, in its own words


def same_on_simulator(
    s: Submission, verdicts: list[Verdict], grade: Callable[[Submission], list[Verdict]]
) -> list[Verdict]:
    """The verdicts of a GPU; others need nothing beside them. Where this machine cannot simulate, its word stands.
    `grade` judges the checks of a submission."""
    asked = tuple(v.check for v in verdicts if v.check.kind.shows_right and (v.status == PASSED or _unexplained(v)))
    if s.backend == "python" or s.ran_on != "cuda" or not asked:
        return verdicts
    there = replace(s, device="simulator", exercise=replace(s.exercise, checks=asked))
    failed = {v.check.id: v.failures for v in grade(there) if v.status == FAILED}
    return [_beside(s, v, failed[v.check.id]) if v.check.id in failed else v for v in verdicts]


def _unexplained(verdict: Verdict) -> bool:
    """Whether a check failed, and nothing that is said of it names a line; or the line alone, of what Triton raised."""
    told = any(f.code == "told-at-first" for f in verdict.failures)
    return verdict.status == FAILED and not told and all(f.line is None or f.code == RAISED for f in verdict.failures)


def _beside(s: Submission, verdict: Verdict, there: tuple[Failure, ...]) -> Verdict:
    """A verdict of the GPU where the check failed without it: another one, or a better sentence for the same."""
    if verdict.status == PASSED:
        key = "grading.also-interpreter" if s.backend == "triton" else "grading.also-simulator"
        there = (replace(there[0], message=Message(key, {"why": there[0].message})), *there[1:])
        return Verdict(verdict.check, FAILED, failures=there, note=verdict.note)
    named = tuple(f for f in there if f.line is not None)
    return replace(verdict, failures=(*named, *verdict.failures)[:MAX_FAILURES])
