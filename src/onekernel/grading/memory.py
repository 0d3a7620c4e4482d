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
from onekernel.errors import UserError
from onekernel.grading import buffers, waste
from onekernel.grading.buffers import Call
from onekernel.grading.submission import Ran, Submission, judge_call
from onekernel.grading.verdicts import FAILED, NOT_ASSESSED, PARTIAL, PASSED, Failure, Verdict
from onekernel.messages import Message
from onekernel.numerals import Quantity
from onekernel.ops import Case, Ledger
from onekernel.units import parse

CLOSE = 0.05  # a prediction within 5 % is right
WIDEST_REQUEST = 512  # bytes: 16 for each of 32 lanes
WAVEFRONT = 128  # bytes that shared memory serves at a time: 32 banks of 4


def plan(s: Submission, check: Check) -> list[Call]:
    """One call at the check's sizes, and one at those of its long rows, where it has some."""
    sizes = (check.options[key] for key in ("sizes", "long") if key in check.options)
    return [call_at(s, some, s.exercise.dtypes[0]) for some in sizes]


def call_at(s: Submission, sizes: Mapping[str, int], dtype: str) -> Call:
    """A call to be counted, on plain values: addresses do not depend on them."""
    like = next(c for c in s.operator.cases if all(c.sizes.values()))
    case = Case("counted", "counted", sizes, like.fill, Message("grading.counted", {"sizes": show_sizes(sizes)}))
    return buffers.make(s.operator, s.exercise.slug, case, dtype, s.seed)


def show_sizes(sizes: Mapping[str, int]) -> str:
    return " x ".join(str(v) for v in sizes.values())


def total(kernels: Sequence[KernelCounts], metric: str) -> float:
    """A metric over all kernels that a launcher started. Raises KeyError where one did not count it."""
    return sum(k.metrics[metric] for k in kernels)


@dataclass(frozen=True)
class Counted:
    """What the kernels of one call did, the least that the call must do, and its sizes."""

    kernels: Sequence[KernelCounts]
    ideal: Ledger
    sizes: Mapping[str, int]

    def total(self, metric: str) -> float:
        """A metric over all kernels. Raises KeyError where one did not count it."""
        return total(self.kernels, metric)

    def shared_wavefronts(self) -> float:
        return self.total(counts.SHARED_LOAD_WAVEFRONTS) + self.total(counts.SHARED_STORE_WAVEFRONTS)


def bytes_requested(c: Counted) -> float:
    """Bytes that threads asked for over the bytes that must move: 1 is perfect."""
    return (c.total(counts.BYTES_LOADED) + c.total(counts.BYTES_STORED)) / c.ideal.bytes


def bytes_moved(c: Counted) -> float:
    """Bytes of the sectors between L1 and L2 over the bytes that must move: 1 is perfect; caches are not counted on."""
    sectors = c.total(counts.LOAD_SECTORS) + c.total(counts.STORE_SECTORS)
    return sectors * counts.SECTOR_BYTES / c.ideal.bytes


def scatter(c: Counted) -> float:
    """Bytes of the sectors between L1 and L2 over the bytes that threads asked for: 1 where neighbours are together."""
    sectors = c.total(counts.LOAD_SECTORS) + c.total(counts.STORE_SECTORS)
    asked = c.total(counts.BYTES_LOADED) + c.total(counts.BYTES_STORED)
    return sectors * counts.SECTOR_BYTES / asked if asked else 0.0


def bank_conflicts(c: Counted) -> float:
    """Conflicts a shared-memory wavefront: 0 is perfect; 0 where shared memory is not used."""
    conflicts = c.total(counts.SHARED_LOAD_CONFLICTS) + c.total(counts.SHARED_STORE_CONFLICTS)
    waves = c.shared_wavefronts()
    return conflicts / waves if waves else 0.0


def passes(c: Counted) -> float:
    """How often the input is walked: bytes loaded over the input's bytes."""
    return c.total(counts.BYTES_LOADED) / c.ideal.bytes_read


def load_requests(c: Counted) -> float:
    """Load instructions of a warp over the fewest that can ask for the input: 32 lanes with 16 bytes each."""
    return c.total(counts.LOAD_REQUESTS) / (c.ideal.bytes_read / WIDEST_REQUEST)


def barriers(c: Counted) -> float:
    """Barriers a row, each counted once for its block."""
    return c.total(counts.BARRIERS) / c.sizes["rows"]


def shared_traffic(c: Counted) -> float:
    """Bytes of the wavefronts of shared memory over the input's bytes: a row written there and read once makes 2."""
    return c.shared_wavefronts() * WAVEFRONT / c.ideal.bytes_read


