"""Runs submissions of the course's own in this process, or in Triton's: what they do is known, and a process apiece
would take longer than they do. Nothing is confined.

Triton is interpreted in a process where that was chosen before its import; here another test may have imported it.
"""

from __future__ import annotations

import functools
import multiprocessing
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from importlib import import_module

import pytest

from onekernel.backends.base import Arg, Buffer, BuildError, Unavailable
from onekernel.sandbox import cards, supervisor, worker
from onekernel.sandbox.protocol import Request
from onekernel.sandbox.supervisor import CallOutcome, RunOutcome, TaskRun


def run(request: Request) -> RunOutcome:
    """As supervisor.run."""
    if request.backend == "simulator":
        return _run(request)
    return _tritons_own().submit(_run, request).result()


@functools.cache
def _tritons_own() -> ProcessPoolExecutor:
    return ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"))


def _run(request: Request) -> RunOutcome:
    from onekernel import simulator, triton

    try:
        if request.backend == "simulator":
            # NVIDIA's compiler is not asked for the counts: half a second for each file, and the files are small.
            options = {**request.options, "machine_code": False, "side_stream": True}
            program = simulator.build(request.source, prototypes=request.prototypes, **options)
        else:
            program = triton.build(request.source, interpret=request.backend == worker.INTERPRETED, **request.options)
            program.prepare()
    except BuildError as error:
        return RunOutcome([], build=tuple(error.findings))
    except Unavailable as error:
        return RunOutcome([], unavailable=error.message)
    ways = request.ways or [""] * len(request.calls)
    calls = [_call(program, function, args, way) for (function, args), way in zip(request.calls, ways, strict=True)]
    return RunOutcome(calls, warnings=tuple(getattr(program, "warnings", ())))


def _call(program: object, function: str, args: list[Arg], way: str) -> CallOutcome:
    mine = [replace(a, memory=a.memory.copy()) if isinstance(a, Buffer) else a for a in args]
    try:
        report = program.call(function, mine, way)  # type: ignore[attr-defined]
    except BuildError as error:
        return CallOutcome(exports=tuple(error.findings))
    return CallOutcome(report=report, after={a.name: a.memory for a in mine if isinstance(a, Buffer)})


def run_task(request: Request, *, count: int, seconds: float) -> TaskRun:
    """As supervisor.run_task, for a file that needs no kernel."""
    task = import_module(f"onekernel.sandbox.tasks.{request.options['task']}")
    given = cards.Cards(request.cards).answer if request.cards else None
    return TaskRun([task.run(request.source, asked, given) for asked in request.options["requests"]])


def patched() -> Iterator[None]:
    """Has the graders run what they run in this process, as a fixture does."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(supervisor, "run", run)
        patch.setattr(supervisor, "run_task", run_task)
        yield
