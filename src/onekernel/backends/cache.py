"""Where builds are kept between runs, and for how long."""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

BUILT_BYTES = 512 << 20  # of one file that a compiler writes; a precompiled header has 37 MB
MOST_BYTES = 4 << 30  # of builds; a build of the simulator has some hundred kB
IN_USE_SECONDS = 3600.0  # what was used that recently may be about to be loaded


def cache_folder(name: str = "") -> Path:
    """$ONEKERNEL_CACHE, else $XDG_CACHE_HOME/onekernel, else ~/.cache/onekernel; in it the folder `name`.

    It is made where it is missing; where it cannot be written, it is one in the system's temporary folder.
    """
    xdg = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    base = Path(os.environ.get("ONEKERNEL_CACHE") or Path(xdg) / "onekernel").expanduser()
    with contextlib.suppress(OSError):
        (base / name).mkdir(parents=True, exist_ok=True)
        if os.access(base / name, os.W_OK):
            return base / name
    folder = Path(tempfile.gettempdir()) / f"onekernel-{os.getuid()}" / name
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def used(build: Path) -> bool:
    """Whether that build is kept; if so, it is now the one that was used last."""
    with contextlib.suppress(OSError):  # somebody else's, or gone this moment
        os.utime(build)
    return build.is_file()


@contextlib.contextmanager
def alone(build: Path) -> Iterator[None]:
    """One process at a time makes that build: who comes meanwhile waits, looks again, and finds it."""
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):  # where files cannot be locked, both make it
            lock = stack.enter_context(build.with_name(f"{build.name}.lock").open("w"))
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def prune(folder: Path, most_bytes: int = MOST_BYTES, suffix: str = ".so") -> None:
    """Removes the builds (files that end with `suffix`) that were not used for longest until the rest has `most_bytes`
    at most; what was used within IN_USE_SECONDS stays."""
    kept: list[tuple[float, int, Path]] = []
    for path in folder.glob(f"*{suffix}"):
        with contextlib.suppress(OSError):
            about = path.stat()
            kept.append((about.st_mtime, about.st_size, path))
    excess = sum(size for _, size, _ in kept) - most_bytes
    for when, size, path in sorted(kept):
        if excess <= 0 or time.time() - when < IN_USE_SECONDS:
            return
        for part in (path, path.with_suffix(".warnings")):
            part.unlink(missing_ok=True)
        excess -= size
