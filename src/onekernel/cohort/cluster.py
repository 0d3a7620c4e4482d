"""Grades a class on a cluster: a job per student, through submitit, which submits to Slurm. The folder of the results
must be one that every node sees. What a job has graded is written down when it ends."""

from __future__ import annotations

import contextlib
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
MINUTES = 240  # that a student's job may take, where nothing else is asked for

Answer = tuple[str, Any, float]


def grader(
    cluster: str, root: Path, out: Path, jobs: int, options: Mapping[str, str], poll: float = POLL_SECONDS
) -> Callable[[Sequence[Task]], Iterator[Graded]]:
    """What grades tasks on `cluster` ("slurm", or "local" to try it), `jobs` students at a time. `options` are Slurm's
    own: partition, account, gres. Raises UserError where submitit is missing."""
    try:
        import submitit
        from submitit.helpers import as_completed
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
            for ended in as_completed(sent, poll_frequency=poll):
                mine = whose[ended.job_id]
                fault = (yield from _results(ended, mine)) or fault
        finally:
            for sent_one in sent:
                with contextlib.suppress(Exception):  # one that has ended, or whose cluster has gone
                    if not sent_one.done():
                        sent_one.cancel()
        if fault:
            raise fault

    return grade


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
