"""Who may have which GPU: a task that measures speed has one alone, others share one."""

from __future__ import annotations

from collections.abc import Sequence

from onekernel.backends.gpus import gpu_count
from onekernel.cohort.tasks import Task

SHARED = 3  # tasks on one GPU, of which each spends most of its time at a compiler


class Slots:
    """The GPUs of this machine, numbered as this process sees them."""

    def __init__(self, gpus: int) -> None:
        self._at: list[list[Task]] = [[] for _ in range(gpus)]

    @classmethod
    def here(cls) -> Slots:
        return cls(gpu_count())

    def take(self, waiting: Sequence[Task]) -> tuple[Task, int | None] | None:
        """The next task that can begin, and its GPU; None where every one has to wait. One that measures goes first
        where a GPU is free; then whoever needs none, or may share."""
        free = [n for n, tasks in enumerate(self._at) if not tasks]
        timed = next((t for t in waiting if t.timed), None)
        if timed and free:
            return self._given(timed, free[0])
        for task in waiting:
            if not task.on_gpu:
                return task, None
            room = [n for n, at in enumerate(self._at) if len(at) < SHARED and not any(t.timed for t in at)]
            if not task.timed and room:
                return self._given(task, min(room, key=lambda n: len(self._at[n])))
        return None

    def give(self, task: Task, gpu: int | None) -> None:
        """The task has ended."""
        if gpu is not None:
            self._at[gpu].remove(task)

    def _given(self, task: Task, gpu: int) -> tuple[Task, int]:
        self._at[gpu].append(task)
        return task, gpu
