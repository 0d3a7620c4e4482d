"""Plans the cases of a check's groups, and judges a kernel by all of them."""

from __future__ import annotations

import math
from dataclasses import replace

from onekernel.course import Check
from onekernel.grading import buffers, sparse
from onekernel.grading.buffers import Call
from onekernel.grading.endings import only_slow
from onekernel.grading.judging import judge_call
from onekernel.grading.submission import ENDLESS, SYMPTOMS, Ran, Submission
from onekernel.grading.verdicts import FAILED, MAX_FAILURES, PASSED, Failure, Verdict
from onekernel.messages import Message
from onekernel.ops.base import ON_GPU, SIMULATED, Case
from onekernel.sandbox.supervisor import CallOutcome
from onekernel.ways import FAR, IN_PLACE, RETURNED, SPARSE, TURNED


def chosen(submission: Submission, check: Check) -> list[tuple[Case, str, int]]:
    """Every case of the check's groups in every element type, as (case, type, draw); the first one twice, with other
    values at the same size, so that an answer kept by pointer or by shape is caught. A Triton function is also called
    without its `out`, once in each type, with its input as its output, and without a GPU on rows that lie far apart. On
    the simulator the blocks of two large inputs run in the other order, too."""
    found: list[tuple[Case, str, int]] = []
    large = _of_many_blocks(submission, check)
    for dtype in check.options.get("dtypes", submission.exercise.dtypes):
        named = (case for name in check.options["groups"] for case in submission.operator.group(name))
        cases = [case for case in named if _runs_here(submission, case, dtype) and dtype in (case.dtypes or [dtype])]
        found += [(case, dtype, 0) for case in cases]
        found += [(case, dtype, 1) for case in cases if case.plain][:1]
        if submission.ran_on == "simulator" and dtype == submission.exercise.dtypes[0]:
            found += [(replace(case, way=TURNED), dtype, 2) for case in cases if case in large]
        if submission.operator.declared:
            continue  # a tensor of any number of dimensions, and one function that is given its output
        if submission.backend == "triton":
            found += [(replace(case, way=RETURNED), dtype, 2) for case in _dense(cases)]
            if check is submission.every_check[0] and dtype == submission.exercise.dtypes[0]:
                found += [(replace(case, way=IN_PLACE), dtype, 2) for case in _in_place(submission, cases)]
        if submission.ran_on == "interpreter" and dtype == submission.exercise.dtypes[0]:
            found += [(replace(case, way=FAR), dtype, 2) for case in _gapped(cases)]
    return found


MOST_IN_PLACE = 10_000  # elements, of several tiles
MOST_TURNED = 50_000  # elements, of many blocks and few seconds
MOST_WIDE = 100  # of a tensor of which some programs run, the shorter side: a program of the interpreter takes its time
MOST_PRINTED = 12  # lines of printf that a check shows


def plan(submission: Submission, check: Check) -> list[Call]:
    """The calls with what `chosen` names."""
    planned = []
    for case, dtype, draw in chosen(submission, check):
        if case.way == SPARSE and not draw:
            planned.append(sparse.make(submission.operator, submission.exercise.slug, case, dtype, submission.seed))
        else:
            planned.append(
                buffers.make(submission.operator, submission.exercise.slug, case, dtype, submission.seed, draw=draw)
            )
    return planned


def _dense(cases: list[Case]) -> list[Case]:
    """A case, where there is one, whose output is like a new tensor; of several rows and columns, if any is."""
    dense = [case for case in cases if case.plain and not (any(case.gaps.values()) or case.shift)]
    dense = [case for case in dense if not case.scalars.get("beta")]  # what an output holds before cannot be left away
    flat = [case for case in dense if len(case.sizes) == 1]  # of any shape: of more elements than a program takes
    return sorted(dense, key=lambda case: (min(case.sizes.values()) < 2, -case.sizes["n"] if flat else 0))[:1]


def _in_place(submission: Submission, cases: list[Case]) -> list[Case]:
    """The longest of the short cases, where the output may be the first input itself: of the same shape, and nothing
    before the call."""
    first, output = submission.operator.inputs()[0], submission.operator.outputs()[0]
    if output.role != "out" or output.shape != first.shape:
        return []
    short = [case for case in cases if case.plain and math.prod(case.sizes.values()) <= MOST_IN_PLACE]
    return sorted(short, key=lambda case: -math.prod(case.sizes.values()))[:1]


