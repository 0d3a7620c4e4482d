"""Grades one file: draws fresh inputs, has them run by the untrusted side, and decides alone."""

from __future__ import annotations

import math
import secrets
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from onekernel.backends.base import Finding
from onekernel.course import Check
from onekernel.errors import UserError
from onekernel.grading import reference
from onekernel.grading.before_gpu import on_both, right_first
from onekernel.grading.buffers import Call
from onekernel.grading.endings import stopped_first
from onekernel.grading.leaks import with_leaks
from onekernel.grading.leftovers import with_leftovers
from onekernel.grading.replay.tell import with_causes
from onekernel.grading.submission import ERRORS, SOURCE_BYTES, Ran, Submission, failure_of, judge_call
from onekernel.grading.suspicions import with_warnings
from onekernel.grading.verdicts import FAILED, MAX_FAILURES, NOT_ASSESSED, PASSED, UNTOUCHED, Failure, Result, Verdict
from onekernel.messages import Message
from onekernel.sandbox import confinement, gpu_state, machine, supervisor
from onekernel.sandbox.landlock import gpu_nodes
from onekernel.sandbox.machine import MachineFault
from onekernel.sandbox.protocol import Request
from onekernel.sandbox.supervisor import CallOutcome, RunOutcome
from onekernel.ways import AS_WRITTEN, INTERPRETED, LEFT, LONG, SPARSE

TRIED = 4  # wrong inputs on which a mended file is run again
DEEP = 1 << 15  # terms of a sum in a matrix product
SIMULATED_SECONDS = 6.0  # of processor time a call may take: the longest right one of the course takes a tenth


def fresh_seed() -> int:
    """A seed from the operating system's entropy, short enough to type again."""
    return secrets.randbelow(1 << 32)


def grade(s: Submission) -> Result:
    """Grades a file. Every outcome is a Result; what the machine lacks (MachineFault) and Ctrl-C leave otherwise."""
    started = time.monotonic()
    machine.require([s.course.root])
    before = _cards(s)
    try:
        verdicts = refused(s) or _everywhere(s)
    except (OSError, MemoryError) as error:
        raise machine.of_error(error) from error
    except UserError:  # a machine's fault among them
        raise
    except Exception as error:  # whatever of the file leads to it: the points are lost by name, and the class goes on
        verdicts = [_unjudged(c, error) for c in s.exercise.checks]
    if any(v.status == FAILED for v in verdicts):
        machine.require([s.course.root])  # what filled up meanwhile may have cost points
    slow = any(v.check.kind.needs_gpu and v.earned < v.check.points for v in verdicts)
    gpu_state.require(before, _cards(s), timed=slow)
    if s.backend != "cuda":
        verdicts = [_not_here(v) if v.check.kind.needs_gpu and v.status != UNTOUCHED else v for v in verdicts]
    return Result(s.exercise, tuple(verdicts), s.backend, s.seed, time.monotonic() - started, s.ran_on,
                  confinement.open_walls())  # fmt: skip


def _everywhere(s: Submission) -> list[Verdict]:
    """The verdicts on every device that has a say."""
    return on_both(s, _grade_checks) if s.backend != "python" and s.ran_on == "cuda" else _grade_checks(s)


def _cards(s: Submission) -> tuple[gpu_state.Card, ...]:
    """The GPUs as the driver has them now, where one grades."""
    return gpu_state.cards(gpu_state.library()) if s.backend == "cuda" else ()


def refused(s: Submission) -> list[Verdict] | None:
    """Verdicts for a file that is not worth running: missing, too large, not UTF-8, still the starter. Else None."""
    try:
        if s.path.is_symlink():  # to the solution, or to somebody else's file: not what was written here
            return _all(s, FAILED, Message("grading.link", {"path": _shown(s)}))
        if not s.path.is_file():
            return _all(s, FAILED, Message("grading.no-file", {"path": _shown(s), "slug": s.exercise.slug}))
        if s.path.stat().st_size > SOURCE_BYTES:
            return _all(s, FAILED, Message("grading.too-large", {"path": _shown(s)}))
        text = s.path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        line = s.path.read_bytes()[: error.start].count(b"\n") + 1
        return _all(s, FAILED, Message("grading.not-utf8", {"path": _shown(s), "line": line}), line=line)
    except OSError as error:
        return _all(s, FAILED, Message("grading.unreadable", {"path": _shown(s), "why": error.strerror}))
    if not s.exercise.broken and text in s.course.starters(s.exercise).values():
        return [Verdict(c, UNTOUCHED) for c in s.exercise.checks]
    return None


def _shown(s: Submission) -> str:
    """The file as a reader knows it: from the course's root, where it lies in it; of a class, by the course's name."""
    root = s.course.root
    if s.closed:
        return s.exercise.file
    return str(s.path.relative_to(root) if s.path.is_relative_to(root) else s.path)


