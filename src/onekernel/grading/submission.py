"""One file to grade, and what every kind of check needs to judge a call of it."""

from __future__ import annotations

import glob
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from onekernel import counts
from onekernel.backends.base import Buffer, Finding
from onekernel.counts import KernelCounts
from onekernel.course import Check, Course, Exercise
from onekernel.grading import buffers, sparse
from onekernel.grading.buffers import Call
from onekernel.grading.host_computation import copy_first
from onekernel.grading.unwritten import nothing_to_sum, told
from onekernel.grading.verdicts import Failure
from onekernel.messages import Message
from onekernel.ops import OPERATORS, Operator
from onekernel.ops.base import DTYPES
from onekernel.sandbox.supervisor import CallOutcome
from onekernel.ways import REFUSED, SPARSE

ENDLESS = "time-limit"
SYMPTOMS = ("values", "nan", "row-sum", "unwritten", "guard")  # what the bytes say: that they are wrong, never where
FIRST = ("divergent-barrier",)  # what others follow from: a race, say
FOLLOWS = {"stream-race": "wrong-stream"}  # what is not told beside what it follows from
OF_ERRORS = ("launch-error-lost", "status", "ended")  # whatever a check asks for, this is what its learner may read
ERRORS = "01-06-errors#errors"
SOURCE_BYTES = 1 << 20  # the longest file that is graded, and that a line is shown of
Ran = list[tuple[Call, CallOutcome]]



@dataclass(frozen=True)
class Submission:
    """One file to grade: where it is, what it answers, what runs it. `predictions` are as the learner wrote them;
    `closed` are folders that hold what a class handed in, of which it may read its own alone. `known_right`: it is the
    course's own, by which a machine is tried, and NVIDIA's compiler need not be asked of it."""

    course: Course
    exercise: Exercise
    path: Path
    device: str  # "cuda" or "simulator"
    seed: int
    predictions: Mapping[str, str] = field(default_factory=dict)
    closed: tuple[Path, ...] = ()
    known_right: bool = False

    @property
    def backend(self) -> str:
        """What runs the file: Triton files have one backend, compiled on a GPU and interpreted without one."""
        if self.path.suffix == ".py":
            return "triton" if self.exercise.operator else "python"
        return "simulator" if self.exercise.arch else self.device

    @property
    def ran_on(self) -> str:
        """Where its code runs, in a word: "cuda", "simulator", Triton's "interpreter", "cpu"; "-" for a file that is
        only read."""
        if self.backend == "triton":
            return "cuda" if self.device == "cuda" else "interpreter"
        if self.backend == "python" or not self.exercise.operator:
            runs = any(check.kind.runs_code for check in self.exercise.checks)
            return ("cuda" if self.device == "cuda" else "cpu") if runs else "-"
        return self.backend

    @property
    def hidden(self) -> list[Path]:
        """What the file may not read: the course's answers, tests and history, and what others handed in."""
        root, mine = self.course.root, self.path.resolve()
        homes = {e.home.parent for e in self.course.exercises.values() if e.home}
        beside = () if self.closed else mine.parent.parent.glob(f"*/{glob.escape(mine.name)}")
        others = {p.parent for p in beside} - {mine.parent} | set(self.closed)
        return [*(root / name for name in ("solutions", "tests", "learners", ".git")), *homes, *sorted(others)]

    def text(self) -> str:
        """The file as it stands; it was found to be UTF-8 before anything was run."""
        return self.path.read_text(encoding="utf-8")

    @property
    def operator(self) -> Operator:
        """The exercise's operator. Raises KeyError for one that the course does not have."""
        made: Operator | None = self.exercise.made
        return made or OPERATORS[self.exercise.operator or ""]


def trial(s: Submission) -> tuple[Check, ...]:
    """The checks by which a solution that is known to be right tries a machine; of a Triton file, whose interpreter
    takes its time, the one with the fewest calls."""
    right = tuple(check for check in s.exercise.checks if check.kind.shows_right)
    if s.backend == "triton" and s.device != "cuda":
        return (min(right, key=lambda check: len(check.kind.plan(s, check))),)
    return right