MEASURES: dict[str, Callable[[Counted], float]] = {
    "bytes_requested": bytes_requested,
    "bytes_moved": bytes_moved,
    "scatter": scatter,
    "bank_conflicts": bank_conflicts,
    "passes": passes,
    "load_requests": load_requests,
    "barriers": barriers,
    "shared_traffic": shared_traffic,
}


_SHARES = ("bank_conflicts",)  # told as a percentage
ON_LONG_ROWS = "scatter"  # their kernel may walk the row three times, which is another check's
_BY_REQUEST = ("bytes_moved", "scatter", "bank_conflicts", "load_requests", "shared_traffic")
"""Measures that ask which bytes one instruction moves, and not only which are moved."""


def measured(name: str, c: Counted, at: str | None = None) -> Message:
    """A measure in words; `at` is the sizes in words, where they are not all there is to say."""
    value = MEASURES[name](c) * (100 if name in _SHARES else 1)
    return Message(f"grading.measured-{name}", {"value": value, "sizes": at or show_sizes(c.sizes)})


def _limit(name: str, value: float) -> float | Message:
    """What a measure may be, as a sentence says it."""
    return Message("grading.percent", {"value": 100 * value}) if name in _SHARES else value


def judge_memory(s: Submission, check: Check, ran: Ran, before: list[Verdict]) -> Verdict:
    """Full points at `full` or better, none at `zero` or worse, in proportion between.

    With `long`, sizes of rows that take another path, what is moved of the bytes that are asked for there counts, too:
    the worse of both. No points before the measures in `after` are that low: a kernel whose threads walk a row each has
    no barrier and no bank conflict, and that is no merit.
    """
    counted, failures = _counted(s, check, ran[:1])
    name, after = check.options["measure"], check.options.get("after", {})
    judged = [(name, counted)]
    for one in ran[1:]:
        there, more = _counted(s, check, [one])
        failures += more
        judged.append((ON_LONG_ROWS, there))
    if failures:
        return Verdict(check, FAILED, failures=tuple(failures))
    asked = {*after, *(measure for measure, _ in judged)}
    exact = all(k.extra.get("exact_requests") for _, c in judged for k in c.kernels)
    if asked.intersection(_BY_REQUEST) and not exact:
        return Verdict(check, NOT_ASSESSED, note=Message("grading.counts-not-exact"))
    for other, most in after.items():
        if MEASURES[other](counted) > most:
            values = {"what": measured(other, counted), "most": _limit(other, most)}
            why = _failure(s, check, Message("grading.memory-after", values), other, counted)
            return Verdict(check, FAILED, failures=(why,), note=measured(name, counted))
    full, zero = check.options["full"], check.options["zero"]
    shares = [min(1.0, max(0.0, (zero - MEASURES[measure](c)) / (zero - full))) for measure, c in judged]
    share = min(shares)
    name, counted = judged[shares.index(share)]
    note = measured(name, counted)
    if share == 1.0:
        return Verdict(check, PASSED, check.points, note=measured(*judged[0]))
    what = Message("grading.memory", {"what": note, "full": _limit(name, full)})
    earned = math.floor(10 * check.points * share) / 10  # never rounded up to all of them
    why = _failure(s, check, what, name, counted)
    return Verdict(check, PARTIAL if share else FAILED, earned, (why,), note)


def _failure(s: Submission, check: Check, what: Message, measure: str, counted: Counted) -> Failure:
    """What was measured, the line that it comes from mostly, what would do there, and the command that draws it."""
    code = f"memory-{measure.replace('_', '-')}"
    found = waste.worst(measure, counted.kernels, s.path)
    if found is None:
        return Failure(what, check.chapter, code=code)
    see = f"onekernel trace {s.exercise.slug}"
    if counted.sizes != s.exercise.counted_sizes:
        see += f" --shape {','.join(str(v) for v in counted.sizes.values())}"
    see += f" --line {found.line}" if found.drawn else ""
    both = Message("grading.both", {"first": what, "second": found.message})
    return Failure(both, check.chapter, file=str(s.path), line=found.line, code=code, see=see)


