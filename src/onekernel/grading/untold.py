"""What only explains a verdict may fail without it: the verdict stands, and whoever writes causes is told of the error,
in `Result.untold` and the output of `check --json`, not whoever reads the verdict."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from onekernel.sandbox.machine import MachineFault

_lost: ContextVar[list[str] | None] = ContextVar("lost", default=None)


@contextmanager
def collected() -> Iterator[list[str]]:
    """The errors that are left untold within it, each once, with the place where it came up."""
    lost: list[str] = []
    token = _lost.set(lost)
    try:
        yield lost
    finally:
        _lost.reset(token)


@contextmanager
def left_out() -> Iterator[None]:
    """What is done within it is given up where an error comes up; not what the machine lacks, which is nobody's."""
    try:
        yield
    except (OSError, MemoryError, MachineFault):
        raise
    except Exception as error:
        leave(error)


def leave(error: Exception) -> None:
    """Keeps an error of ours for whoever writes causes."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    said = f"{Path(last.filename).name}:{last.lineno} {type(error).__name__}: {error}"
    lost = _lost.get()
    if lost is not None and said not in lost:
        lost.append(said)
