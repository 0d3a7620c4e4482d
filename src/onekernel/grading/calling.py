"""Has the untrusted side make the calls of a file, in one process, and tells its own faults from the machine's.

The course's own answer makes the same calls on the same bytes where it is the oracle: so an exercise is written without
a second specification, and how frugal a kernel may be is what the answer itself was counted to do.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from onekernel.backends.base import Arg, Finding
from onekernel.grading import buffers
from onekernel.grading.buffers import Call
from onekernel.grading.submission import Submission
from onekernel.messages import Message
from onekernel.sandbox import lanes, machine, supervisor
from onekernel.sandbox.landlock import gpu_nodes
from onekernel.sandbox.protocol import Request
from onekernel.sandbox.supervisor import RunOutcome
from onekernel.sandbox.turn import on_gpu
from onekernel.ways import AS_WRITTEN, INTERPRETED, LONG, SPARSE

DEEP = 1 << 15  # terms of a sum in a matrix product
SIMULATED_SECONDS = 6.0  # of processor time a call may take: the longest right one of the course takes a tenth


def run(
    submission: Submission, every: Sequence[Call], defines: Sequence[str], *, counted: bool, path: Path | None = None,
    ways: Sequence[str] = (),
) -> RunOutcome:
    """One process for all calls of the file, or of the one at `path`. `ways`: how they are made, where not as their
    cases say."""
    prototypes = [submission.operator.prototype(submission.exercise.slug, d) for d in submission.exercise.dtypes]
    backend = backend_of(submission)
    options: dict[str, object] = {}
    if backend == "simulator":
        options = simulated(submission, counted=counted, by_code=any(not way for way in ways))
    if defines:
        options["defines"] = list(defines)
    calls = [(c.function, c.args) for c in every]
    ways = ways or [c.case.way for c in every]
    if backend == "simulator":
        ways = [_no_longer(way, call) for way, call in zip(ways, every, strict=True)]
    request = Request((path or submission.path).resolve(), backend, calls, prototypes, options, ways=ways,
                      hidden=submission.hidden, lanes=_lanes(backend, calls, ways))  # fmt: skip
    ours = replace(request, source=submission.course.solution(submission.exercise))

    def theirs(request: Request = request) -> RunOutcome:
        outcome = supervisor.run(request)
        if outcome.unavailable and supervisor.runs(replace(ours, calls=(), ways=(), lanes=())):
            return RunOutcome([], ended=Message("grading.says-unavailable", {"why": outcome.unavailable}))
        return outcome

    if request.source == ours.source.resolve():
        return theirs()
    once_more = partial(theirs, replace(request, lanes=()))  # several may need what is there for one
    outcome = machine.settled(theirs, lambda: supervisor.run(ours), _let_down, submission.exercise.file, once_more)
    outcome.build = tuple(_its_own(f) for f in outcome.build)
    return outcome


def _lanes(backend: str, calls: Sequence[tuple[str, Sequence[Arg]]], ways: Sequence[str]) -> list[int]:
    """Which process makes each call of a Triton file on a GPU; none where one makes all, as in the interpreter, where
    whatever a file keeps from one call to any other shows. Calls of the same sizes share a process, in all element
    types; those on tensors that may fill a GPU are made one after the other."""
    if backend != "triton" or not on_gpu(backend):
        return []
    kinds = [SPARSE if way == SPARSE else tuple(a for a in args if isinstance(a, int))
             for (_, args), way in zip(calls, ways, strict=True)]  # fmt: skip
    return lanes.dealt(kinds, lanes.many())


@contextlib.contextmanager
def built_meanwhile(submission: Submission) -> Iterator[Callable[[], None]]:
    """Has NVIDIA's compiler build a `.cu` for the GPU meanwhile; gives what waits for it. Not beside other graders,
    which have something to do for every core."""
    if backend_of(submission) != "cuda" or lanes.beside_others():
        yield lambda: None
        return
    prototypes = [submission.operator.prototype(submission.exercise.slug, d) for d in submission.exercise.dtypes]
    request = Request(submission.path.resolve(), "cuda", (), prototypes, hidden=submission.hidden)
    with supervisor.building(request) as wait:
        yield wait


def backend_of(submission: Submission) -> str:
    """The backend of calls. A Triton file is interpreted where the device is no GPU, on a GPU machine too."""
    interpreted = submission.backend == "triton" and submission.device != "cuda" and gpu_nodes()
    return INTERPRETED if interpreted else submission.backend


def simulated(submission: Submission, *, counted: bool, by_code: bool) -> dict[str, object]:
    """What the simulator is asked for. `by_code`: NVIDIA's machine code is read, for calls that are counted by it."""
    options: dict[str, object] = {"mode": "count" if counted else "check", "time_limit": SIMULATED_SECONDS}
    options |= {"machine_code": counted and by_code} | ({"second_opinion": False} if submission.known_right else {})
    return options | ({"arch": submission.exercise.arch} if submission.exercise.arch else {})


def _no_longer(way: str, call: Call) -> str:
    """How a call is made: of a product so deep, each thread of a tile of any size takes all terms, and with all
    findings a right kernel of large tiles would need longer than it is given."""
    return LONG if way in ("", AS_WRITTEN) and call.case.sizes.get("k", 0) > DEEP else way


def _its_own(finding: Finding) -> Finding:
    """What a compiler lacked that has enough of it for ours, as the file's own."""
    own = finding.code == "compile-memory"
    return replace(finding, message=Message("grading.compile-memory")) if own else finding


def _let_down(outcome: RunOutcome) -> bool:
    """Whether it ended as a process does that the machine has let down."""
    endings = [outcome.ended, *(call.ended for call in outcome.calls)]
    statuses = [call.report.status for call in outcome.calls if call.report]
    return machine.suspected([e for e in endings if e], [f.code for f in outcome.build], statuses)


def fill_from_answer(submission: Submission, calls: Sequence[Call], outcome: RunOutcome) -> Message | None:
    """Puts what the answer made of each call into it: its outputs where the operator is declared, and its counts.

    Returns why that cannot be, for an answer that does not run here, or is wrong: nobody's points depend on it.
    """
    if outcome.unavailable:
        return outcome.unavailable
    if not outcome.built:
        why = outcome.ended or outcome.build[0].message
        return Message(
            "grading.answer-fails", {"file": submission.course.solution(submission.exercise).name, "why": why}
        )
    for call, done in zip(calls, outcome.calls, strict=True):
        errors = [f.message for f in done.report.findings if f.severity == "error"] if done.report else []
        if done.report is None or errors:
            why = errors[0] if errors else done.ended or Message("grading.gave-up", {"times": 1})
            return Message(
                "grading.answer-fails", {"file": submission.course.solution(submission.exercise).name, "why": why}
            )
        call.counts = done.report.kernels
        if submission.operator.declared:
            call.expected = {
                p.name: buffers.content(call, p, done.after[p.name]) for p in submission.operator.outputs()
            }
    return None
