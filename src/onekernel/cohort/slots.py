"""Which GPU a task is given. Several tasks are given one: each compiles and simulates as it likes, and waits for its
turn on the card (sandbox.turn)."""

from __future__ import annotations

from collections.abc import Sequence

from onekernel.backends.gpus import gpu_count
from onekernel.cohort.tasks import Task

MOST = 4  # tasks of one GPU: each spends most of its time at compilers, and holds some of the card's memory


class Slots:
    """The GPUs of this machine, numbered as this process sees them."""

    def __init__(self, gpus: int) -> None:
        self._at = [0] * gpus  # tasks

    @classmethod
    def here(cls) -> Slots:
        return cls(gpu_count())

    def take(self, waiting: Sequence[Task]) -> tuple[Task, int | None] | None:
        """The next task that can begin, and its GPU, the one with the fewest; None where every one has to wait."""
        free = min(range(len(self._at)), key=self._at.__getitem__, default=None)
        room = free is not None and self._at[free] < MOST
        for task in waiting:
            if not task.on_gpu:
                return task, None
            if free is not None and room:
                self._at[free] += 1
                return task, free
        return None

    def give(self, task: Task, gpu: int | None) -> None:
        """The task has ended."""
        if gpu is not None:
            self._at[gpu] -= 1
