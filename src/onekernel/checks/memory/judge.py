"""Judges a kernel's memory behaviour by one measure."""

from __future__ import annotations

import math
from dataclasses import replace

from onekernel.checks.counting import by_code, call_at, counted, uncertain
from onekernel.checks.measures import MEASURES, Counted, Measure
from onekernel.course import Check
from onekernel.grading.buffers import Call
from onekernel.grading.submission import Ran, Submission
from onekernel.grading.verdicts import FAILED, NOT_ASSESSED, PARTIAL, PASSED, Failure, Verdict
from onekernel.messages import Message

ON_LONG_ROWS = MEASURES["scatter"]  # their kernel may walk the row three times, which is another check's


def plan(submission: Submission, check: Check) -> list[Call]:
    """One call at the check's sizes, and one at those of its long rows, where it has some."""
    sizes = (check.options[key] for key in ("sizes", "long") if key in check.options)
    return [call_at(submission, some, submission.exercise.dtypes[0]) for some in sizes]


def judge(submission: Submission, check: Check, ran: Ran, before: list[Verdict]) -> Verdict:
    """Full points at `full` or better, none at `zero` or worse, in proportion between.

    The kernel is counted as it is written. Where that would cost points and NVIDIA's compiler is here, its machine code
    is counted, too, and the better counts: what it makes worse than is written is not the learner's doing, and not seen
    where it is missing. Where nothing is lost nobody waits for it.
    """
    written = _by_counts(submission, check, ran)
    if written.status == PASSED or any(not f.code.startswith("memory-") for f in written.failures):
        return written
    coded = by_code(submission, ran)
    if coded is None:
        return written
    verdict = _by_counts(submission, check, coded)
    lost_by_counts = any(f.code.startswith("memory-") for f in verdict.failures)
    if not lost_by_counts or written.earned <= verdict.earned:
        return verdict
    line = next((f.line for f in verdict.failures if f.line), None)
    values = {"what": verdict.note or "", "exercise": submission.exercise.slug}
    told = Message("grading.compiler-makes-more-somewhere", values)
    if line:
        told = Message("grading.compiler-makes-more", {**values, "line": line})
    return replace(written, details=(told,))


def _by_counts(submission: Submission, check: Check, ran: Ran) -> Verdict:
    """The verdict of one way to count.

    With `long`, sizes of rows that take another path, what is moved of the bytes that are asked for there counts, too:
    the worse of both. No points before the measures in `after` are that low: a kernel whose threads walk a row each has
    no barrier and no bank conflict, and that is no merit.
    """
    measure = MEASURES[check.options["measure"]]
    after = {MEASURES[name]: most for name, most in check.options.get("after", {}).items()}
    here, failures = counted(submission, check, ran[:1])
    judged = [(measure, here)]
    for one in ran[1:]:
        there, more = counted(submission, check, [one])
        failures += more
        judged.append((ON_LONG_ROWS, there))
    if failures:
        return Verdict(check, FAILED, failures=tuple(failures))
    exact = all(k.extra.get("exact_requests") for _, c in judged for k in c.kernels)
    for other, most in after.items():
        if other.value(here) <= most and _is_certain(other, here, exact):
            continue
        if not exact and other.by_request:
            return Verdict(check, NOT_ASSESSED, note=Message("grading.counts-not-exact"))
        if doubtful := uncertain(here.kernels, other.space):
            return Verdict(check, NOT_ASSESSED, note=doubtful)
        if all(math.prod((*k.grid, *k.block)) == 1 for k in here.kernels):
            alone = Message("grading.memory-one-thread")
            why = Failure(alone, "01-03-launch#launch", file=str(submission.path), code="memory-one-thread")
            return Verdict(check, FAILED, failures=(why,), note=measure.told(here))
        values = {"what": other.told(here), "most": other.limit(most)}
        said = Message(f"grading.memory-after{'' if other.name == 'bytes_moved' else '-other'}", values)
        why = _failure(submission, check, said, other, here)
        return Verdict(check, FAILED, failures=(why,), note=measure.told(here))
    full, zero = check.options["full"], check.options["zero"]
    shares = [min(1.0, max(0.0, (zero - m.value(c)) / (zero - full))) for m, c in judged]
    share = min(shares)
    if share == 1.0 and all(_is_certain(m, c, exact) for m, c in judged):
        return Verdict(check, PASSED, check.points, note=measure.told(here))
    least, found = judged[shares.index(share)]
    if not exact and least.by_request:
        return Verdict(check, NOT_ASSESSED, note=Message("grading.counts-not-exact"))
    if doubtful := uncertain(found.kernels, least.space):
        return Verdict(check, NOT_ASSESSED, note=doubtful)
    note = least.told(found)
    earned = math.floor(10 * check.points * share) / 10  # never rounded up to all of them
    what = Message("grading.memory", {"what": note, "full": least.limit(full)})
    return Verdict(
        check, PARTIAL if share else FAILED, earned, (_failure(submission, check, what, least, found),), note
    )


def _is_certain(measure: Measure, counted: Counted, exact: bool) -> bool:
    """Whether a limit that the measure keeps is kept indeed. One access that was counted as several is too many, never
    too few; but a share of such counts may be too small, where the whole has grown more than the part."""
    return exact or measure.unit != "%" or not measure.value(counted)


def _failure(submission: Submission, check: Check, what: Message, measure: Measure, counted: Counted) -> Failure:
    """What was measured, the line that it comes from mostly, what would do there, and the command that draws it."""
    code = f"memory-{measure.name.replace('_', '-')}"
    found = measure.worst_line(counted.kernels, submission.path)
    if found is None:
        return Failure(what, check.chapter, code=code)
    see = f"onekernel trace {submission.exercise.slug}"
    if counted.sizes != submission.exercise.counted_sizes:
        see += f" --shape {','.join(str(v) for v in counted.sizes.values())}"
    see += f" --line {found.line}" if found.drawn else ""
    both = Message("grading.both", {"first": what, "second": found.message})
    return Failure(both, check.chapter, file=str(submission.path), line=found.line, code=code, see=see)
