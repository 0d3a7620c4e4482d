"""The folder through which the trusted and the untrusted process speak: JSON and raw bytes, nothing that is unpickled.

    job.json              what to build and which calls to make      (trusted writes, untrusted reads and removes)
    cards                 the simulated cards of a benchmark         (trusted writes, a process apart reads and removes)
    in                    the bytes of all buffers before the calls  (trusted writes, untrusted reads and removes)
    seals                 a pipe: a hash of each answer as it is written (untrusted writes, `seals`)
    out/walls.json        the walls that do not stand                (untrusted writes, from here on)
    out/built.json        the build's findings
    out/started           the number of each call that has begun, four bytes each
    out/CALL.json         the report of call number CALL
    out/CALL.times        the seconds of its launches, where it is timed
    out/CALL.buffers      its buffers' bytes afterwards, one behind the other; where it is timed, of outputs alone
    out/CALL.NAME         what it touched of a tensor larger than memory

What the untrusted side writes is data: it is opened without following links, must be a plain file of the exact length
(buffers) or of a bounded one (JSON), and each field is converted to the type expected of it. Buffers share files: to
make one costs more than to fill it, by much on some file systems.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import stat
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from onekernel.backends.base import Arg, Buffer, CallReport, Finding, Scalar, Sparse
from onekernel.counts import KernelCounts
from onekernel.messages import LANGUAGES, Message
from onekernel.sandbox import cards
from onekernel.sandbox.inputs import ClosedInputs

JSON_BYTES = 16 << 20
MOST_TEXT = 20_000  # characters of one message: a compiler's complaint about a template is long, a flood is longer
WALLS = "walls.json"
BUILT = "built.json"
STARTED = "started"
LOADING, LOADED = "loading", "loaded"  # of a Python file, in a job's out/
_NUMBER = struct.Struct("<I")
_ALIGNED = 64  # bytes: where a buffer begins in their file
_OF_BUFFER = ("name", "offset", "extent", "writable", "itemsize", "shape", "dtype", "row_stride", "filled")
_OF_SPARSE = ("name", "span", "writable", "itemsize", "cols", "stride", "draw")
NOT_AS_ASKED = (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, RecursionError)
"""What reading a value of the wrong type or size raises, infinities and endless nesting included."""


class Forged(Exception):
    """What the untrusted side wrote is not what it was asked for."""


@dataclass(frozen=True)
class Request:
    """What the untrusted process is to do: build `source` with `backend`, then make the calls.

    With `timed`, call number i is launched `timed["launches"]` times on a GPU, and launch `timed["kept"][i]` is the one
    whose output comes back. With `lanes`, copies of the process share the calls: call number i is the one's numbered
    `lanes[i]`.
    """

    source: Path
    backend: str
    calls: Sequence[tuple[str, Sequence[Arg]]] = ()
    prototypes: Sequence[str] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    timed: Mapping[str, Any] | None = None
    ways: Sequence[str] = ()  # how each call is made, where not all of them are as they stand
    hidden: Sequence[Path] = ()  # what neither its build nor itself may read
    lanes: Sequence[int] = ()  # who makes each call, where not one process makes all
    cards: Sequence[Mapping[str, Any]] = ()  # simulated ones, of which its process is told nothing (`cards`)
    only_built: bool = False  # nothing of it is to run: a later request finds it built

    def write(self, folder: Path) -> None:
        """Lays the request out in `folder`."""
        (folder / "out").mkdir()
        with (folder / "in").open("wb") as file:
            calls = [
                {"function": function, "args": [_laid_out(arg, file) for arg in args]} for function, args in self.calls
            ]
        job = {
            "source": str(self.source),
            "backend": self.backend,
            "prototypes": list(self.prototypes),
            "options": dict(self.options),
            "timed": self.timed,
            "ways": list(self.ways),
            "lanes": list(self.lanes),
            "only_built": self.only_built,
            "hidden": [str(path) for path in self.hidden],
            "calls": calls,
        }
        if self.cards:
            (folder / cards.NAME).write_text(json.dumps(list(self.cards)), encoding="utf-8")
        (folder / "job.json").write_text(json.dumps(job), encoding="utf-8")


def _laid_out(arg: Arg, file: BinaryIO) -> Any:
    """An argument as the job names it, its bytes in the file."""
    if isinstance(arg, Buffer | Sparse):
        fields, memory = (_OF_BUFFER, arg.memory) if isinstance(arg, Buffer) else (_OF_SPARSE, arg.pattern)
        at = file.seek(-file.tell() % _ALIGNED, os.SEEK_CUR)
        file.write(memory.tobytes())
        return {k: getattr(arg, k) for k in fields} | {"at": at, "bytes": memory.nbytes}
    if isinstance(arg, Scalar):
        return {"scalar": arg.name, "value": arg.value}
    return int(arg)


def read_request(folder: Path) -> tuple[Request, ClosedInputs]:
    """The untrusted side's reading of `Request.write`, and what holds its bytes. The files are gone afterwards: the
    submission may read in this folder, and must not find its inputs there."""
    asked, brought = folder / "job.json", folder / "in"
    job = json.loads(asked.read_text(encoding="utf-8"))
    inputs = ClosedInputs(brought)
    asked.unlink()
    brought.unlink()
    calls = [(call["function"], [_argument(arg, inputs) for arg in call["args"]]) for call in job["calls"]]
    rest = {key: job[key] for key in ("prototypes", "options", "timed", "ways", "lanes", "only_built")}
    return Request(Path(job["source"]), job["backend"], calls, hidden=[Path(p) for p in job["hidden"]], **rest), inputs


def _argument(arg: Any, inputs: ClosedInputs) -> Arg:
    """What `_laid_out` has laid out."""
    if isinstance(arg, int):
        return arg
    if "scalar" in arg:
        return Scalar(arg["scalar"], arg["value"])
    memory = inputs.part(arg.pop("at"), arg.pop("bytes"))
    return Sparse(pattern=memory, **arg) if "span" in arg else Buffer(memory=memory, **arg)


def mark(out: Path, what: str) -> None:
    """Says that a Python file begins to be imported (LOADING), or is (LOADED)."""
    with contextlib.suppress(OSError):  # of another make: whoever put it there has nothing of it
        (out / what).touch()


def loading(out: Path) -> bool:
    """Whether a file is being imported, as the untrusted side says: no function of it was called."""
    return os.path.lexists(out / LOADING) and not any(os.path.lexists(out / done) for done in (LOADED, STARTED))


def begin(out: Path, number: int) -> None:
    """Says that a call begins, before anything of it is done."""
    with (out / STARTED).open("ab") as started:
        started.write(_NUMBER.pack(number))


def begun(out: Path, calls: int) -> set[int]:
    """The numbers of the calls that have begun, of so many, as the untrusted side says."""
    try:
        data = read_bytes(out / STARTED, at_most=calls * _NUMBER.size)
    except (Forged, OSError):
        return set()
    whole = data[: len(data) // _NUMBER.size * _NUMBER.size]
    return {number for (number,) in _NUMBER.iter_unpack(whole) if number < calls}


def returned(request: Request, args: Sequence[object]) -> list[Buffer]:
    """The buffers of a call whose bytes come back. What is timed is of hundreds of megabytes: that a launcher leaves
    its inputs alone is seen where it is checked."""
    return [a for a in args if isinstance(a, Buffer) and (a.writable or not request.timed)]


def read_buffers(path: Path, asked: Sequence[Buffer]) -> dict[str, np.ndarray]:
    """The bytes of a call's buffers after it. Raises Forged, FileNotFoundError."""
    if not asked:
        return {}
    data = np.frombuffer(read_bytes(path, exactly=sum(a.memory.nbytes for a in asked)), np.uint8)
    ends = np.cumsum([a.memory.nbytes for a in asked])
    return {a.name: data[end - a.memory.nbytes : end] for a, end in zip(asked, ends, strict=True)}


