"""A command has the clock's time that it needs, however busy the machine is: it is ended only when it stands still."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle
from pathlib import Path
from typing import TypeVar

Given = TypeVar("Given")
Made = TypeVar("Made")
STILL = 60.0  # seconds of the clock in which it has hardly run
_LEAST = 0.02  # of that time on a processor is running: who waits for a process looks at it now and then
_LOOK = 0.5
_TICKS = os.sysconf("SC_CLK_TCK")


def on_cores(work: Callable[[Given], Made], items: Iterable[Given], jobs: int) -> list[Made]:
    """`work` of each of `items`, as many at once as there are `jobs`, each on a core of its own. The limit is of each
    thread's processor time: were there threads on several cores, how far they come until the first is over its limit
    would depend on what else those cores have to do.
    """
    mine = cycle(sorted(os.sched_getaffinity(0)))
    with ThreadPoolExecutor(max(jobs, 1), initializer=lambda: os.sched_setaffinity(0, {next(mine)})) as pool:
        return list(pool.map(work, items))


def run(
    words: Sequence[str], folder: Path, environment: Mapping[str, str], still: float = STILL
) -> subprocess.CompletedProcess[str] | None:
    """What the command said and its status; None where it waited for what does not come."""
    with subprocess.Popen(
        words, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, errors="replace", start_new_session=True,
    ) as process:  # fmt: skip
        since, taken = time.monotonic(), 0.0
        while True:
            with contextlib.suppress(subprocess.TimeoutExpired):
                out, err = process.communicate(timeout=_LOOK)
                return subprocess.CompletedProcess(words, process.returncode, out, err)
            now, seconds = time.monotonic(), _processor_seconds(process.pid)
            if abs(seconds - taken) > _LEAST * still:  # less, too: one of them has ended
                since, taken = now, seconds
            elif now - since > still:
                os.killpg(process.pid, signal.SIGKILL)
                return None


def _processor_seconds(session: int) -> float:
    """Of the processes of a session that are there now (proc(5), /proc/pid/stat)."""
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            values = stat.read_text(errors="replace").rpartition(")")[2].split()
            if int(values[3]) == session:
                ticks += int(values[11]) + int(values[12])
    return ticks / _TICKS