def _all(s: Submission, status: str, message: Message, *, line: int | None = None) -> list[Verdict]:
    """The same verdict for every check."""
    failure = Failure(message, s.exercise.checks[0].chapter, file=str(s.path), line=line, code="refused")
    return _told_once(s, status, (failure,))


def _told_once(s: Submission, status: str, failures: tuple[Failure, ...]) -> list[Verdict]:
    """The first check tells why, so that it is read once, and the others that it does; what this machine cannot assess
    has its reason at each."""
    first, *others = s.exercise.checks
    verdicts = [Verdict(first, status, failures=failures[:MAX_FAILURES])]
    for check in others:
        there = Failure(Message("grading.told-at-first"), check.chapter, code="told-at-first")
        verdicts.append(Verdict(check, status, failures=failures[:1] if status == NOT_ASSESSED else (there,)))
    return verdicts


def _grade_checks(s: Submission) -> list[Verdict]:
    plans: list[tuple[Check, list[Call]]] = [(c, c.kind.plan(s, c)) for c in s.exercise.checks if c.kind.plans]
    ran: dict[str, Ran] = {}
    warnings: tuple[Finding, ...] = ()
    for defines in dict.fromkeys(call.case.defines for _, plan in plans for call in plan):
        mine = [(c, call) for c, plan in plans for call in plan if call.case.defines == defines]
        mine.sort(key=lambda pair: _half_run(pair[1]))
        counted = any(c.kind.counted for c, _ in mine)
        unanswered, own = _answered(s, mine, defines, counted=counted)
        if unanswered:
            return _all(s, NOT_ASSESSED, unanswered)
        outcome = own or _run(s, [call for _, call in mine], defines, counted=counted, ways=_ways(mine))
        if outcome.unavailable:
            return _all(s, NOT_ASSESSED, outcome.unavailable)
        if not outcome.built and not defines:
            return _build_failed(s, outcome)
        warnings = warnings or outcome.warnings
        answers = outcome.calls if outcome.built else [_not_built(outcome)] * len(mine)
        for (check, call), answer in zip(mine, answers, strict=True):
            ran.setdefault(check.id, []).append((call, answer))
    verdicts: list[Verdict] = []
    for check in s.exercise.checks:
        verdicts.append(_judged(s, check, ran.get(check.id, []), verdicts))
    verdicts = with_leftovers(s, list(ran.values()), with_causes(s, ran, verdicts), partial(_alone, s))
    verdicts = with_leaks(s, list(ran.values()), verdicts, partial(_left, s))
    return with_warnings(stopped_first(verdicts), warnings, s.text(), partial(_cured, s, ran))


def _answered(
    s: Submission, every: Sequence[tuple[Check, Call]], defines: Sequence[str], *, counted: bool
) -> tuple[Message | None, RunOutcome | None]:
    """Has the course's own answer make the calls of which it is the oracle, or the measure; what keeps it from that.
    With it what it did, where it is the very file that is graded and has made all calls: it need not make them again.
    """
    asked = [(check, call) for check, call in every if check.kind.compares or s.operator.declared]
    if not asked:
        return None, None
    calls, path = [call for _, call in asked], s.course.solution(s.exercise)
    outcome = _run(s, calls, defines, counted=counted, path=path, ways=_ways(asked))
    mine = len(asked) == len(every) and path.resolve() == s.path.resolve()
    return reference.fill(s, calls, outcome), outcome if mine else None


def _ways(asked: Sequence[tuple[Check, Call]]) -> list[str]:
    """How the calls are made: machine code is counted for the checks that ask for its counts alone."""
    return [call.case.way or ("" if check.kind.by_code else AS_WRITTEN) for check, call in asked]


def _alone(s: Submission, call: Call) -> CallOutcome:
    """The call, made first in a process of its own."""
    outcome = _run(s, [call], (), counted=False)
    return outcome.calls[0] if outcome.built else CallOutcome(ended=outcome.ended)


def _left(s: Submission, calls: Sequence[Call]) -> Sequence[CallOutcome]:
    """The calls once more in a process of their own, each telling what memory is left behind."""
    return _run(s, calls, (), counted=False, ways=[LEFT] * len(calls)).calls


def _cured(s: Submission, ran: Mapping[str, Ran], text: str) -> int:
    """How many of the inputs that came out wrong, the first few, come out right if the file has this text; 0 where one
    does not."""
    asked = {c.id: c for c in s.exercise.checks if c.kind.shows_right}
    calls = [(asked[name], call, outcome) for name in asked.keys() & ran.keys() for call, outcome in ran[name]]
    calls = [(c, call, outcome) for c, call, outcome in calls if not (call.case.way or call.case.defines)]
    wrong = [(check, call) for check, call, outcome in calls if judge_call(s, check, call, outcome)][:TRIED]
    if not wrong:
        return 0
    with tempfile.TemporaryDirectory(prefix="onekernel-") as folder:
        path = Path(folder) / s.path.name
        path.write_text(text, encoding="utf-8")
        outcome = _run(s, [call for _, call in wrong], (), counted=False, path=path)
    if not outcome.built or any(judge_call(s, c, call, o) for (c, call), o in zip(wrong, outcome.calls, strict=True)):
        return 0
    return len(wrong)