def _counted(s: Submission, check: Check, ran: Ran) -> tuple[Counted, list[Failure]]:
    """What the counted call did, and what keeps it from being believed."""
    ((call, outcome),) = ran
    failures = judge_call(s, check, call, outcome)
    kernels = outcome.report.kernels if outcome.report else ()
    if not failures and not kernels:
        failures = [Failure(Message("grading.no-kernel", {"function": call.function}), check.chapter, code="no-kernel")]
    ideal = s.operator.ledger(call.case.sizes, _itemsize(call))
    loaded, least = total(kernels, counts.BYTES_LOADED), ideal.bytes_read
    if not failures and not loaded >= least:  # less than a right kernel can: it did not do the work, or nobody counted
        values = {"loaded": Quantity(loaded, "B"), "least": Quantity(least, "B")}
        failures = [Failure(Message("grading.loaded-too-little", values), check.chapter, code="loaded-too-little")]
    return Counted(kernels, ideal, call.case.sizes), failures


def _itemsize(call: Call) -> int:
    return next(a.itemsize for a in call.args if isinstance(a, Buffer))


@dataclass(frozen=True)
class Predictable:
    """What a learner may be asked to predict: its unit ("" for a bare number) and how it is counted."""

    unit: str
    count: Callable[[Counted], float]


QUANTITIES: dict[str, Predictable] = {
    # Both byte counts are of the same element type, so their ratio is accesses an output.
    "reads_per_element": Predictable("", lambda c: c.total(counts.BYTES_LOADED) / c.ideal.bytes_written),
    "writes_per_element": Predictable("", lambda c: c.total(counts.BYTES_STORED) / c.ideal.bytes_written),
    "bytes_loaded": Predictable("B", lambda c: c.total(counts.BYTES_LOADED)),
    "bytes_stored": Predictable("B", lambda c: c.total(counts.BYTES_STORED)),
    "bytes_requested": Predictable("B", lambda c: bytes_requested(c) * c.ideal.bytes),
    "compulsory_bytes": Predictable("B", lambda c: float(c.ideal.bytes)),
    "intensity": Predictable("FLOP/byte", lambda c: c.ideal.intensity),
}


def judge_prediction(s: Submission, check: Check, ran: Ran, before: list[Verdict]) -> Verdict:
    """Points by the error of each prediction: all within 5 %, none from a factor of two, in proportion between."""
    questions = check.options["questions"]
    missing = [q["id"] for q in questions if q["id"] not in s.predictions]
    if missing:
        why = Message("grading.predict-first", {"slug": s.exercise.slug})
        return Verdict(check, FAILED, failures=(Failure(why, check.chapter, code="predict-first"),))
    counted, failures = _counted(s, check, ran)
    if failures:
        return Verdict(check, FAILED, failures=tuple(failures))
    share, wrong, right = 0.0, [], []
    for question in questions:
        quantity = QUANTITIES[question["quantity"]]
        actual = quantity.count(counted)
        predicted = s.predictions[question["id"]]
        got = _share(predicted, actual, quantity.unit)
        share += got / len(questions)
        what = Message(f"grading.quantity-{question['quantity']}")
        values = {"predicted": _understood(predicted), "actual": Quantity(actual, quantity.unit), "what": what}
        if got < 1:
            wrong.append(Failure(Message("grading.prediction", values), check.chapter, code="prediction"))
        else:
            right.append(Message("grading.prediction-right", values))
    status = PASSED if not wrong else PARTIAL if share else FAILED
    details = (*right, *_lessons(counted))
    return Verdict(check, status, round(check.points * share, 1), tuple(wrong), details=details)


def _lessons(c: Counted) -> list[Message]:
    """The figures that explain the traffic, whatever was predicted."""
    told = [Message("grading.lesson-requested", {"factor": bytes_requested(c)})]
    requests = c.total(counts.LOAD_REQUESTS)
    if requests:
        sectors = c.total(counts.LOAD_SECTORS) / requests
        told.append(Message("grading.lesson-sectors", {"sectors": sectors}))
    distinct = sum(b.unique_loaded + b.unique_stored for k in c.kernels for b in k.buffers)
    if distinct:
        told.append(Message("grading.lesson-distinct", {"bytes": Quantity(distinct, "B")}))
    return told


def _understood(text: str) -> Quantity | str:
    """A prediction as it is scored; as it was typed where it cannot be read."""
    try:
        return parse(text)
    except UserError:
        return text


def _share(predicted: str, actual: float, unit: str) -> float:
    try:
        quantity = parse(predicted)
    except UserError:
        return 0.0
    value = quantity.value
    if quantity.unit != unit:
        return 0.0
    if value <= 0 or actual <= 0:
        return float(value == actual)
    factor = max(value / actual, actual / value)
    return 1.0 if factor <= 1 + CLOSE else max(0.0, 1 - math.log2(factor))
