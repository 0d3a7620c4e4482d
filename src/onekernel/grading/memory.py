"""Checks of memory behaviour, from counts: how many bytes a kernel asks for, in how many sectors, with which conflicts.

Counts come from the simulator on every machine, so that a laptop and a GPU machine give the same points.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from onekernel import counts
from onekernel.backends.base import Buffer
from onekernel.counts import KernelCounts
from onekernel.course import Check
from onekernel.grading import calls
from onekernel.grading.calls import Call
from onekernel.grading.submission import Ran, Submission, judge_call
from onekernel.grading.verdicts import FAILED, PARTIAL, PASSED, Failure, Verdict
from onekernel.messages import Message
from onekernel.ops import Case, Ledger
from onekernel.units import UnitError, parse, show

CLOSE = 0.05  # a prediction within 5 % is right


def plan(s: Submission, check: Check) -> list[Call]:
    """One call at the check's sizes."""
    return [call_at(s, check.options["sizes"], s.exercise.dtypes[0])]


def call_at(s: Submission, sizes: Mapping[str, int], dtype: str) -> Call:
    """A call to be counted, on plain values: addresses do not depend on them."""
    like = next(c for c in s.operator.cases if all(c.sizes.values()))
    case = Case("counted", "counted", sizes, like.fill, Message("grading.counted", {"sizes": show_sizes(sizes)}))
    return calls.make(s.operator, s.exercise.slug, case, dtype, s.seed)


def show_sizes(sizes: Mapping[str, int]) -> str:
    return " x ".join(str(v) for v in sizes.values())


def total(kernels: Sequence[KernelCounts], metric: str) -> float:
    """A metric over all kernels that a launcher started. Raises KeyError where one did not count it."""
    return sum(k.metrics[metric] for k in kernels)


def bytes_requested(kernels: Sequence[KernelCounts], ideal: Ledger) -> float:
    """Bytes that threads asked for over the bytes that must move: 1 is perfect."""
    return (total(kernels, counts.BYTES_LOADED) + total(kernels, counts.BYTES_STORED)) / ideal.bytes


def bytes_moved(kernels: Sequence[KernelCounts], ideal: Ledger) -> float:
    """Bytes of the sectors between L1 and L2 over the bytes that must move: 1 is perfect; caches are not counted on."""
    sectors = total(kernels, counts.LOAD_SECTORS) + total(kernels, counts.STORE_SECTORS)
    return sectors * counts.SECTOR_BYTES / ideal.bytes


def bank_conflicts(kernels: Sequence[KernelCounts], ideal: Ledger) -> float:
    """Conflicts a shared-memory wavefront: 0 is perfect; 0 where shared memory is not used."""
    conflicts = total(kernels, counts.SHARED_LOAD_CONFLICTS) + total(kernels, counts.SHARED_STORE_CONFLICTS)
    waves = total(kernels, counts.SHARED_LOAD_WAVEFRONTS) + total(kernels, counts.SHARED_STORE_WAVEFRONTS)
    return conflicts / waves if waves else 0.0


def passes(kernels: Sequence[KernelCounts], ideal: Ledger) -> float:
    """How often the input is walked: bytes loaded over the input's bytes."""
    return total(kernels, counts.BYTES_LOADED) / ideal.bytes_read


MEASURES: dict[str, Callable[[Sequence[KernelCounts], Ledger], float]] = {
    "bytes_requested": bytes_requested,
    "bytes_moved": bytes_moved,
    "bank_conflicts": bank_conflicts,
    "passes": passes,
}


def measured(name: str, kernels: Sequence[KernelCounts], ideal: Ledger, sizes: str) -> Message:
    """A measure in words, at `sizes` in words."""
    values = {"value": f"{MEASURES[name](kernels, ideal):.3g}", "sizes": sizes}
    return Message(f"grading.measured-{name}", values)


def judge_memory(s: Submission, check: Check, ran: Ran, before: list[Verdict]) -> Verdict:
    """Full points at `full` or better, none at `zero` or worse, in proportion between."""
    kernels, failures = _counted(s, check, ran)
    if failures:
        return Verdict(check, FAILED, failures=tuple(failures))
    ideal = s.operator.ledger(check.options["sizes"], _itemsize(ran[0][0]))
    name, sizes = check.options["measure"], check.options["sizes"]
    value = MEASURES[name](kernels, ideal)
    full, zero = check.options["full"], check.options["zero"]
    share = min(1.0, max(0.0, (zero - value) / (zero - full)))
    note = measured(name, kernels, ideal, show_sizes(sizes))
    if share == 1.0:
        return Verdict(check, PASSED, check.points, note=note)
    why = Failure(Message("grading.memory", {"what": note, "full": f"{full:g}"}), check.chapter, code="memory")
    return Verdict(check, PARTIAL if share else FAILED, round(check.points * share, 1), (why,), note)