def failure_of(finding: Finding, check: Check, call: Call | None = None) -> Failure:
    """A backend's finding as a reason why points were lost."""
    message = finding.message
    if call and message.key == "simulator.bad-launch-empty-grid" and all(call.case.sizes.values()):  # there is work
        message = Message("grading.grid-rounded-down", dict(message.values))
    if call and _has_work(message, call):
        loop = message.values["advice"].key.endswith("-loop")
        advice = Message(f"grading.advice-own{'-loop' if loop else ''}")
        message = Message(message.key, {**message.values, "advice": advice})
    if call and _of_ones_own(message, call):
        facts = {name: message.values[name] for name in ("variable", "other_line", "size")}
        advice = Message("grading.advice-own-memory", facts)
        message = Message(message.key, {**message.values, "advice": advice})
    if call and _by_the_row(message, call):
        message = Message(message.key, {**message.values, "advice": Message("grading.advice-per-column")})
    if call and "transpose_b" in call.case.scalars:
        message = _of_matrices(finding, message, call)
    if call and finding.code == "out-of-bounds-read" and (size := nothing_to_sum(call)):
        message = _both(Message("grading.nothing-to-read", {"size": size}), message)
    return Failure(
        message,
        finding.chapter or check.chapter,
        call.case.name if call else None,
        call.case.about if call else None,
        finding.file,
        finding.line,
        finding.code,
    )


def _of_matrices(finding: Finding, message: Message, call: Call) -> Message:
    """What is said of an access to A, B or C, with how their elements are indexed, and with BLAS's rule of beta."""
    variable = str(message.values.get("variable", message.values.get("name")))
    if finding.code == "uninitialised-read" and variable == "c" and not call.case.scalars["beta"]:
        return Message("grading.beta-zero", {"symptom": message})
    turned = "-turned" if variable == "b" and call.case.scalars["transpose_b"] else ""
    advice = Message(f"grading.advice-matrix-{variable}{turned}")
    if variable in ("a", "b", "c") and message.key in ("triton.out-of-bounds-read", "triton.out-of-bounds-write"):
        return _both(message, advice)
    if variable not in ("a", "b", "c") or not isinstance(message.values.get("advice"), Message):
        return message
    return Message(message.key, {**message.values, "advice": advice})


def _of_ones_own(message: Message, call: Call) -> bool:
    """Whether what is used beyond its end is memory that the launcher allocated, at a line that is known."""
    values, advice = message.values, message.values.get("advice")
    tensors = {a.name for a in call.args if isinstance(a, Buffer)}
    if not isinstance(advice, Message) or advice.key.endswith(("-bytes", "-pitch", "-loop")):
        return False
    return values.get("other_line", 0) not in (0, values.get("line")) and values.get("variable") not in tensors


def _by_the_row(message: Message, call: Call) -> bool:
    """Whether a tensor with an element for each column is read beyond its end by the number of a row, a block's."""
    values = message.values
    sizes = call.inputs.get(str(values.get("variable")), np.zeros((0, 0))).shape
    if not isinstance(values.get("advice"), Message) or sizes != (call.case.sizes.get("cols"),):
        return False
    return str(values.get("index")) == str(values.get("block")) != "0"


def _has_work(message: Message, call: Call) -> bool:
    """Whether what is said of an access out of bounds is of a thread that surely has work: one of the first block,
    whose number is below the elements of a vector, or below the rows and the columns of a matrix."""
    values = message.values
    if not isinstance(values.get("advice"), Message) or values.get("block") not in (0, "0"):
        return False
    sizes = [size for name, size in call.case.sizes.items() if name in ("n", "rows", "cols")]
    return bool(sizes) and str(values.get("thread", "")).isdigit() and int(values["thread"]) < min(sizes)


def judge_call(s: Submission, check: Check, call: Call, outcome: CallOutcome) -> list[Failure]:
    """Everything wrong with one call: how it ended, what the backend found, what the bytes say."""

    def because(message: Message, code: str) -> Failure:
        see = f"onekernel hint {s.exercise.slug}" if code in SYMPTOMS else None
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
    found = _said_once([failure_of(f, check, call) for f in errors])
    found = _exchanged(found, call, report.kernels)
    if report.status != 0 and not found:
        values = {"function": call.function, "name": report.status_name, "code": report.status}
        found.append(because(Message("grading.status", values), "status"))
    if call.case.way == SPARSE:
        if any(f.code == ENDLESS for f in report.findings):
            return []  # so few blocks do all the work that their turns cannot be waited for
        judge = sparse.judge_whole if s.ran_on == "cuda" else sparse.judge
        wrong = None if found else judge(s.operator, call, outcome)
        return found + ([because(wrong[1], wrong[0])] if wrong else [])
    if s.backend == "triton" and any(not math.prod(k.grid) for k in report.kernels) and all(call.case.sizes.values()):
        found.append(because(Message("grading.no-programs"), "bad-launch"))
    fault = buffers.judge(s.operator, call, outcome.after)
    if fault and fault.kind == "guard" and any(f.code == "out-of-bounds-write" for f in found):
        return found  # the backend has named the line already
    if fault and fault.kind == "unwritten" and found:
        return found  # what stopped the kernel also kept it from writing
    computed = fault is not None and fault.kind in ("values", "nan")
    if computed and not found and s.backend == "triton" and not report.kernels and (idle := _idle(s, call, ())):
        return [because(idle, "no-kernel")]  # what the host computed, it computed with noise: triton/closed.py
    if fault:
        found.append(because(told(call, report.kernels, fault, s.backend, s.text()), fault.kind))
    elif not found and all(call.case.sizes.values()):
        idle = _idle(s, call, report.kernels)
        found += [because(idle, "no-kernel")] if idle else []
        other = _other_block(call, report.kernels)
        found += [because(other, "other-block")] if other else []
    return copy_first(found, report, (*SYMPTOMS, "status"))


