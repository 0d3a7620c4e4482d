"""How far a file has come, for whoever waits: a few numbers and names of ours, in memory that processes of ours share.

Nobody has to look. What the untrusted process says reaches it as a number alone, which is never above what was asked.
"""

from __future__ import annotations

import contextlib
import ctypes
import time
from collections.abc import Iterator, Sequence
from contextvars import ContextVar


class Progress(ctypes.Structure):
    """What is being done with one file; all zero before its time. Whoever reads it while it is written reads a step
    that is half taken, and the next time a whole one."""

    _fields_ = (
        ("since", ctypes.c_double),  # when it began, of time.monotonic
        ("over", ctypes.c_bool),
        ("place", ctypes.c_char * 16),  # where its code runs, as in Submission.ran_on
        ("check", ctypes.c_char * 128),  # the id of the check that it is about; empty while it is about none
        ("answer", ctypes.c_bool),  # it is the course's own answer that runs, to compare with
        ("input", ctypes.c_int),  # the one at hand, from 1; 0 while the file is built
        ("inputs", ctypes.c_int),  # of how many
    )
    since: float
    over: bool
    place: bytes
    check: bytes
    answer: bool
    input: int
    inputs: int


_followed: ContextVar[Progress | None] = ContextVar("followed", default=None)
_checks: ContextVar[Sequence[str]] = ContextVar("checks", default=())


@contextlib.contextmanager
def followed(by: Progress) -> Iterator[None]:
    """Within it, what is done is told to `by`, from its beginning to its end."""
    by.since, by.over = time.monotonic(), False
    token = _followed.set(by)
    try:
        yield
    finally:
        _followed.reset(token)
        by.over = True


@contextlib.contextmanager
def about(checks: Sequence[str], place: str, *, answer: bool = False) -> Iterator[None]:
    """Within it, inputs are those of `checks`, the id of a check for each of them or the one of all of them."""
    told = _followed.get()
    if told is None:
        yield
        return
    told.place, told.answer, told.input, told.inputs = place.encode(), answer, 0, 0
    token = _checks.set(checks)
    try:
        told.check = _id(0)
        yield
    finally:
        _checks.reset(token)
        told.check, told.input, told.inputs = b"", 0, 0


def reached(number: int, of: int) -> None:
    """Input `number` of `of` has begun, from 1; 0 for none."""
    told = _followed.get()
    if told is not None:
        told.input, told.inputs = min(max(number, 0), of), of
        told.check = _id(told.input)


def _id(number: int) -> bytes:
    """The check of that input."""
    checks = _checks.get()
    return checks[min(max(number, 1), len(checks)) - 1].encode() if checks else b""
