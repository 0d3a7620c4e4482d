"""Which walls stand around a submission. A kernel without Landlock, a container that forbids seccomp: then some do not,
and every report says so, or grading is refused (`require`, the option --require-sandbox)."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from onekernel.errors import UserError
from onekernel.messages import Message
from onekernel.sandbox import capabilities, hiding
from onekernel.sandbox.landlock import CALLS, FILES, confine

READING, ROOT = "reading", "root"
WALLS = (FILES, READING, CALLS, ROOT)
_REQUIRED = "ONEKERNEL_REQUIRE_SANDBOX"
_MOST_SECONDS = 60.0
_fallen: set[str] = set()


def before_build(hidden: Iterable[Path], source: Path, folder: Path) -> frozenset[str]:
    """Closes what neither the compilers nor the submission may read, and gives up what root has. Returns the walls that
    stand."""
    stand = {ROOT: capabilities.drop(), READING: hiding.from_build(hidden, source, folder)}
    return frozenset(wall for wall, stands in stand.items() if stands)


def before_run(
    writable: Iterable[Path], *, kept: Path | None, limit_memory: bool, file_bytes: int, alone: bool,
    on_gpu: bool = False,
) -> frozenset[str]:
    """Closes this process for good before the first line of a submission runs. Returns the walls that stand, of those
    that this puts up. `on_gpu`: NVIDIA's driver is still to start in it."""
    listing = hiding.from_submission()
    stand = confine(writable, kept=kept, limit_memory=limit_memory, file_bytes=file_bytes, alone=alone,
                    on_gpu=on_gpu)
    return stand | {READING} if listing else stand


def all_of(first: frozenset[str], then: frozenset[str]) -> list[str]:
    """The walls that stand after `before_build` and `before_run`: what both put up, both must have."""
    return sorted((first | then) - ({READING} if READING not in first & then else set()))


def missing(stand: Iterable[str]) -> list[str]:
    """The walls that do not stand, in their order."""
    return [wall for wall in WALLS if wall not in frozenset(stand)]


def fell(walls: Iterable[str]) -> None:
    """A run of this process told that these did not stand."""
    _fallen.update(w for w in walls if w in WALLS)


def open_walls() -> tuple[str, ...]:
    """The walls that did not stand around what this process had run; none where nothing was run."""
    return tuple(w for w in WALLS if w in _fallen)


def told(walls: Iterable[str]) -> Message | None:
    """What a report says of walls that do not stand; None where all do."""
    walls = tuple(walls)
    return Message("sandbox.open", {"walls": _listed(walls)}) if walls else None


def refusal(walls: Iterable[str]) -> Message:
    """Why nothing is graded where these walls have to stand and do not."""
    return Message("sandbox.required", {"walls": _listed(walls)})


def _listed(walls: Iterable[str]) -> Message:
    named = [Message.of(f"sandbox.wall-{wall}") for wall in walls]
    return functools.reduce(lambda first, second: Message("sandbox.and", {"first": first, "second": second}), named)


def required() -> bool:
    """Whether grading is refused where a wall is missing."""
    return os.environ.get(_REQUIRED) == "1"


def require() -> None:
    """Tries every wall in a process of its own. Raises UserError where one does not stand; from here on a run without
    one is not assessed."""
    os.environ[_REQUIRED] = "1"
    if walls := lacking():
        raise UserError(refusal(walls))


def lacking() -> list[str]:
    """The walls that this machine cannot put up: tried in a process of its own."""
    return missing(_tried())


def _tried() -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        argv = [sys.executable, "-P", "-m", "onekernel.sandbox.confinement", folder]
        try:
            done = subprocess.run(argv, capture_output=True, timeout=_MOST_SECONDS, check=True)
            return [str(wall) for wall in json.loads(done.stdout)]
        except (OSError, ValueError, subprocess.SubprocessError):
            return []


def main() -> None:
    """The process apart: puts up every wall around itself in the folder that it is given, and says which stand."""
    here = Path(sys.argv[1])
    first = before_build([], here / "none.cu", here)
    then = before_run([here], kept=None, limit_memory=True, file_bytes=1 << 20, alone=True)
    print(json.dumps(all_of(first, then)))


if __name__ == "__main__":
    main()
