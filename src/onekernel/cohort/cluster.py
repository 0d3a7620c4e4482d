"""Grades a class on a cluster: a job per student, through submitit, which submits to Slurm. The folder of the results
must be one that every node sees. What a job has graded is written down when it ends."""

from __future__ import annotations

import contextlib
import subprocess
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from onekernel.cohort import pool
from onekernel.cohort.pool import FAULT, Graded
from onekernel.cohort.tasks import Task
from onekernel.errors import UserError
from onekernel.labs.reader import load
from onekernel.messages import Message
from onekernel.sandbox.machine import MachineFault

LOGS = "cluster"  # submitit's folder, under that of the results
POLL_SECONDS = 5.0
LOST_SECONDS = 60.0  # until a node's files are seen elsewhere
MINUTES = 240  # that a student's job may take, where nothing else is asked for

Answer = tuple[str, Any, float]


def grader(
    cluster: str, root: Path, out: Path, jobs: int, options: Mapping[str, str], poll: float = POLL_SECONDS
) -> Callable[[Sequence[Task]], Iterator[Graded]]:
    """What grades tasks on `cluster` ("slurm", or "local" to try it), `jobs` students at a time. `options` are Slurm's
    own: partition, account, gres. Raises UserError where submitit is missing."""
    try:
        import submitit
    except ImportError:
        raise UserError(Message.of("cohort.no-submitit")) from None

    def grade(tasks: Sequence[Task]) -> Iterator[Graded]:
        if not tasks:
            return
        executor = submitit.AutoExecutor(folder=out / LOGS, cluster=cluster)
        gpus = 1 if any(t.on_gpu for t in tasks) else 0
        executor.update_parameters(name="onekernel-grade", timeout_min=MINUTES, gpus_per_node=gpus, cpus_per_task=2)
        executor.update_parameters(slurm_array_parallelism=max(1, jobs))
        if cluster == "slurm":
            executor.update_parameters(**{f"slurm_{name}": value for name, value in options.items()})
        parts = [list(mine) for _, mine in groupby(tasks, key=lambda t: t.student)]
        sent = executor.map_array(job, [root] * len(parts), parts)
        whose = {sent_one.job_id: part for sent_one, part in zip(sent, parts, strict=True)}
        fault: MachineFault | None = None
        try:
            for ended, lost in _ended(sent, poll, queued if cluster == "slurm" else lambda: None):
                mine = whose[ended.job_id]
                if lost:
                    fault = MachineFault(Message("cohort.job-lost", {"student": mine[0].student, "job": ended.job_id}))
                else:
                    fault = (yield from _results(ended, mine)) or fault
        finally:
            for sent_one in sent:
                with contextlib.suppress(Exception):  # one that has ended, or whose cluster has gone
                    if not sent_one.done():
                        sent_one.cancel()
        if fault:
            raise fault

    return grade


def queued() -> set[str] | None:
    """Slurm's names of this user's jobs that wait or run; None where it does not say."""
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        command = ["squeue", "--me", "--noheader", "--array", "--format=%i"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        return set(done.stdout.split()) if done.returncode == 0 else None
    return None


def _ended(sent: Sequence[Any], poll: float, queue: Callable[[], set[str] | None]) -> Iterator[tuple[Any, bool]]:
    """The jobs as they end, and whether one is lost: in no queue any more, and without a result for LOST_SECONDS. A
    Slurm that keeps no accounts says nothing else of a job that was cancelled, or whose node has gone."""
    waiting, since = list(sent), dict[str, float]()
    while waiting:
        there = queue()
        for one in tuple(waiting):
            now = time.monotonic()
            if there is None or one.job_id in there:
                since[one.job_id] = now
            lost = now - since.setdefault(one.job_id, now) > LOST_SECONDS
            if one.done() or lost:
                waiting.remove(one)
                yield one, not one.done()
        time.sleep(poll if waiting else 0)


def _results(ended: Any, tasks: Sequence[Task]) -> Generator[Graded, None, MachineFault | None]:
    """What a job has graded; as its return value why the machine let it down, where it did."""
    problem = ended.exception()
    if problem is not None:
        values = {"student": tasks[0].student, "why": str(problem).splitlines()[0][:300] if str(problem) else "-"}
        return MachineFault(Message("cohort.job-ended", values))
    for task, (kind, said, took) in zip(tasks, ended.result(), strict=False):
        if kind == FAULT:
            return MachineFault(Message.from_json(said))
        yield Graded(task, said, took)
    return None


def job(root: Path, tasks: Sequence[Task]) -> list[Answer]:
    """The work of one job: its tasks one after the other, until the machine lets one of them down."""
    course = load(root)
    answers: list[Answer] = []
    for task in tasks:
        answers.append(pool.answer(task, course))
        if answers[-1][0] == FAULT:
            break
    return answers