def _counted(s: Submission, check: Check, ran: Ran) -> tuple[tuple[KernelCounts, ...], list[Failure]]:
    """The kernels that the counted call ran, or what kept them from being counted."""
    ((call, outcome),) = ran
    failures = judge_call(s, check, call, outcome)
    kernels = outcome.report.kernels if outcome.report else ()
    if not failures and not kernels:
        failures = [Failure(Message("grading.no-kernel", {"function": call.function}), check.chapter, code="no-kernel")]
    loaded, least = total(kernels, counts.BYTES_LOADED), s.operator.ledger(call.case.sizes, _itemsize(call)).bytes_read
    if not failures and not loaded >= least:  # less than a right kernel can: it did not do the work, or nobody counted
        values = {"loaded": show(loaded, "B"), "least": show(least, "B")}
        failures = [Failure(Message("grading.loaded-too-little", values), check.chapter, code="loaded-too-little")]
    return kernels, failures


def _itemsize(call: Call) -> int:
    return next(a.itemsize for a in call.args if isinstance(a, Buffer))


@dataclass(frozen=True)
class Quantity:
    """What a learner may be asked to predict: its unit ("" for a bare number) and how it is counted."""

    unit: str
    count: Callable[[Sequence[KernelCounts], Ledger], float]


QUANTITIES: dict[str, Quantity] = {
    # Both byte counts are of the same element type, so their ratio is accesses an output.
    "reads_per_element": Quantity("", lambda k, ideal: total(k, counts.BYTES_LOADED) / ideal.bytes_written),
    "writes_per_element": Quantity("", lambda k, ideal: total(k, counts.BYTES_STORED) / ideal.bytes_written),
    "bytes_loaded": Quantity("B", lambda k, ideal: total(k, counts.BYTES_LOADED)),
    "bytes_stored": Quantity("B", lambda k, ideal: total(k, counts.BYTES_STORED)),
    "bytes_requested": Quantity("B", lambda k, ideal: bytes_requested(k, ideal) * ideal.bytes),
    "compulsory_bytes": Quantity("B", lambda k, ideal: float(ideal.bytes)),
    "intensity": Quantity("FLOP/byte", lambda k, ideal: ideal.intensity),
}


def judge_prediction(s: Submission, check: Check, ran: Ran, before: list[Verdict]) -> Verdict:
    """Points by the error of each prediction: all within 5 %, none from a factor of two, in proportion between."""
    questions = check.options["questions"]
    missing = [q["id"] for q in questions if q["id"] not in s.predictions]
    if missing:
        why = Message("grading.predict-first", {"slug": s.exercise.slug})
        return Verdict(check, FAILED, failures=(Failure(why, check.chapter, code="predict-first"),))
    kernels, failures = _counted(s, check, ran)
    if failures:
        return Verdict(check, FAILED, failures=tuple(failures))
    ideal = s.operator.ledger(check.options["sizes"], _itemsize(ran[0][0]))
    share, wrong, right = 0.0, [], []
    for question in questions:
        quantity = QUANTITIES[question["quantity"]]
        actual = quantity.count(kernels, ideal)
        predicted = s.predictions[question["id"]]
        got = _share(predicted, actual, quantity.unit)
        share += got / len(questions)
        what = Message(f"grading.quantity-{question['quantity']}")
        values = {"predicted": predicted, "actual": show(actual, quantity.unit), "what": what}
        if got < 1:
            wrong.append(Failure(Message("grading.prediction", values), check.chapter, code="prediction"))
        else:
            right.append(Message("grading.prediction-right", values))
    status = PASSED if not wrong else PARTIAL if share else FAILED
    details = (*right, *_lessons(kernels, ideal))
    return Verdict(check, status, round(check.points * share, 1), tuple(wrong), details=details)


def _lessons(kernels: Sequence[KernelCounts], ideal: Ledger) -> list[Message]:
    """The figures that explain the traffic, whatever was predicted."""
    told = [Message("grading.lesson-requested", {"factor": f"{bytes_requested(kernels, ideal):.3g}"})]
    requests = total(kernels, counts.LOAD_REQUESTS)
    if requests:
        sectors = total(kernels, counts.LOAD_SECTORS) / requests
        told.append(Message("grading.lesson-sectors", {"sectors": f"{sectors:.3g}"}))
    distinct = sum(b.unique_loaded + b.unique_stored for k in kernels for b in k.buffers)
    if distinct:
        told.append(Message("grading.lesson-distinct", {"bytes": show(distinct, "B")}))
    return told


def _share(predicted: str, actual: float, unit: str) -> float:
    try:
        quantity = parse(predicted)
    except UnitError:
        return 0.0
    value = quantity.value
    if quantity.unit != unit:
        return 0.0
    if value <= 0 or actual <= 0:
        return float(value == actual)
    factor = max(value / actual, actual / value)
    return 1.0 if factor <= 1 + CLOSE else max(0.0, 1 - math.log2(factor))