def _not_here(verdict: Verdict) -> Verdict:
    """That a check needs a GPU, where there is none: its points are open, and not lost."""
    return Verdict(verdict.check, NOT_ASSESSED, note=Message("grading.needs-gpu"))


def _judged(s: Submission, check: Check, ran: Ran, before: list[Verdict]) -> Verdict:
    """A check's verdict. One that needs a right kernel fails where another check has shown that it is not."""
    if check.kind.needs_right and any(v.check.kind.shows_right and v.status != PASSED for v in before):
        return right_first(check)
    try:
        verdict: Verdict = check.kind.judge(s, check, ran, before)
    except (OSError, MemoryError, MachineFault):  # nobody's points
        raise
    except Exception as error:
        return _unjudged(check, error)
    return verdict


def _unjudged(check: Check, error: Exception) -> Verdict:
    """No points, by name, for a file that could not be read or judged: its points stay in the total."""
    if isinstance(error, SyntaxError):
        why = Message("grading.syntax", {"line": error.lineno or 0, "why": error.msg})
        return Verdict(check, FAILED, failures=(Failure(why, check.chapter, line=error.lineno, code="syntax"),))
    name = Message("grading.unjudged", {"error": type(error).__name__})
    why = error.message if isinstance(error, UserError) else name
    return Verdict(check, FAILED, failures=(Failure(why, check.chapter, code="unjudged"),))


def backend_of(s: Submission) -> str:
    """The backend of calls. A Triton file is interpreted where the device is no GPU, on a GPU machine too."""
    return INTERPRETED if s.backend == "triton" and s.device != "cuda" and gpu_nodes() else s.backend


def simulated(s: Submission, *, counted: bool, by_code: bool) -> dict[str, object]:
    """What the simulator is asked for. `by_code`: NVIDIA's machine code is read, for calls that are counted by it."""
    options: dict[str, object] = {"mode": "count" if counted else "check", "time_limit": SIMULATED_SECONDS}
    options |= {"machine_code": counted and by_code} | ({"second_opinion": False} if s.known_right else {})
    return options | ({"arch": s.exercise.arch} if s.exercise.arch else {})


def _run(
    s: Submission, every: Sequence[Call], defines: Sequence[str], *, counted: bool, path: Path | None = None,
    ways: Sequence[str] = (),
) -> RunOutcome:
    """One process for all calls of the file, or of the one at `path`. `ways`: how they are made, where not as their
    cases say."""
    prototypes = [s.operator.prototype(s.exercise.slug, d) for d in s.exercise.dtypes]
    backend = backend_of(s)
    options: dict[str, object] = {}
    if backend == "simulator":
        options = simulated(s, counted=counted, by_code=any(not way for way in ways))
    if defines:
        options["defines"] = list(defines)
    calls = [(c.function, c.args) for c in every]
    ways = ways or [c.case.way for c in every]
    if backend == "simulator":
        ways = [_no_longer(way, call) for way, call in zip(ways, every, strict=True)]
    request = Request((path or s.path).resolve(), backend, calls, prototypes, options, ways=ways, hidden=s.hidden)
    ours = replace(request, source=s.course.solution(s.exercise))

    def theirs() -> RunOutcome:
        outcome = supervisor.run(request)
        if outcome.unavailable and supervisor.runs(replace(ours, calls=(), ways=())):
            return RunOutcome([], ended=Message("grading.says-unavailable", {"why": outcome.unavailable}))
        return outcome

    if request.source == ours.source.resolve():
        return theirs()
    outcome = machine.settled(theirs, lambda: supervisor.run(ours), _let_down, s.exercise.file)
    outcome.build = tuple(_its_own(f) for f in outcome.build)
    return outcome


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


def _half_run(call: Call) -> int:
    """0, or for a call of which some blocks run its size: those come last, because they leave counters half way."""
    return math.prod(call.case.sizes.values()) if call.case.way == SPARSE else 0


def _not_built(outcome: RunOutcome) -> CallOutcome:
    """A call of a file that does not build with the macros that the call asks for, though it does without."""
    return CallOutcome(exports=outcome.build, ended=outcome.ended)


def _build_failed(s: Submission, outcome: RunOutcome) -> list[Verdict]:
    """The compiler's findings, told once, at the first check."""
    failures = tuple(failure_of(f, s.exercise.checks[0]) for f in outcome.build)
    if outcome.ended:
        failures = (Failure(outcome.ended, ERRORS, code="ended"),)
    return _told_once(s, FAILED, failures)
