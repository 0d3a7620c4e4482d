"""Everything wrong with one call of a submission, whatever kind of check asks for it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from onekernel import counts
from onekernel.backends.base import CallReport
from onekernel.counts import KernelCounts
from onekernel.course import Check
from onekernel.grading import buffers, sparse
from onekernel.grading.buffers import Call
from onekernel.grading.coverage import told
from onekernel.grading.reasons import exchanged, failure_of, rows_named, said_once
from onekernel.grading.submission import ENDLESS, ERRORS, SYMPTOMS, Submission
from onekernel.grading.undefined import UNDEFINED, depends
from onekernel.grading.verdicts import Failure
from onekernel.messages import Message
from onekernel.ops.base import DTYPES
from onekernel.sandbox.supervisor import CallOutcome
from onekernel.ways import REFUSED, SPARSE

FIRST = ("divergent-barrier",)  # what others follow from: a race, say
FOLLOWS = {"stream-race": "wrong-stream"}  # what is not told beside what it follows from
COPIED = "host-copy"
OF_ERRORS = ("launch-error-lost", "status", "ended")  # whatever a check asks for, this is what its learner may read
UNSEEN = "triton.unseen"  # the interpreter's word that nothing can be told of a call


def judge_call(submission: Submission, check: Check, call: Call, outcome: CallOutcome) -> list[Failure]:
    """Everything wrong with one call: how it ended, what the backend found, what the bytes say."""

    def because(message: Message, code: str) -> Failure:
        see = f"onekernel hint {submission.exercise.slug}" if code in SYMPTOMS else None
        chapter = ERRORS if code in OF_ERRORS else check.chapter
        return Failure(message, chapter, call.case.name, call.case.about, code=code, see=see)

    if outcome.exports:
        return [failure_of(f, check) for f in outcome.exports]
    if outcome.report is None:
        return [because(outcome.ended or Message("grading.gave-up", {"times": 1}), "ended")]
    report = outcome.report
    if call.case.way == REFUSED:  # it could compute nothing: what counts is what it says
        lost = Message("grading.launch-error-lost", {"function": call.function})
        return [] if report.status else [because(lost, "launch-error-lost")]
    codes = {f.code for f in report.findings}
    errors = [f for f in report.findings if f.severity == "error" and FOLLOWS.get(f.code) not in codes]
    errors.sort(key=lambda f: f.code not in FIRST)
    found = said_once([failure_of(f, check, call) for f in errors])
    found = exchanged(rows_named(found, call, report.kernels), call, report.kernels)
    if report.status != 0 and not found:
        values = {"function": call.function, "name": report.status_name, "code": report.status}
        found.append(because(Message("grading.status", values), "status"))
    if call.case.way == SPARSE:
        if endless := [f.message for f in report.findings if f.code == ENDLESS]:
            begun = any(tensor.bins for tensor in outcome.touched.values())
            if any(m.values.get("stands") or not (begun or m.key == UNSEEN) for m in endless):
                return found  # it did not go on
            wrong = sparse.judge_begun(submission.operator, call, outcome)
            return [because(wrong[1], wrong[0])] if wrong else []
        if not _undefined_alone(found):
            return found
        judge = sparse.judge_whole if submission.ran_on == "cuda" else sparse.judge
        wrong = judge(submission.operator, call, outcome)
        return [*found, because(wrong[1], wrong[0])] if wrong else []
    if (
        submission.backend == "triton"
        and any(not math.prod(k.grid) for k in report.kernels)
        and all(call.case.sizes.values())
    ):
        found.append(because(Message("grading.no-programs"), "bad-launch"))
    fault = buffers.judge(submission.operator, call, outcome.after)
    undefined = [f for f in found if f.code in UNDEFINED]
    # Nothing came of such a value, or what else was found is looked at first: it has results of its own.
    shuffles = {f.line for f in undefined}
    alone = all(f.line in shuffles for f in found)  # its mask, too, is about the shuffle
    if undefined and not (fault and alone and depends(submission.operator, call, outcome)):
        found = [f for f in found if f not in undefined]
    if fault and fault.kind == "guard" and any(f.code == "out-of-bounds-write" for f in found):
        return found  # the backend has named the line already
    if fault and fault.kind == "unwritten" and found:
        return found  # what stopped the kernel also kept it from writing
    computed = fault is not None and fault.kind in ("values", "nan")
    if (
        computed
        and not found
        and submission.backend == "triton"
        and not report.kernels
        and (idle := _idle(submission, call, ()))
    ):
        return [because(idle, "no-kernel")]  # what the host computed, it computed with noise: triton/memory.py
    if fault:
        said = told(call, report.kernels, fault, submission.backend, submission.text())
        found.append(because(said.in_dialect("triton") if submission.backend == "triton" else said, fault.kind))
    elif not found and all(call.case.sizes.values()):
        idle = _idle(submission, call, report.kernels)
        found += [because(idle, "no-kernel")] if idle else []
        other = _other_block(call, report.kernels)
        found += [because(other, "other-block")] if other else []
    return _copy_first(found, report, (*SYMPTOMS, "status"))


def _undefined_alone(found: Sequence[Failure]) -> bool:
    return all(f.code in UNDEFINED for f in found)


def _copy_first(found: Sequence[Failure], report: CallReport, symptoms: Sequence[str]) -> list[Failure]:
    """The failures of a call: what its bytes or its status show is told by the copy to the host, where it made one:
    while a file is graded the host gets other bytes than the device holds (memory/host_view.h of the simulator)."""
    copy = next((f for f in report.findings if f.code == COPIED), None)
    if copy is None:
        return list(found)
    out = []
    for failure in found:
        if failure.code in symptoms:
            message = Message("compile.warning", {"why": copy.message, "symptom": failure.message})
            chapter = copy.chapter or failure.chapter
            failure = replace(failure, message=message, file=copy.file, line=copy.line, code=COPIED, chapter=chapter)
        out.append(failure)
    return out


def _other_block(call: Call, kernels: Sequence[KernelCounts]) -> Message | None:
    """What shows that a file built with -DBLOCK=N has N threads in no block. On a GPU nobody counts."""
    wanted = [int(d.removeprefix("BLOCK=")) for d in call.case.defines if d.startswith("BLOCK=")]
    if not wanted or not kernels or any(math.prod(k.block) == wanted[0] for k in kernels):
        return None
    return Message("grading.other-block", {"block": wanted[0], "threads": math.prod(kernels[0].block)})


def _idle(submission: Submission, call: Call, kernels: Sequence[KernelCounts]) -> Message | None:
    """What shows that no kernel wrote the answer: none was launched, or together they stored fewer bytes than it has.

    On a GPU nobody counts for the grader. (The simulator counts an atomic apart: here it is a store of an element.)
    What was seen to be stored as it ran counts as well, so that nobody is accused by a count of machine code alone.
    """
    if not kernels:
        seen = submission.ran_on in ("simulator", "interpreter")
        return Message("grading.no-kernel", {"function": call.function}) if seen else None
    if not all({counts.BYTES_STORED, counts.ATOMICS} <= k.metrics.keys() for k in kernels):
        return None
    item = DTYPES[call.dtype].itemsize
    seen_stored = [sum(b.stored for b in k.buffers) for k in kernels]
    stored = sum(
        max(k.metrics[counts.BYTES_STORED], seen) + item * k.metrics[counts.ATOMICS]
        for k, seen in zip(kernels, seen_stored, strict=True)
    )
    expected = sum(call.expected[p.name].size for p in submission.operator.outputs()) * item
    if stored >= expected:
        return None
    return Message("grading.idle-kernel", {"function": call.function, "stored": stored, "bytes": expected})