def _of_many_blocks(submission: Submission, check: Check) -> list[Case]:
    """Of the inputs of all checks of this kind that are not too large, that of most elements and that of most rows."""
    groups = {group for c in submission.every_check if c.kind is check.kind for group in c.options["groups"]}
    cases = [case for group in sorted(groups) for case in submission.operator.group(group) if case.plain]
    short = [case for case in cases if math.prod(case.sizes.values()) <= MOST_TURNED]
    if not short:
        return []
    longest = max(short, key=lambda case: math.prod(case.sizes.values()))
    return [longest, max(short, key=lambda case: next(iter(case.sizes.values())))]


def _gapped(cases: list[Case]) -> list[Case]:
    """A case, where there is one, whose rows lie apart in each tensor, three of them at least; one for each choice."""
    apart = [c for c in cases if c.plain and c.gaps and min(c.gaps.values()) > 0 and min(c.sizes.values()) >= 3]
    return list({tuple(v for v in c.scalars.values() if isinstance(v, int)): c for c in reversed(apart)}.values())


def _is_wide(case: Case) -> bool:
    """Whether programs of the interpreter would take their time over a tensor of which some run."""
    return len(case.sizes) > 1 and min(case.sizes.values()) > MOST_WIDE


def _runs_here(submission: Submission, case: Case, dtype: str) -> bool:
    if (
        submission.backend == "triton"
        and not case.plain
        and (case.way != SPARSE or dtype != submission.exercise.dtypes[0] or _is_wide(case))
    ):
        return False
    return case.runs(ON_GPU if submission.ran_on == "cuda" else SIMULATED)


def judge(submission: Submission, check: Check, ran: Ran, before: list[Verdict]) -> Verdict:
    """All points or none: a kernel that is right on most inputs is wrong."""
    failures: list[Failure] = []
    failed = symptoms = 0
    alone: Failure | None = None  # the first wrong values of an input on which nothing else was found
    groups: dict[str, list[int]] = {}
    seen: set[tuple[str, int | None]] = set()
    for call, outcome in sorted(ran, key=_tells_less):
        found = judge_call(submission, check, call, outcome)
        if call.case.way == RETURNED and not failed:
            found = [_called_plainly(submission, call, failure) for failure in found]
        if call.case.way == IN_PLACE and not failed:
            found = [_in_itself(submission, failure) for failure in found]
        lost = bool(found)
        if call.case.way == TURNED:  # wrong in any order is told by the others; it is not an input that came out right
            found = [] if failed else _in_another_order(found)
        failed += lost
        of_group = groups.setdefault(call.case.group, [0, 0])
        of_group[0] += lost
        of_group[1] += 1
        wrong = bool(found) and all(f.code in SYMPTOMS for f in found)
        symptoms += wrong
        alone = found[0] if wrong and alone is None and call.case.way != SPARSE else alone  # that tells of its size
        if wrong and call.case.way == SPARSE and failed > 1:
            continue  # wrong on small inputs, too: it is not the size
        for failure in found:  # one of a kind and line: the same race on ten inputs is one race
            kind = failure.message.key if failure.code == "ended" else failure.code
            if (kind, failure.line) not in seen:
                seen.add((kind, failure.line))
                failures.append(failure)
    if any("out-of-bounds" in f.code for f in failures):  # who leaves its row meets another's: the race follows
        failures.sort(key=lambda f: f.code.startswith("race"))
    every = (*failures, *(f for v in before for f in v.failures))
    cause = next((f for f in every if _explains_others(f)), None)
    if cause is not None:
        failures = _fix_first(failures, cause, symptoms, alone)
    note = Message("grading.inputs", {"right": len(ran) - failed, "total": len(ran)})
    said = (*_printed(ran), *_without_room(ran))
    of_groups = tuple((group, n, of) for group, (n, of) in sorted(groups.items()))
    if failures:
        return Verdict(check, FAILED, 0.0, tuple(failures[:MAX_FAILURES]), note, said, of_groups)
    return Verdict(check, PASSED, check.points, (), note, said, of_groups)


