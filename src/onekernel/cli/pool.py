"""Files graded side by side, one more than there are cores: what `onekernel check` of several exercises does. While
some wait for what all of them are built with, or for their turn on a GPU (sandbox.turn), another has something to do.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from ctypes import Array
from functools import cache
from multiprocessing import active_children, get_context
from multiprocessing.process import BaseProcess
from multiprocessing.sharedctypes import RawArray
from pathlib import Path
from typing import Any

from onekernel.backends.forks import end_with
from onekernel.backends.processors import processors, shared_among
from onekernel.cohort.journal import restored, stored
from onekernel.grading.grader import grade, grade_until_failed
from onekernel.grading.refusals import refusals
from onekernel.grading.submission import Submission
from onekernel.grading.verdicts import Result
from onekernel.labs.reader import load
from onekernel.messages import language, set_language
from onekernel.sandbox import lanes
from onekernel.sandbox.process import ENDINGS
from onekernel.sandbox.progress import Progress, followed

PATIENCE = 3.0  # seconds for them to end what they run
_HOME = Path("/")  # what the paths of a stored result begin at


_course = cache(load)


def progress_of(count: int) -> Array[Progress]:
    """Room to tell how far each of so many files has come, for `graded`; its processes write in it. Where there is none
    that processes share, for want of a temporary file, those of others are not seen."""
    try:
        return RawArray(Progress, count)
    except OSError:
        return (Progress * count)()


def graded(
    submissions: Sequence[Submission], meanwhile: Callable[[], object] = lambda: None, *,
    progress: Array[Progress] | None = None, first: bool = False,
) -> Iterator[Result]:
    """What `grade` says of each, in their order. Raises MachineFault as it does. `meanwhile`: what is to be done, and
    may be refused, before anybody sees a result. `progress` is told how far each has come. `first`: nothing behind the
    first check that fails is graded, nor any file behind that one."""
    told = progress_of(len(submissions)) if progress is None else progress
    with contextlib.closing(_each(submissions, meanwhile, told, first)) as every:
        for result in every:
            yield result
            if first and result.fails:
                return


def _each(
    submissions: Sequence[Submission], meanwhile: Callable[[], object], told: Array[Progress], first: bool
) -> Generator[Result]:
    run = [submission for submission in submissions if submission.ran_on != "-" and refusals(submission) is None]
    jobs = lanes.graders(len(run), on_gpu=any(submission.ran_on == "cuda" for submission in run))
    if min(jobs, processors()) < 2:
        meanwhile()
        for n, submission in enumerate(submissions):
            yield _graded(submission, told[n], first)
        return
    begin = (os.getpid(), language(), told, jobs, lanes.gpu_free())
    with ProcessPoolExecutor(jobs, get_context("spawn"), _begin, begin) as pool:
        numbered = sorted(enumerate(submissions), key=lambda pair: _size(pair[1]), reverse=True)
        with shared_among(jobs):  # they start as the first is asked for
            asked = {n: pool.submit(_one, n, first, submission.course.root, submission.exercise.slug, submission.path,
                                    submission.device, submission.seed, submission.predictions)
                     for n, submission in numbered}  # fmt: skip
        try:
            meanwhile()
            for n, submission in enumerate(submissions):
                try:
                    result = restored(asked[n].result(), submission.course, _HOME)
                except BrokenProcessPool:  # the machine has ended one of them: this process is left
                    for one in told:
                        one.over = True
                    result = _graded(submission, told[n], first)
                if submission is submissions[-1]:
                    pool.shutdown()  # at leisure: a caller that has all it asked for may not come back
                yield result
        except BaseException:  # Ctrl-C, and a caller that wants no more
            _end(active_children())
            pool.shutdown(cancel_futures=True)
            raise


def _graded(submission: Submission, told: Progress, first: bool) -> Result:
    with followed(told):
        return grade_until_failed(submission) if first else grade(submission)


def _size(submission: Submission) -> int:
    """The largest file first: what takes longest to build is not left to one core at the end."""
    return submission.path.stat().st_size if submission.path.is_file() else 0


def _end(processes: Sequence[BaseProcess]) -> None:
    """What they run ends with them; one that is left holding the pool's lock, or is stopped, is not waited for."""
    for process in processes:
        process.terminate()
    until = time.monotonic() + PATIENCE
    for process in processes:
        process.join(max(0.0, until - time.monotonic()))
        process.kill()


_told: Array[Progress]  # of the process that asks


def _begin(parent: int, lang: str, told: Array[Progress], jobs: int, gpu_free: int | None) -> None:
    global _told
    _told = told
    end_with(parent)
    lanes.share_with(jobs, gpu_free)
    for ending in ENDINGS:
        signal.signal(ending, _leave)
    set_language(lang)


def _leave(*_: Any) -> None:
    """Ends this process with whatever it runs, once and in silence: the parent says that it was stopped."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # wherever this comes, the pool and the threads would show where
    for ending in ENDINGS:  # a terminal's Ctrl-C is followed by the parent's own word
        signal.signal(ending, signal.SIG_IGN)
    raise SystemExit


def _one(
    number: int, first: bool, root: Path, slug: str, path: Path, device: str, seed: int, predictions: Mapping[str, str]
) -> dict[str, Any]:
    course = _course(root)
    mine = Submission(course, course.exercises[slug], path, device, seed, predictions)
    return stored(_graded(mine, _told[number], first), _HOME)