def _exchanged(found: list[Failure], call: Call, kernels: Sequence[KernelCounts]) -> list[Failure]:
    """The failures, the first access out of bounds with a question: a launch of as many blocks as there are columns, or
    of as many threads as there are rows, in as many blocks as blocks usually have threads: the two are exchanged."""
    rows, cols = (call.case.sizes.get(name, 0) for name in ("rows", "cols"))
    if not found or "out-of-bounds" not in found[0].code:
        return found
    block = str(found[0].message.values.get("block", ""))
    if block.isdigit() and int(block) >= rows != cols and any(math.prod(k.grid) == cols for k in kernels):
        asked = Message("grading.launch-per-column", {"rows": rows, "blocks": cols})
        return [replace(found[0], message=_both(asked, found[0].message)), *found[1:]]
    odd = next((k for k in kernels if math.prod(k.block) == rows and rows % 32 and math.prod(k.grid) % 32 == 0), None)
    if odd is None:
        return found
    values = {"blocks": math.prod(odd.grid), "threads": rows}
    asked = Message("grading.launch-exchanged", values)
    return [replace(found[0], message=_both(asked, found[0].message)), *found[1:]]


def _both(first: Message, second: Message) -> Message:
    """Two sentences, the second without its advice: the first says what to do, and better."""
    if "advice" in second.values:
        second = Message(second.key, {**second.values, "advice": ""})
    return Message("grading.both", {"first": first, "second": second})


def _said_once(found: list[Failure]) -> list[Failure]:
    """The failures, the same advice about one line with the first of them alone."""
    seen: set[tuple[int | None, str]] = set()
    out = []
    for failure in found:
        advice = failure.message.values.get("advice")
        if isinstance(advice, Message):
            if (failure.line, advice.key) in seen:
                values = {**failure.message.values, "advice": ""}
                failure = replace(failure, message=Message(failure.message.key, values))
            seen.add((failure.line, advice.key))
        out.append(failure)
    return out


def _other_block(call: Call, kernels: Sequence[KernelCounts]) -> Message | None:
    """What shows that a file built with -DBLOCK=N has N threads in no block. On a GPU nobody counts."""
    wanted = [int(d.removeprefix("BLOCK=")) for d in call.case.defines if d.startswith("BLOCK=")]
    if not wanted or not kernels or any(math.prod(k.block) == wanted[0] for k in kernels):
        return None
    return Message("grading.other-block", {"block": wanted[0], "threads": math.prod(kernels[0].block)})


def _idle(s: Submission, call: Call, kernels: Sequence[KernelCounts]) -> Message | None:
    """What shows that no kernel wrote the answer: none was launched, or together they stored fewer bytes than it has.

    On a GPU nobody counts for the grader. (The simulator counts an atomic apart: here it is a store of an element.)
    What was seen to be stored as it ran counts as well, so that nobody is accused by a count of machine code alone.
    """
    if not kernels:
        seen = s.ran_on in ("simulator", "interpreter")
        return Message("grading.no-kernel", {"function": call.function}) if seen else None
    if not all({counts.BYTES_STORED, counts.ATOMICS} <= k.metrics.keys() for k in kernels):
        return None
    item = DTYPES[call.dtype].itemsize
    seen_stored = [sum(b.stored for b in k.buffers) for k in kernels]
    stored = sum(
        max(k.metrics[counts.BYTES_STORED], seen) + item * k.metrics[counts.ATOMICS]
        for k, seen in zip(kernels, seen_stored, strict=True)
    )
    expected = sum(call.expected[p.name].size for p in s.operator.outputs()) * item
    if stored >= expected:
        return None
    return Message("grading.idle-kernel", {"function": call.function, "stored": stored, "bytes": expected})
