"""How many processors this process may use at once: those that it may run on, and in a container no more than its share
of them (`docker run --cpus 2`), which the system enforces by stopping whoever used it up."""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

_GROUPS, _OWN = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")
OF_BLAS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS")
TOLD = "ONEKERNEL_PROCESSORS"  # the share, to a process that may not read what tells it
COMPILING = "ONEKERNEL_COMPILER_THREADS"  # how many of them one compiler may use, to a process that builds


def processors(groups: Path = _GROUPS, own: Path = _OWN) -> int:
    """At least 1. `groups`: where control groups are files; `own`: the file that names this process's."""
    told = os.environ.get(TOLD, "")
    shares: Iterable[int] = [int(told)] if told.isdecimal() else _shares(groups, own)
    least = min(shares, default=None)
    allowed = len(os.sched_getaffinity(0))
    return max(1, allowed if least is None else min(allowed, least))


def compiling() -> int:
    """How many processors a compiler may use here: 1 where nobody says."""
    told = os.environ.get(COMPILING, "")
    return max(1, int(told)) if told.isdecimal() else 1


@contextlib.contextmanager
def shared_among(jobs: int) -> Iterator[None]:
    """Processes that are started within, so many at a time, multiply matrices with their share of the processors each,
    and not with all: NumPy reads the number once, as it is imported. What the user has chosen stays."""
    mine = {name: str(max(1, processors() // jobs)) for name in OF_BLAS if name not in os.environ}
    os.environ.update(mine)
    try:
        yield
    finally:
        for name in mine:
            os.environ.pop(name, None)


def _shares(groups: Path, own: Path) -> Iterator[int]:
    """The processors that each of the groups above this process may use, where it has a limit (Linux documentation,
    admin-guide/cgroup-v2 "CPU Interface Files", scheduler/sched-bwc for version 1)."""
    try:
        lines = own.read_text().splitlines()
    except OSError:
        return
    for _, names, path in (line.split(":", 2) for line in lines if line.count(":") >= 2):
        if names and "cpu" not in names.split(","):
            continue
        root = groups / names if names else groups
        within = Path(path.lstrip("/"))
        for group in (root / within, *(root / above for above in within.parents)):
            if (share := _share(group)) is not None:
                yield share


def _share(group: Path) -> int | None:
    """What a group has: a quota of microseconds in each period, in one file or, of version 1, in two."""
    try:
        if (group / "cpu.max").is_file():
            quota, period = (group / "cpu.max").read_text().split()
        else:
            quota, period = ((group / f"cpu.cfs_{name}_us").read_text() for name in ("quota", "period"))
        share = math.ceil(int(quota) / int(period))
    except (OSError, ValueError, ZeroDivisionError):  # "max" is no number: no limit
        return None
    return share if share > 0 else None
