"""The folder of a job, which one grader owns: it is removed when the job is done, or later where the grader was killed.

Its owner holds a lock on a file in it (flock(2)), which the kernel releases however that process ends. So whoever can
take the lock finds a folder that nobody will come back to.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import os
import stat
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from onekernel.sandbox import disk_quota

PREFIX, LOCK = "onekernel-", "grader.lock"
YOUNG_SECONDS = 60.0  # a folder that was made this moment may not be locked yet


@contextlib.contextmanager
def opened() -> Iterator[Path]:
    """A folder that only this user can enter, removed whatever happens."""
    _clean(tempfile.gettempdir(), os.getpid())
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    try:
        with (folder / LOCK).open("w") as lock:
            with contextlib.suppress(OSError):  # a file system without locks: then it is left to whoever empties /tmp
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield folder
    finally:
        disk_quota.remove(folder)


@functools.cache
def _clean(temporary: str, process: int) -> None:
    """Removes what graders left that were killed; once in a process."""
    for lock in Path(temporary).glob(f"{PREFIX}*/{LOCK}"):
        with contextlib.suppress(OSError):  # gone this moment
            folder = lock.parent.lstat()
            if not stat.S_ISDIR(folder.st_mode) or folder.st_uid != os.geteuid():
                continue  # another user's, or a link to what is anybody's
            with lock.open("r+") as file:
                if time.time() - os.fstat(file.fileno()).st_mtime > YOUNG_SECONDS:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    disk_quota.remove(lock.parent)