def _tells_less(pair: tuple[Call, CallOutcome]) -> tuple[bool, bool, bool]:
    """Where a call comes among those that are judged: one of a single element tells less, and so does a call that
    leaves arguments away or gives one twice or has another order, or one on tensors of which some blocks see a part."""
    call, _ = pair
    way = call.case.way
    return way == SPARSE, way in (RETURNED, IN_PLACE, TURNED), math.prod(call.case.sizes.values()) <= 1


def _called_plainly(submission: Submission, call: Call, failure: Failure) -> Failure:
    """A failure of the call without output and defaults, where the file is right when it is given everything."""
    if failure.code not in SYMPTOMS:
        return failure
    key = "grading.called-plainly" + ("-flat" if len(call.case.sizes) == 1 else "")
    return replace(failure, message=Message(key, {"slug": submission.exercise.slug, "symptom": failure.message}))


def _in_itself(submission: Submission, failure: Failure) -> Failure:
    """A failure of the call whose output is its input, when the file is right with an output of its own."""
    if failure.code not in SYMPTOMS:
        return failure
    message = Message("grading.in-place", {"slug": submission.exercise.slug, "symptom": failure.message})
    return replace(failure, message=message)


def _in_another_order(found: list[Failure]) -> list[Failure]:
    """What is wrong where blocks run from the last to the first, and right from the first to the last. A block that
    waits for an earlier one waits for ever then: GPUs start blocks in ascending order, so no mistake that shows."""
    if any(failure.code == ENDLESS for failure in found):
        return []
    told = [failure for failure in found if failure.code not in SYMPTOMS]
    return told or [replace(f, message=Message("grading.turned", {"symptom": f.message})) for f in found]


def _without_room(ran: Ran) -> tuple[Message, ...]:
    """That a GPU was not given some of the tensors of gigabytes, of which nothing was read back then. Whatever it runs
    has run without it before."""
    count = sum(
        call.case.way == SPARSE and outcome.report is not None and not outcome.report.kernels
        and not outcome.report.findings and not any(len(got.runs) for got in outcome.touched.values())
        for call, outcome in ran
    )  # fmt: skip
    return (Message("grading.no-room", {"count": count}),) if count else ()


def _printed(ran: Ran) -> tuple[Message, ...]:
    """What printf said on the first input that it said something on, its first MOST_PRINTED lines."""
    for call, outcome in ran:
        lines = [f for f in outcome.report.findings if f.code == "printed"] if outcome.report else []
        if lines:
            said = [Message("grading.printed-line", {"line": f.line or 0, "said": f.message}) for f in lines]
            rest = len(lines) - MOST_PRINTED
            more = [Message("grading.printed-more", {"count": rest})] if rest > 0 else []
            head = Message("grading.printed-on", {"input": call.case.about})
            return (head, *said[:MOST_PRINTED], *more)
    return ()


def _explains_others(failure: Failure) -> bool:
    """Whether wrong values on other inputs may follow from it: it has a line, and is no launch that was refused. Where
    one of those is accepted its numbers are not the cause, unless what was rounded down to 0 is rounded down there."""
    refused = failure.code == "bad-launch" and failure.message.key != "grading.grid-rounded-down"
    return failure.line is not None and not only_slow(failure) and not refused


def _fix_first(failures: list[Failure], cause: Failure, inputs: int, symptom: Failure | None) -> list[Failure]:
    """The failures that name a line; that values are wrong on other inputs may follow from `cause`, and may not: it is
    said once, with the first of them."""
    failures = [f for f in failures if f.code not in SYMPTOMS][: MAX_FAILURES - 1]
    if inputs:
        kind = "race" if cause.code.startswith("race") else "barrier" if "barrier" in cause.code else "other"
        what = Message(f"grading.cause-{'bounds' if 'out-of-bounds' in cause.code else kind}")
        values = {"count": inputs, "what": what, "line": cause.line, "symptom": symptom.message if symptom else ""}
        told = Message("grading.follow-on", values)
        failures.append(replace(symptom, message=told, see=None) if symptom else Failure(told, "", code="follow-on"))
    return failures
