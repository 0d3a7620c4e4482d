"""The room that a submission takes on the disk: watched while it runs, given back afterwards, however it lies there."""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import subprocess
from pathlib import Path

SPARE_BYTES = 1 << 30  # beside the buffers that were asked for: reports, what Triton compiles
MOST_FILES = 20_000


class Flooded(Exception):
    """A submission took more room than any answer needs."""


def taken(folder: Path, most_bytes: int) -> int:
    """The number of files directly in `folder`. Raises Flooded where there are more than MOST_FILES or `most_bytes` in
    it, at any depth, or folders that cannot be looked into: nested without end, or closed.

    A file without a name is not seen: `confine` sees to it that there is none, where the system has Landlock.
    """
    here = files = size = 0
    pending = [str(folder)]
    while pending:
        at = pending.pop()
        try:
            entries = list(itertools.islice(os.scandir(at), MOST_FILES + 1))
            files += len(entries)
            here += len(entries) if at == str(folder) else 0
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    pending.append(entry.path)
                else:
                    with contextlib.suppress(FileNotFoundError):
                        size += entry.stat(follow_symlinks=False).st_blocks * 512
        except (FileNotFoundError, NotADirectoryError):  # gone since it was listed
            continue
        except OSError:
            raise Flooded from None
        if files > MOST_FILES or size > most_bytes:
            raise Flooded
    return here


def remove(folder: Path) -> None:
    """Removes a folder that a submission wrote in: closed folders and endless nesting included. Never raises."""
    with contextlib.suppress(RecursionError):  # Python before 3.13 descends by recursion
        shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():
        for command in (["chmod", "-R", "u+rwX"], ["rm", "-rf"]):
            subprocess.run([*command, "--", str(folder)], check=False, capture_output=True)
