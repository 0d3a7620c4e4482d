"""Puts the cause of wrong results before them, where one is known: a replayed mistake, a row stride, a length."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from onekernel.grading.buffers import Call
from onekernel.grading.coverage import whole_tiles_alone
from onekernel.grading.replay import LARGE, cause, given
from onekernel.grading.replay.narrowing import narrowed, nearly
from onekernel.grading.replay.strides import UNKNOWN, is_right, stride_cause, written_cause
from onekernel.grading.submission import SYMPTOMS, Ran, Submission
from onekernel.grading.time_limit import within_time
from onekernel.grading.untold import left_out
from onekernel.grading.verdicts import FAILED, Failure, Verdict
from onekernel.messages import Message, area
from onekernel.ops.base import Operator
from onekernel.sandbox.supervisor import CallOutcome
from onekernel.simulator.facts import facts_of
from onekernel.simulator.rewrite.shown import assigned

WRONG = ("values", "nan", "row-sum")
SEEN = tuple(
    f"replay.{cause}" for cause in (
        "softmax-row-factor", "softmax-all-nan",
        "softmax-columns-add-up", "softmax-first-from-others", "softmax-last-from-others",
        "rms-row-factor", "gelu-found-sigmoid", "gelu-found-tanh", "gelu-found-erf", "tiles-whole-alone",
        "from-length-on", "factor",
        "offset", "sign-turned", "sign-lost", "negatives-lost", "nan-lost", "at-most", "at-least", "nearly-right",
        *(key for key in area("replay") if key.startswith(("only-", "gemm-ldc-"))),
    )
)  # fmt: skip  # told from the results, not made on purpose
ALL_NAN = "replay.softmax-all-nan"
IN_ONE_PATH = ("replay.in-one-path", "replay.in-one-form")
OF_A_CAUSE = ("replay.seen", "replay.seen-there", "replay.named", "replay.named-some")
OF_A_STRIDE = re.compile("-of-|gemm-ld[ab]-")  # as in replay.mul-w-of-x
WHOLE_TILES = "replay.tiles-whole-alone"
BOUNDS = ("out-of-bounds-read", "out-of-bounds-write")
# Mistakes in the address of a tensor: on inputs of other shapes they lead outside of it.
ADDRESSED = {
    "a": ("replay.gemm-a-turned", "replay.gemm-lda-"),
    "c": ("replay.gemm-ldc-",),
    "b": ("replay.gemm-b-turned", "replay.gemm-ldb-", "replay.gemm-transpose-"),
}
COUNTED = ("cols", "n", "k")  # what a row, a vector or a sum has so many of: the first that the operator has
MOST_NAMES = 6
LEAST = 64  # elements of a length, below which a kernel is right by chance
FEW = 3  # inputs on either side of a length
MOST = 0.7  # of the longer inputs: some show no mistake, as rows of one value


def with_causes(submission: Submission, ran: Mapping[str, Ran], verdicts: Sequence[Verdict]) -> list[Verdict]:
    """The verdicts, their first symptom explained where its cause is known. What else they say stays as it is, all of
    it where an error of ours comes up."""
    explained = list(verdicts)
    with left_out():
        explained = _with_causes(submission, ran, verdicts)
    return explained


def _with_causes(submission: Submission, ran: Mapping[str, Ran], verdicts: Sequence[Verdict]) -> list[Verdict]:
    if not submission.exercise.operator or submission.operator.declared:
        return list(verdicts)
    if not any(_explainable(f) for v in verdicts for f in v.failures):
        return list(verdicts)
    verdicts = _of_any_size(verdicts)
    every = _compared(submission.operator, [pair for check in ran.values() for pair in check])
    strided = stride_cause(submission.operator, every)
    found = strided
    if (
        strided is None or len(submission.operator.inputs()) > 1
    ):  # of several inputs it says less than a mistake made on purpose
        made = None
        with left_out():
            made = cause(submission.operator, every, submission.text())
        if made and (strided is None or strided.key == UNKNOWN or _of_a_stride(made)):
            strided, found = None, made
    found = written_cause(submission.operator, every) or found
    if found is not None and found.key == ALL_NAN:  # which rows they are says more
        found = narrowed(given(submission.operator, every)) or found
    found = found or whole_tiles_alone(submission.operator, every)
    if found is None and not any(f.code == "unwritten" for v in verdicts for f in v.failures):  # that says which ones
        compared = given(submission.operator, every)
        found = narrowed(compared) or _from_length_on(submission.operator, every) or nearly(compared)
    if found is None:
        return _unexplained(submission, verdicts)
    if submission.backend == "triton":
        found = found.in_dialect("triton")
    apart = {call.case.name for call, _ in every if _apart(call)} if strided else None
    large = {call.case.name for call, _ in every if any(x.size > LARGE for x in call.inputs.values())}
    explained: list[Verdict] = []
    for verdict in verdicts:
        told = any(f.message.key in OF_A_CAUSE for v in explained for f in v.failures)
        explained.append(_explained(verdict, found, apart, told, large))
    return explained


def _of_a_stride(made: Message) -> bool:
    """Whether a mistake, or the one that is made in one form alone, is about one tensor's stride."""
    alone = made.values.get("cause")
    return bool(OF_A_STRIDE.search((alone if isinstance(alone, Message) else made).key))


def _compared(operator: Operator, ran: Sequence[tuple[Call, CallOutcome]]) -> Sequence[tuple[Call, CallOutcome]]:
    """The calls that may have one cause: not of launches that are refused on purpose, and all of one build: the file as
    it stands or, where that is right, as it was built the first time that it is wrong."""
    builds: dict[tuple[str, ...], list[tuple[Call, CallOutcome]]] = {(): []}
    for call, outcome in ran:
        if not call.case.way:
            builds.setdefault(call.case.defines, []).append((call, outcome))
    wrong = (every for every in builds.values() if not all(is_right(operator, *pair) for pair in every))
    return next(wrong, builds[()])


