"""The process of a program: its limits, a glimpse of how far it is, the report that it leaves."""

from __future__ import annotations

import contextlib
import json
import mmap
import os
import resource
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from onekernel.backends.processors import processors
from onekernel.errors import UserError
from onekernel.messages import Message
from onekernel.sandbox.landlock import lower
from onekernel.sandbox.process import ENDINGS

_LOOK = 0.1  # seconds between two looks at how far it is
_LAST_WORDS = 5.0  # seconds for a program that is stopped to tell what it found
_GRACE = 20  # processor seconds beyond the limit, in which the program tells what it knows
_LEAST_MEMORY = 1 << 30


@dataclass(frozen=True)
class Ended:
    """`report` is the runtime's own, None where the program could not write it; `why` then says how it ended."""

    status: int
    signal: str
    seconds: float
    report: dict[str, Any] | None

    @property
    def why(self) -> str:
        return "signal" if self.signal else "quick"


def run(
    program: Path, arguments: Sequence[str], options: int, limit: float, warp: int,
    variables: Sequence[tuple[str, int, int, int]], code: bytes = b"", quiet: bool = False,
    progress: Callable[[int, int, float], None] | None = None,
) -> Ended:  # fmt: skip
    """Runs `program` with the rights of whoever asks, in the folder in which they are. `code`: packed kernels, which
    are counted instead of what is written."""
    cores = processors()
    with _listening() as asked, tempfile.TemporaryDirectory(prefix="onekernel-run-") as folder, ExitStack() as stack:
        named = (f"{at:x} {size:x} {kind} {name}" for name, at, size, kind in variables)
        lines = [f"{options} {cores} {limit} {warp}", *named]
        (Path(folder) / "settings").write_text("\n".join(lines) + "\n", encoding="utf-8")
        (Path(folder) / "progress").write_bytes(bytes(16))
        if code:
            (Path(folder) / "code").write_bytes(code)
        file = stack.enter_context((Path(folder) / "progress").open("r+b"))
        counters = stack.enter_context(mmap.mmap(file.fileno(), 16))
        outputs = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        started = time.monotonic()
        try:
            process = subprocess.Popen(
                ["./" + program.stem.rpartition("-")[0], *arguments],  # as a shell calls it: not a file of the cache
                executable=program, env={**os.environ, "ONEKERNEL_PROGRAM": folder},
                preexec_fn=lambda: _limit(limit * cores), **(outputs if quiet else {}),  # type: ignore[call-overload]
            )  # fmt: skip
        except OSError as error:
            raise UserError(Message("run.not-started", {"why": error.strerror or str(error)})) from error
        try:
            _wait(process, asked, counters, progress)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
        ended = process.returncode
        name = signal.Signals(-ended).name if ended < 0 else ""
        return Ended(128 - ended if ended < 0 else ended, name, time.monotonic() - started, _report(Path(folder)))


@contextlib.contextmanager
def _listening() -> Iterator[list[int]]:
    """The signals that asked for an end, in a list that grows: nobody is torn out of what they do, as of starting the
    program, by a signal or by the next. What is ignored stays so, and threads that are not the first hear none."""
    asked: list[int] = []
    before: dict[int, Any] = {}
    try:
        with contextlib.suppress(ValueError):
            for number in ENDINGS:
                if signal.getsignal(number) is not signal.SIG_IGN:
                    before[number] = signal.signal(number, lambda given, _: asked.append(given))
        yield asked
    finally:
        for ending, handler in before.items():
            signal.signal(ending, handler)


def _wait(
    process: subprocess.Popen[bytes], asked: Sequence[int], counters: mmap.mmap,
    progress: Callable[[int, int, float], None] | None,
) -> None:  # fmt: skip
    """Until the program has ended; one that is asked to end says what it knows."""
    since, shown = time.monotonic(), 0
    while not asked:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=_LOOK)
            return
        blocks, done = (int.from_bytes(counters[k : k + 8], "little") for k in (0, 8))
        if blocks != shown:
            since, shown = time.monotonic(), blocks
        if progress is not None:
            progress(done, blocks, time.monotonic() - since)
    process.terminate()  # `timeout` and a terminal tell it themselves; not so whoever tells this process alone
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=_LAST_WORDS)


def _report(folder: Path) -> dict[str, Any] | None:
    try:
        report = json.loads((folder / "report").read_bytes().decode("utf-8", "replace"))
    except (OSError, ValueError):
        return None
    return report if isinstance(report, dict) else None


def _limit(seconds: float) -> None:
    """What the program's own clock may miss: a loop in which no signal is let through, memory without end."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    lower(resource.RLIMIT_CPU, int(seconds) + _GRACE)
    available = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    with contextlib.suppress(OSError, ValueError, IndexError, StopIteration):
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        available = 1024 * int(next(n for n in lines if n.startswith("MemAvailable")).split()[1])
    lower(resource.RLIMIT_DATA, max(_LEAST_MEMORY, available * 9 // 10))
