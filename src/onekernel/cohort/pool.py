"""Grades tasks in several processes. Each holds the course and grades one file after the other, in the way in which
`onekernel check` does; whoever asked for them writes down what comes back.

A process that a machine let down (MachineFault) gives its task back: it is tried again after a while, and when the
machine does not recover, grading stops with that sentence and nobody is scored by it.

Several tasks are given one GPU: each compiles and simulates as it likes, and waits for its turn on the card
(sandbox.turn).
"""

from __future__ import annotations

import contextlib
import multiprocessing
import multiprocessing.connection as channels
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from onekernel.backends.forks import end_with
from onekernel.backends.gpus import gpu_count, only
from onekernel.backends.processors import shared_among
from onekernel.cohort.journal import stored
from onekernel.cohort.tasks import Task
from onekernel.course import Course
from onekernel.errors import of_os
from onekernel.grading.grader import grade
from onekernel.labs.reader import load
from onekernel.messages import Message
from onekernel.sandbox import lanes
from onekernel.sandbox.machine import MachineFault
from onekernel.sandbox.process import end_on_signals

DONE, FAULT = "done", "fault"
PAUSES = (20.0, 60.0, 180.0)  # seconds before a machine that lacked something is tried again
ENDINGS = 2  # processes that may end over one task before the night is stopped
MOST_ON_A_GPU = 4  # tasks of one GPU: each spends most of its time at compilers, and holds some of the card's memory


@dataclass(frozen=True)
class Graded:
    """What came of a task: its result as `journal.stored` writes it, and the seconds that it took."""

    task: Task
    result: dict[str, Any]
    took: float


Said = Callable[[Message], None]


def graded(
    tasks: Sequence[Task], root: Path, jobs: int, slots: Slots, say: Said = lambda message: None
) -> Iterator[Graded]:
    """Each task once, in the order in which they end. `say` is told when the machine is waited for. Raises MachineFault
    where it does not recover."""
    waiting = list(tasks)
    faults = 0
    while waiting:
        fault = None
        done = set()
        for outcome in _round(waiting, root, jobs, slots):
            if isinstance(outcome, MachineFault):
                fault = outcome
            else:
                faults = 0
                done.add(outcome.task.of)
                yield outcome
        waiting = [t for t in waiting if t.of not in done]
        if fault is None:
            continue
        if faults == len(PAUSES):
            raise fault
        say(Message.of("cohort.pause", why=fault.message, seconds=PAUSES[faults]))
        time.sleep(PAUSES[faults])
        faults += 1


def _round(tasks: Sequence[Task], root: Path, jobs: int, slots: Slots) -> Iterator[Graded | MachineFault]:
    """The tasks, until all are done or the machine lets one of them down: then those at work are waited for."""
    waiting, ended, fault = list(tasks), dict[tuple[str, str], int](), False
    with _workers(root, min(jobs, len(waiting))) as idle:
        busy: dict[Connection, tuple[_Worker, Task, int | None]] = {}
        while waiting or busy:
            while idle and waiting and not fault and (next_one := slots.take(waiting)):
                task, gpu = next_one
                waiting.remove(task)
                worker = idle.pop()
                worker.channel.send((task, gpu))
                busy[worker.channel] = worker, task, gpu
            if not busy:
                return
            for channel in channels.wait(list(busy)):
                assert isinstance(channel, Connection)
                worker, task, gpu = busy.pop(channel)
                slots.give(task, gpu)
                try:
                    kind, said, took = channel.recv()
                except (EOFError, ConnectionResetError):
                    ended[task.of] = ended.get(task.of, 0) + 1
                    idle.append(worker.again())
                    if ended[task.of] < ENDINGS:
                        waiting.append(task)
                        continue
                    values = {"student": task.student, "exercise": task.exercise}
                    yield MachineFault(Message("cohort.process-ended", values))
                    fault = True
                    continue
                idle.append(worker)
                if kind == DONE:
                    yield Graded(task, said, took)
                else:
                    yield MachineFault(Message.from_json(said))
                    fault = True


class _Worker:
    """A process that grades."""

    def __init__(self, root: Path, beside: int, gpu_free: int | None) -> None:
        self.root, self.beside, self.gpu_free = root, beside, gpu_free
        context = multiprocessing.get_context("spawn")
        self.channel, theirs = context.Pipe()
        args = (theirs, root, os.getpid(), beside, gpu_free)
        self.process = context.Process(target=work, args=args, daemon=False)
        with shared_among(beside):
            self.process.start()
        theirs.close()

    def again(self) -> _Worker:
        """Another one in the place of this one."""
        self.end()
        return _Worker(self.root, self.beside, self.gpu_free)

    def end(self) -> None:
        """Ends it, and whatever it runs."""
        self.channel.close()
        self.process.join(0.05)
        if self.process.is_alive():
            self.process.terminate()  # as Ctrl-C does: with the end of what it runs
            self.process.join(10)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


@contextlib.contextmanager
def _workers(root: Path, count: int) -> Iterator[list[_Worker]]:
    gpu_free = lanes.gpu_free()
    everybody = [_Worker(root, count, gpu_free) for _ in range(count)]
    idle = list(everybody)
    try:
        yield idle
    finally:
        for worker in {*everybody, *idle}:
            worker.end()


def work(channel: Connection, root: Path, parent: int, beside: int, gpu_free: int | None) -> None:
    """The process, one of so many `beside` each other, which began with so many bytes `gpu_free` (`lanes.share_with`):
    grades what comes through `channel` until that is closed, and
    ends with `parent`."""
    end_with(parent)
    lanes.share_with(beside, gpu_free)
    end_on_signals()
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    with contextlib.suppress(EOFError, KeyboardInterrupt, BrokenPipeError):
        course = load(root)
        while True:
            task, gpu = channel.recv()
            _see(gpu, visible)
            channel.send(answer(task, course))


def answer(task: Task, course: Course) -> tuple[str, Any, float]:
    """DONE with the result of a task, as `journal.stored` writes it, or FAULT with what the machine lacked; and the
    seconds that it took."""
    began = time.monotonic()
    home = task.path.parents[len(Path(course.exercises[task.exercise].file).parts) - 1]
    try:
        kind, said = DONE, stored(grade(task.submission(course)), home)
    except MachineFault as fault:
        kind, said = FAULT, fault.message.to_json()
    except OSError as error:
        kind, said = FAULT, Message.of("grading.machine-error", why=of_os(error)).to_json()
    return kind, said, time.monotonic() - began


def _see(gpu: int | None, visible: str | None) -> None:
    """Leaves what is started from here on one GPU of those that this process sees."""
    if gpu is not None:
        os.environ["CUDA_VISIBLE_DEVICES"] = only(gpu, visible or "")
    elif visible is not None:
        os.environ["CUDA_VISIBLE_DEVICES"] = visible
    else:
        os.environ.pop("CUDA_VISIBLE_DEVICES", None)


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
        room = free is not None and self._at[free] < MOST_ON_A_GPU
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
