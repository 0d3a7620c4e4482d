"""What grading needs of this machine: a limit, a full disk, or memory that is gone must never look like a submission's
fault. Whoever finds that raises MachineFault; the exercise then is not graded yet, and nobody loses points.
"""

from __future__ import annotations

import contextlib
import resource
import shutil
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

from onekernel.backends.cache import BUILT_BYTES
from onekernel.errors import TRY_AGAIN, UserError, of_os
from onekernel.messages import Message

ROOM = 64 << 20  # bytes that a build and its buffers need on the disk
MEMORY_BYTES = 768 << 20  # what a compiler and a simulated call take together, with some to spare
ADDRESSES = 512 << 30  # the simulator reserves 128 GB of addresses, of which it uses what a kernel asks for
CPU_SECONDS = 300  # of a limit on this process, which its children inherit
_LEAST = (
    ("v", resource.RLIMIT_AS, ADDRESSES),
    ("d", resource.RLIMIT_DATA, 4 << 30),
    ("f", resource.RLIMIT_FSIZE, BUILT_BYTES),
    ("n", resource.RLIMIT_NOFILE, 64),
    ("t", resource.RLIMIT_CPU, CPU_SECONDS),
)
Outcome = TypeVar("Outcome")
_MEMORY = Path("/sys/fs/cgroup")
# How a process ends that the machine has let down; a submission can end so, too, and is then compared with ours.
_SIGNALS = ("SIGKILL", "SIGBUS", "SIGXFSZ", "SIGXCPU")
_WORDS = ("MemoryError", "Cannot allocate memory", "No space left on device", "Resource temporarily unavailable",
          "Too many open files", "File too large", "Disk quota exceeded", "can't start new thread")  # fmt: skip
# cudaErrorDevicesUnavailable, NoDevice, ECCUncorrectable, NvlinkUncorrectable, SystemNotReady, SystemDriverMismatch,
# CompatNotSupportedOnDevice: CUDA Runtime API, "cudaError". A launcher can return them, too.
_OF_THE_CARD = (46, 100, 214, 220, 802, 803, 804)
_BUILDS = ("disk", "runtime-build", "compile-memory")  # codes of findings that no line of a file should cause


class MachineFault(UserError):
    """This machine cannot grade now. The message says what it lacks and that nothing was graded."""

    def __init__(self, message: Message, exit_code: int = TRY_AGAIN) -> None:
        super().__init__(message, exit_code)


def require(folders: Iterable[Path] = ()) -> None:
    """Raises MachineFault where a limit of this process, a full disk or the memory would spoil what is run. Looks at
    the temporary folder and at `folders`; takes microseconds."""
    for letter, limit, least in _LEAST:
        soft, _ = resource.getrlimit(limit)
        if soft != resource.RLIM_INFINITY and soft < least:
            raise MachineFault(Message.of("grading.machine-limit", option=f"ulimit -{letter}"))
    for folder in (Path(tempfile.gettempdir()), *folders):
        if shutil.disk_usage(folder).free < ROOM:
            raise MachineFault(Message.of("grading.machine-disk", folder=folder))
    if (free := memory_free()) < MEMORY_BYTES:
        raise MachineFault(Message.of("grading.machine-memory", free=free // 1_000_000))


def memory_free() -> int:
    """Bytes of memory that can be had without swapping: the machine's, or what is left of this control group's."""
    free = [_meminfo()]
    with contextlib.suppress(OSError, ValueError):  # no control group of version 2, or one without a limit ("max")
        most = int((_MEMORY / "memory.max").read_text())
        taken = int((_MEMORY / "memory.current").read_text())
        reclaimed = dict(line.split() for line in (_MEMORY / "memory.stat").read_text().splitlines())
        free.append(most - taken + int(reclaimed.get("file", 0)))
    return min(free)


def _meminfo() -> int:
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) << 10
    return MEMORY_BYTES


def of_error(error: OSError | MemoryError) -> MachineFault:
    """What stopped the grader itself, as the machine's fault."""
    if isinstance(error, MemoryError):
        return MachineFault(Message.of("grading.machine-memory", free=memory_free() // 1_000_000))
    return MachineFault(Message.of("grading.machine-error", why=of_os(error)))


def settled(
    theirs: Callable[[], Outcome], ours: Callable[[], Outcome], let_down: Callable[[Outcome], bool], file: str,
    once_more: Callable[[], Outcome] | None = None,
) -> Outcome:
    """How a submission's run ends. One that ends as if the machine had let it down is compared with a run of our own
    `file`: if that ends so, too, MachineFault; else what was lacking may have come back meanwhile, and only what
    happens to the submission `once_more` is its own."""
    outcome = theirs()
    if not let_down(outcome):
        return outcome
    if let_down(ours()):
        raise MachineFault(Message("grading.machine-ours", {"kernel": file}))
    return (once_more or theirs)()


def suspected(endings: Iterable[Message], build_codes: Iterable[str], statuses: Iterable[int] = ()) -> bool:
    """Whether a run ended as one does that the machine let down: worth asking whether our own file fares better."""
    if any(status in _OF_THE_CARD for status in statuses):
        return True
    return any(code in _BUILDS for code in build_codes) or any(_let_down(e) for e in endings)


def _let_down(ended: Message) -> bool:
    if ended.key == "grading.killed":
        return ended.values["signal"] in _SIGNALS
    return ended.key == "grading.left" and any(words in str(ended.values["output"]) for words in _WORDS)
