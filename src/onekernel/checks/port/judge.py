"""Judges one part of a port of MiniGPT: native, identical or kernel."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from onekernel.checks.python_task import failed, run, trouble
from onekernel.course import Check
from onekernel.grading.submission import Ran, Submission
from onekernel.grading.verdicts import FAILED, PASSED, Failure, Verdict
from onekernel.messages import Message
from onekernel.minigpt import port_check, port_request
from onekernel.sandbox.reader import read

KERNELS = ("softmax_tuned", "softmax_block", "softmax_naive")  # the learner's fastest softmax that is there
SECONDS = 120.0


def judge(submission: Submission, check: Check, ran: Ran, before: list[Verdict]) -> Verdict:
    """All points or none."""
    forbidden = read(port_check.forbidden_imports, submission.path.read_text(encoding="utf-8"))
    if forbidden:
        values = {"line": forbidden[0][0], "module": forbidden[0][1]}
        return failed(check, Message("minigpt.import", values), line=forbidden[0][0], code="import")
    part = check.options["part"]
    requests = port_request.requests(part, submission.seed % 2**31, "cuda" if submission.device == "cuda" else "cpu")
    options: dict[str, Any] = {"task": "port", "requests": requests}
    if part == "kernel":
        kernel = own_kernel(submission)
        if kernel is None:
            return failed(check, Message("grading.no-own-kernel"), code="no-own-kernel")
        options |= {"kernel": str(kernel), "kernel_backend": submission.device, "function": kernel.stem}
    done = run(submission, options, SECONDS)
    stopped = trouble(check, done)
    if stopped:
        return stopped
    note: Message | None = None
    for asked, answer in zip(requests, done.answers, strict=True):
        verdict = port_check.judge_port(asked, answer)
        note = verdict.note
        if not verdict.passed:
            told = [Failure(m, check.chapter, file=str(submission.path), code=part) for m in verdict.findings]
            told = told or [Failure(note, check.chapter, file=str(submission.path), code=part)]
            return Verdict(check, FAILED, failures=tuple(told), note=note)
    return Verdict(check, PASSED, check.points, note=note)


def own_kernel(submission: Submission) -> Path | None:
    """The softmax beside the submission that is no longer a starter."""
    for slug in KERNELS:
        path = submission.path.with_name(f"{slug}.cu")
        plain = path.is_file() and not path.is_symlink()
        if plain and not submission.course.untouched(submission.course.exercises[slug], path):
            return path
    return None
