"""One mutant graded: first by a few small inputs on the simulator, which most mutants do not survive, then as a
submission."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from audits.mutants.files import Original
from onekernel.course import Check, Course
from onekernel.grading.buffers import Call
from onekernel.grading.calling import backend_of
from onekernel.grading.grader import grade
from onekernel.grading.judging import judge_call
from onekernel.grading.submission import Submission
from onekernel.grading.verdicts import PASSED
from onekernel.sandbox import supervisor
from onekernel.sandbox.protocol import Request

FEW = 7  # inputs of the first look
SMALL = 3000  # elements of one of them at the most
SECONDS = 2.0  # of processor time for a call, in the simulator: a mutant that loops for ever is dead


@dataclass(frozen=True)
class End:
    """What became of a mutant: "killed", "survived", or "refused" by a compiler; the codes of what killed it."""

    end: str
    by: tuple[str, ...] = ()


def graded(original: Original, course: Course, path: Path, on: str, seed: int, *, explained: bool = False) -> End:
    """Grades the mutant at `path` on each of the file's cards, until one kills it. One that is `explained` is looked at
    with few inputs, which must not show it."""
    end = End("survived")
    for card in original.cards:
        with original.on(card):
            end = _graded(original.submission(course, path, on, seed), explained)
        if end.end != "survived":
            return end
    return end


def _graded(s: Submission, explained: bool) -> End:
    if s.exercise.operator and not s.exercise.home:  # a small one is small as it is, and its answer the oracle
        early = _first_look(replace(s, device="simulator"))
        if early or explained:
            return early or End("survived")
    result = grade(s)
    codes = {f.code for v in result.verdicts for f in v.failures}
    if codes & {"compile-error", "syntax", "refused"}:
        return End("refused", tuple(sorted(codes)))
    lost = [v for v in result.verdicts if v.status != PASSED]
    return End("killed", tuple(sorted({f.code for v in lost for f in v.failures}))) if lost else End("survived")


def _first_look(s: Submission) -> End | None:
    """The end of a mutant that a few small inputs show; None for one that is right on them."""
    few = _few(s)
    prototypes = [s.operator.prototype(s.exercise.slug, d) for d in s.exercise.dtypes]
    options = {"mode": "check", "time_limit": SECONDS} if s.backend == "simulator" else {}
    calls = [(call.function, call.args) for _, call in few]
    request = Request(s.path.resolve(), backend_of(s), calls, prototypes, options)
    outcome = supervisor.run(request)
    if not outcome.built and not outcome.build:
        outcome = supervisor.run(request)  # a busy machine: no compiler has said anything
    if not outcome.built and not outcome.build:
        raise OSError(f"{s.path.name} could not be built: {outcome.ended or outcome.unavailable}")
    if not outcome.built:
        return End("refused", tuple(sorted({f.code for f in outcome.build})))
    ended = zip(few, outcome.calls, strict=True)
    found = {failure.code for (check, call), ran in ended for failure in judge_call(s, check, call, ran)}
    return End("killed", tuple(sorted(found))) if found else None


def _few(s: Submission) -> list[tuple[Check, Call]]:
    """Small plain calls in the exercise's first type, some of each of its checks."""
    found: list[tuple[Check, Call]] = []
    for check in s.exercise.checks:
        if check.kind.name != "correct":
            continue
        plain = [c for c in check.kind.plan(s, check) if c.case.plain and c.dtype == s.exercise.dtypes[0]]
        small = [call for call in plain if 1 < sum(x.size for x in call.inputs.values()) <= SMALL]
        most = FEW if not found else 2
        found += [(check, call) for call in small[:: max(1, len(small) // most)][:most]]
    return found
