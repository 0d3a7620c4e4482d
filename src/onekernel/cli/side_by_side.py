"""Files graded side by side, one more than there are cores: what `onekernel check` of several exercises does. While
some wait for what all of them are built with, or for their turn on a GPU (sandbox.turn), another has something to do.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import cache
from multiprocessing import active_children, get_context
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from onekernel.cohort.journal import restored, stored
from onekernel.grading.grader import grade
from onekernel.grading.refusals import refused
from onekernel.grading.submission import Submission
from onekernel.grading.verdicts import Result
from onekernel.labs.reader import load
from onekernel.messages import language, set_language
from onekernel.sandbox import lanes
from onekernel.sandbox.landlock import end_with

PATIENCE = 3.0  # seconds for them to end what they run
_HOME = Path("/")  # what the paths of a stored result begin at

_ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

_course = cache(load)


def graded(submissions: Sequence[Submission], meanwhile: Callable[[], object] = lambda: None) -> Iterator[Result]:
    """What `grade` says of each, in their order. Raises MachineFault as it does. `meanwhile`: what is to be done, and
    may be refused, before anybody sees a result."""
    run = [s for s in submissions if s.ran_on != "-" and refused(s) is None]
    jobs = lanes.graders(len(run))
    if min(jobs, lanes.processors()) < 2:
        meanwhile()
        yield from map(grade, submissions)
        return
    with ProcessPoolExecutor(jobs, get_context("spawn"), _begin, (os.getpid(), language(), jobs)) as pool:
        asked = {id(s): pool.submit(_one, s.course.root, s.exercise.slug, s.path, s.device, s.seed, s.predictions)
                 for s in sorted(submissions, key=_size, reverse=True)}  # fmt: skip
        try:
            meanwhile()
            for s in submissions:
                try:
                    result = restored(asked[id(s)].result(), s.course, _HOME)
                except BrokenProcessPool:  # the machine has ended one of them: this process is left
                    result = grade(s)
                if s is submissions[-1]:
                    pool.shutdown()  # at leisure: a caller that has all it asked for may not come back
                yield result
        except BaseException:  # Ctrl-C, and a caller that wants no more
            _end(active_children())
            pool.shutdown(cancel_futures=True)
            raise


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


def _begin(parent: int, lang: str, jobs: int) -> None:
    end_with(parent)
    lanes.share_with(jobs)
    for ending in _ENDINGS:
        signal.signal(ending, _leave)
    set_language(lang)


def _leave(*_: Any) -> None:
    """Ends this process with whatever it runs, once and in silence: the parent says that it was stopped."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # wherever this comes, the pool and the threads would show where
    for ending in _ENDINGS:  # a terminal's Ctrl-C is followed by the parent's own word
        signal.signal(ending, signal.SIG_IGN)
    raise SystemExit


def _one(root: Path, slug: str, path: Path, device: str, seed: int, predictions: Mapping[str, str]) -> dict[str, Any]:
    course = _course(root)
    return stored(grade(Submission(course, course.exercises[slug], path, device, seed, predictions)), _HOME)
