"""Judges what a small Python exercise's functions return by what the answer's do, on the same tensors.

That is the numbers and the shape; whether an argument was changed; and, where the answer's result is a view of an
argument, that it is one: no copy was made. With `strides`, the strides and the offset too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from onekernel.checks.python_task import run, trouble
from onekernel.course import Check
from onekernel.grading.submission import Ran, Submission
from onekernel.grading.verdicts import FAILED, NOT_ASSESSED, PASSED, Failure, Verdict
from onekernel.messages import Message
from onekernel.messages.python_errors import said
from onekernel.sandbox.reader import read
from onekernel.sandbox.readers import constants

SECONDS = 30.0
Answer = Mapping[str, np.ndarray]
_KINDS = ("numbers", "tensor", "other")


def judge(submission: Submission, check: Check, ran: Ran, before: list[Verdict]) -> Verdict:
    """All points or none; the first call that differs is told."""
    read(constants, submission.path.read_text(encoding="utf-8"))  # a file that is not Python is told so, with the line
    calls = check.options["calls"]
    requests = [{"function": c["function"], "shapes": c.get("shapes", []), "given": c.get("given", [])} for c in calls]
    options = {"task": "returns", "requests": requests}
    wanted = run(replace(submission, path=submission.course.solution(submission.exercise)), options, SECONDS)
    if not wanted.answers or any("raised" in a for a in wanted.answers):
        why = wanted.unavailable or wanted.ended or _raised(next(a for a in wanted.answers if "raised" in a))
        values = {"file": submission.course.solution(submission.exercise).name, "why": why}
        return Verdict(check, NOT_ASSESSED, note=Message("grading.answer-fails", values))
    done = run(submission, options, SECONDS)
    stopped = trouble(check, done)
    if stopped:
        return stopped
    for call, got, want in zip(calls, done.answers, wanted.answers, strict=True):
        message = _wrong(got, want, call.get("strides", False))
        if message:
            key = "practice.call" if call.get("shapes") else "practice.call-plain"
            told = Message(key, {"call": _shown(call), "why": message})
            code = message.key.removeprefix("practice.").replace("other-number", "other-value")
            failure = Failure(told, check.chapter, file=str(submission.path), code=code)
            return Verdict(check, FAILED, failures=(failure,))
    note = Message("grading.inputs", {"right": len(calls), "total": len(calls)})
    return Verdict(check, PASSED, check.points, note=note)


def _shown(call: Mapping[str, Any]) -> str:
    """The call as it would be typed: column(x of shape 3 x 4, 1)."""
    names = "xyzw"
    tensors = [f"{names[i]} {' x '.join(map(str, dims)) or '()'}" for i, dims in enumerate(call.get("shapes", []))]
    return f"{call['function']}({', '.join([*tensors, *map(str, call.get('given', []))])})"


def _raised(answer: Answer) -> Message:
    text = answer["raised"].astype(np.uint8, copy=False).tobytes()[:2000].decode(errors="replace")
    line, _, why = text.partition(" ")
    return Message("practice.raised", {"line": line, "why": said(why)})


def _wrong(got: Answer, want: Answer, strides: bool) -> Message | None:
    if "raised" in got:
        return _raised(got)
    kind, right = _number(got, "kind"), _number(want, "kind")
    if kind != right:
        sorts = [Message(f"practice.kind-{_KINDS[k if k in (0, 1, 2) else 2]}") for k in (kind, right)]
        return Message("practice.other-kind", {"got": sorts[0], "want": sorts[1]})
    if right == 1 and not _same(got, want, "shape"):
        return Message("practice.other-shape", {"got": _list(got, "shape"), "want": _list(want, "shape")})
    if not _same(got, want, "value"):
        return _values(got, want)
    if not _same(got, want, "after"):
        return Message("practice.argument-changed")
    if right == 1 and _number(want, "shares") >= 0 and _number(got, "shares") != _number(want, "shares"):
        return Message("practice.copied")
    if strides and not (_same(got, want, "stride") and _same(got, want, "offset")):
        return Message("practice.other-strides", {"got": _list(got, "stride"), "offset": _number(got, "offset")})
    return None


def _values(got: Answer, want: Answer) -> Message:
    mine, theirs = _array(got, "value"), want["value"]
    if mine.shape != theirs.shape:
        return Message("practice.other-count", {"got": mine.size, "want": theirs.size})
    if mine.size == 1:
        return Message("practice.other-number", {"got": float(mine[0]), "want": float(theirs[0])})
    at = int(np.flatnonzero(~((mine == theirs) | (np.isnan(mine) & np.isnan(theirs))))[0])
    return Message("practice.other-value", {"at": at, "got": float(mine[at]), "want": float(theirs[at])})


def _array(answer: Answer, name: str) -> np.ndarray:
    """What the untrusted side says, as float64; empty for anything that is no array of numbers."""
    found = answer.get(name, np.zeros(0))
    return found.astype(np.float64) if found.dtype.kind in "iuf" else np.zeros(0)


def _same(got: Answer, want: Answer, name: str) -> bool:
    return np.array_equal(_array(got, name), _array(want, name), equal_nan=True)


def _number(answer: Answer, name: str) -> int:
    found = _array(answer, name)
    return int(found[0]) if found.size == 1 and np.isfinite(found[0]) else -1


def _list(answer: Answer, name: str) -> str:
    return "(" + ", ".join(f"{v:g}" for v in _array(answer, name)[:8]) + ")"