def _from_length_on(operator: Operator, ran: Sequence[tuple[Call, CallOutcome]]) -> Message | None:
    """The sentence that tells up to which length the results are right, whatever else an input is, and wrong on nearly
    all longer ones; None where length does not divide them."""
    sizes = {p.name for p in operator.parameters if p.role == "size"}
    counted = "k" if "k" in sizes else next((name for name in COUNTED if name in sizes), None)
    if counted is None:
        return None
    lengths: dict[bool, list[int]] = {True: [], False: []}
    for call, outcome in ran:
        if math.prod(call.case.sizes.values()):
            lengths[is_right(operator, call, outcome)].append(call.case.sizes[counted])
    wrong = lengths[False]
    first = min(wrong, default=0)
    right, longer = ([n for n in lengths[True] if (n < first) is shorter] for shorter in (True, False))
    if min(len(right), len(wrong)) < FEW or max(right) < LEAST or len(wrong) < MOST * (len(wrong) + len(longer)):
        return None
    values = {"name": counted, "most": max(right), "least": first, "right": len(right), "inputs": len(wrong)}
    return Message("replay.from-length-on", {**values, "of": len(wrong) + len(longer)})


def _of_any_size(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """The verdicts, where small inputs come out wrong, too, in any check, with that in the place of what is said of the
    size of a sparse tensor."""
    small = next((f for v in verdicts for f in v.failures if _explainable(f) and not _of_size(f)), None)
    if small is None:
        return list(verdicts)
    return [replace(v, failures=tuple(small if _of_size(f) else f for f in v.failures)) for v in verdicts]


def _unexplained(submission: Submission, verdicts: Sequence[Verdict]) -> list[Verdict]:
    """The verdicts, the first wrong values of a kernel in CUDA with the way to look at what is between."""
    named = any(f.line is not None for v in verdicts for f in v.failures)
    out, told = [], submission.path.suffix != ".cu" or named
    for verdict in verdicts:
        first = verdict.failures[0] if verdict.failures else None
        if first is not None and first.code in WRONG and not told and not _of_size(first):
            told = True
            names = ", ".join(_shown(submission)[:MOST_NAMES])
            values = {"symptom": first.message, "slug": submission.exercise.slug, "names": names}
            shown = replace(first, message=Message(f"replay.unknown{'' if names else '-at-all'}", values))
            verdict = replace(verdict, failures=(shown, *verdict.failures[1:]))
        out.append(verdict)
    return out


def _shown(submission: Submission) -> list[str]:
    """The variables that `onekernel show` can show: those that the file assigns to."""
    tokens = facts_of(submission.text()).tokens
    return within_time(lambda: assigned(tokens), list[str]())


def _of_size(failure: Failure) -> bool:
    """Of a sparse tensor: the sentence is about its size, which is the cause."""
    return failure.message.key.startswith("grading.sparse-")


def _explainable(failure: Failure) -> bool:
    return failure.code in (*SYMPTOMS, *BOUNDS)


def _apart(call: Call) -> bool:
    return any(call.case.gaps.values())


def _explained(
    verdict: Verdict, found: Message, cases: set[str] | None, told_before: bool, large: Collection[str]
) -> Verdict:
    """`cases`: those that the cause is for; None for a replayed mistake, which is for every wrong value. A cause that
    another verdict has `told_before` is not said at length again; nor at all of the `large` inputs, with which it was
    not compared."""
    if verdict.status != FAILED:
        return verdict
    codes = (*SYMPTOMS, *BOUNDS) if cases else ("unwritten",) if found.key == WHOLE_TILES else WRONG
    mine = [f for f in verdict.failures if f.code in codes and (cases is None or f.case in cases)]
    mine += [f for f in verdict.failures if f not in mine and _outside(f, found)]
    if not mine:
        return verdict
    mine.sort(key=verdict.failures.index)
    first = mine[0]
    symptom = _without_advice(first.message)
    key = "replay.seen" if cases is not None or found.key in SEEN else "replay.named"
    if key == "replay.named" and found.values.get("rest"):
        key = "replay.named-some"
    if key == "replay.seen" and found.values.get("others"):
        key = "replay.seen-there"
    counted = {name: found.values.get(name, 0) for name in ("inputs", "apart", "rest", "others")}
    message = Message(key, {"cause": found, **counted, "symptom": symptom})
    if told_before:  # of some other input it need not be the cause
        sure = key == "replay.named" and found.key not in IN_ONE_PATH and first.case not in large
        message = Message("replay.same-cause", {"symptom": symptom}) if sure else symptom
    told = replace(first, message=message)
    others = [told if f is first else f for f in verdict.failures if f is first or f not in mine]
    return replace(verdict, failures=tuple(others))


def _outside(failure: Failure, found: Message) -> bool:
    """Whether it is an access outside the tensor in whose address the mistake is."""
    message = failure.message.values.get("first", failure.message)  # of two sentences, the finding's own
    name = str(message.values.get("variable", message.values.get("name"))) if isinstance(message, Message) else ""
    return failure.code in BOUNDS and found.key.startswith(ADDRESSED.get(name, ("-",)))


def _without_advice(symptom: Message) -> Message:
    """A cause says what to do, and better."""
    first, second = (symptom.values.get(name) for name in ("first", "second"))
    if isinstance(first, Message) and isinstance(second, Message) and second.key.startswith("grading.advice-"):
        symptom = first
    return Message(symptom.key, {**symptom.values, "advice": ""}) if "advice" in symptom.values else symptom