def read_bytes(path: Path, *, exactly: int | None = None, at_most: int = JSON_BYTES) -> bytes:
    """A plain file's bytes. Raises Forged for a link, a device, a wrong length; FileNotFoundError for none."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise Forged(f"{path.name}: {error.strerror}") from None
    info = os.fstat(fd)
    if not stat.S_ISREG(info.st_mode):
        os.close(fd)
        raise Forged(f"{path.name}: not a plain file")
    with os.fdopen(fd, "rb") as file:
        if exactly is not None and info.st_size != exactly:
            raise Forged(f"{path.name}: {info.st_size} bytes, expected {exactly}")
        if exactly is None and info.st_size > at_most:
            raise Forged(f"{path.name}: {info.st_size} bytes, more than a report may have")
        data = file.read((exactly if exactly is not None else at_most) + 1)
    if exactly is not None and len(data) != exactly:
        raise Forged(f"{path.name}: its length changed while it was read")
    return data


def read_json(path: Path) -> Any:
    """A JSON file that the untrusted side wrote. Raises Forged, FileNotFoundError."""
    try:
        return json.loads(read_bytes(path))
    except (ValueError, RecursionError):
        raise Forged(f"{path.name}: not JSON") from None


def read_findings(data: Any, source: Path) -> tuple[Finding, ...]:
    """Findings from the untrusted side. Raises Forged where a field is not of its type, or a message cannot be printed.

    A finding may name files in the folder of `source` alone: the line that it names is read and shown.
    """
    try:
        found = [Finding.from_json(f) for f in data]
        for finding in found:
            printable(finding.message)
        return tuple(f if _beside(f.file, source) else replace(f, file=None, line=None) for f in found)
    except NOT_AS_ASKED as error:
        raise Forged(f"finding: {error}") from None


def printable(message: Message) -> Message:
    """The message, if it prints in every language. Raises Forged for a flood, and what a missing value raises."""
    if any(len(message.text(lang)) > MOST_TEXT for lang in LANGUAGES):
        raise Forged("a message is longer than any reader has time for")
    return message


def _beside(file: str | None, source: Path) -> bool:
    return file is None or Path(os.path.realpath(file)).is_relative_to(source.resolve().parent)


def read_times(path: Path, count: int) -> tuple[float, ...]:
    """The seconds of `count` launches. Raises Forged for any other number of them, and for no duration."""
    try:
        times = tuple(float(t) for t in read_json(path))
    except NOT_AS_ASKED as error:
        raise Forged(f"{path.name}: {error}") from None
    if len(times) != count or not all(math.isfinite(t) and t > 0 for t in times):
        raise Forged(f"{path.name}: not {count} durations")
    return times


def report_to_json(report: CallReport) -> dict[str, Any]:
    return {
        "status": report.status,
        "status_name": report.status_name,
        "findings": [f.to_json() for f in report.findings],
        "kernels": [k.to_json() for k in report.kernels],
        "seconds": report.seconds,
    }


def read_report(path: Path, source: Path) -> CallReport:
    """A call's report on `source`. Raises Forged, FileNotFoundError."""
    data = read_json(path)
    try:
        return CallReport(
            int(data["status"]),
            str(data["status_name"]),
            read_findings(data["findings"], source),
            tuple(KernelCounts.from_json(k) for k in data["kernels"]),
            float(data["seconds"]),
        )
    except NOT_AS_ASKED as error:
        raise Forged(f"{path.name}: {error}") from None
