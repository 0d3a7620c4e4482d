"""Checks of lab 04's exercises: the port of MiniGPT and the storage probe. The trusted side."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from onekernel.course import Check
from onekernel.grading.submission import Ran, Submission
from onekernel.grading.verdicts import FAILED, NOT_ASSESSED, PARTIAL, PASSED, Failure, Verdict
from onekernel.messages import Message
from onekernel.minigpt import port_check, port_request, storage
from onekernel.sandbox import supervisor
from onekernel.sandbox.protocol import Request
from onekernel.sandbox.supervisor import TaskRun

KERNELS = ("softmax_tuned", "softmax_block", "softmax_naive")  # the learner's fastest softmax that is there
PORT_SECONDS, PROBE_SECONDS = 120.0, 60.0


def judge_port(s: Submission, check: Check, ran: Ran, before: list[Verdict]) -> Verdict:
    """One part of the port: native, identical or kernel. All points or none."""
    try:
        forbidden = port_check.forbidden_imports(s.path)
    except SyntaxError as error:
        return _syntax(check, error)
    if forbidden:
        values = {"line": forbidden[0][0], "module": forbidden[0][1]}
        return _failed(check, Message("minigpt.import", values), line=forbidden[0][0], code="import")
    part = check.options["part"]
    requests = port_request.requests(part, s.seed % 2**31, "cuda" if s.device == "cuda" else "cpu")
    options: dict[str, Any] = {"task": "port", "requests": requests}
    if part == "kernel":
        kernel = own_kernel(s)
        if kernel is None:
            return _failed(check, Message("grading.no-own-kernel"), code="no-own-kernel")
        options |= {"kernel": str(kernel), "kernel_backend": s.device, "function": kernel.stem}
    done = _run(s, options, PORT_SECONDS)
    trouble = _trouble(s, check, done)
    if trouble:
        return trouble
    note: Message | None = None
    for asked, answer in zip(requests, done.answers, strict=True):
        verdict = port_check.judge_port(asked, answer)
        note = verdict.note
        if not verdict.passed:
            told = [Failure(m, check.chapter, file=str(s.path), code=part) for m in verdict.findings]
            told = told or [Failure(note, check.chapter, file=str(s.path), code=part)]
            return Verdict(check, FAILED, failures=tuple(told), note=note)
    return Verdict(check, PASSED, check.points, note=note)


def judge_probe(s: Submission, check: Check, ran: Ran, before: list[Verdict]) -> Verdict:
    """Half of the points for the predictions, in proportion; half for experiments that show what is so.

    The predictions are those that were committed: the truth is not told to anybody who can still change theirs.
    """
    try:
        ast.parse(s.path.read_text(encoding="utf-8"))
    except SyntaxError as error:
        return _syntax(check, error)
    done = _run(s, {"task": "probe", "requests": [storage.request(s.device == "cuda")]}, PROBE_SECONDS)
    trouble = _trouble(s, check, done)
    if trouble and trouble.status == NOT_ASSESSED:
        return trouble
    wrong = list(trouble.failures) if trouble else []
    if not trouble:
        wrong = [Failure(m, check.chapter, code="experiment") for m in storage.judge_probe(done.answers[0])]
    earned = check.points / 2 * (not wrong)
    moved = storage.observed_move(s.device == "cuda") if not trouble else None
    if not s.predictions:
        why = Message("grading.predict-first-file", {"slug": s.exercise.slug})
        first = Failure(why, check.chapter, code="predict-first")
        return Verdict(check, PARTIAL if earned else FAILED, earned, (*wrong, first), moved)
    results = storage.judge_predictions(storage.committed(s.predictions))
    right = sum(r.right for r in results)
    earned = round(earned + check.points / 2 * right / len(results), 1)
    failures = [*wrong, *(Failure(m, check.chapter, code="prediction") for r in results for m in r.messages)]
    status = PASSED if not failures else PARTIAL if earned else FAILED
    answers = Message("grading.answers", {"right": right, "total": len(results)})
    note = Message("minigpt.probe-note", {"answers": answers, "moved": moved}) if moved else answers
    return Verdict(check, status, earned, tuple(failures), note)


def own_kernel(s: Submission) -> Path | None:
    """The softmax beside the submission that is no longer a starter."""
    for slug in KERNELS:
        path = s.path.with_name(f"{slug}.cu")
        starter = s.course.root / "kernels" / path.name
        untouched = starter.is_file() and path.is_file() and starter.read_bytes() == path.read_bytes()
        if path.is_file() and not path.is_symlink() and not untouched:
            return path
    return None


def _run(s: Submission, options: Mapping[str, Any], seconds: float) -> TaskRun:
    request = Request(s.path.resolve(), "python", options=options)
    done = supervisor.run_task(request, count=len(options["requests"]), seconds=seconds)
    if done.unavailable and not ("kernel" in options and _lacks(s, options)):
        return TaskRun(ended=Message("grading.says-unavailable", {"why": done.unavailable}))
    return done


def _lacks(s: Submission, options: Mapping[str, Any]) -> bool:
    """Whether this machine cannot run the backend of the kernel that a port is to use, asked with the solution's."""
    ours = s.course.root / "solutions" / Path(options["kernel"]).name
    return not supervisor.runs(Request(ours, options["kernel_backend"]))


def _trouble(s: Submission, check: Check, done: TaskRun) -> Verdict | None:
    """A verdict where the module gave no answer: its kernel does not build, the process ended."""
    if done.unavailable:
        return Verdict(check, NOT_ASSESSED, note=done.unavailable)
    if done.ended:
        return _failed(check, done.ended, code="ended")
    if done.build:
        f = done.build[0]
        return _failed(check, f.message, line=f.line, code=f.code)
    return None


def _syntax(check: Check, error: SyntaxError) -> Verdict:
    values = {"line": error.lineno or 0, "why": error.msg}
    return _failed(check, Message("grading.syntax", values), line=error.lineno, code="syntax")


def _failed(check: Check, message: Message, *, line: int | None = None, code: str) -> Verdict:
    return Verdict(check, FAILED, failures=(Failure(message, check.chapter, line=line, code=code),))


