"""What every backend takes and gives: bytes in buffers, a call, a report. NumPy only, nothing is pickled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from onekernel.counts import KernelCounts
from onekernel.errors import UserError
from onekernel.messages import Message


@dataclass
class Buffer:
    """A piece of device memory: a guard, the tensor's bytes, a guard.

    `memory` is the whole allocation as uint8; a call replaces its contents with what the device holds afterwards.
    The launcher is given a pointer to byte `offset`; `extent` bytes from there are the tensor's own. The device
    allocation must keep `offset`'s alignment (the allocation itself starts on a multiple of 256 bytes).
    """

    name: str
    memory: np.ndarray
    offset: int
    extent: int
    writable: bool
    itemsize: int
    shape: Sequence[int] = ()  # its dimensions, where they do not follow from the launcher's sizes
    dtype: str = ""  # its element type, where that is not the function's
    row_stride: int = 0  # of rows that lie apart, where that does not follow from them either
    filled: bool = False  # one that is writable holds values that may be read


@dataclass(frozen=True)
class Scalar:
    """A number that changes what is computed, by its name: an int is an int64 of the launcher, a float a float."""

    name: str
    value: int | float


@dataclass
class Sparse:
    """A tensor of `span` bytes, larger than what travels through files: an input that repeats `pattern`, or an output.
    Its rows have `cols` elements and lie `stride` elements apart; one of a single dimension is one row.

    After a call an output's `runs` are the stretches that were looked at, (start, bytes) each, and `data` their bytes;
    `bins` has a bit for each 64th of the tensor that was touched. `draw` decides which blocks run where some do: a
    number that nobody knows before the call, the same for all tensors of it.
    """

    name: str
    span: int
    writable: bool
    itemsize: int
    cols: int
    stride: int
    pattern: np.ndarray
    draw: int = 0
    runs: np.ndarray = field(default_factory=lambda: np.zeros((0, 2), np.uint64))
    data: np.ndarray = field(default_factory=lambda: np.zeros(0, np.uint8))
    bins: int = 0


Arg = Buffer | int | Scalar | Sparse
"""An argument of a launcher: a device pointer, a size or a scalar. The stream is appended by the backend."""


@dataclass(frozen=True)
class Finding:
    """One thing wrong in the learner's file, at a line of it, in a sentence."""

    code: str
    message: Message
    file: str | None = None
    line: int | None = None
    severity: str = "error"
    chapter: str | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "code": self.code,
            "message": self.message.to_json(),
            "file": self.file,
            "line": self.line,
            "severity": self.severity,
            "chapter": self.chapter,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Finding:
        """Reads what `to_json` wrote. Raises KeyError, TypeError or ValueError for anything else."""
        return cls(
            code=str(data["code"]),
            message=Message.from_json(data["message"]),
            file=None if data["file"] is None else str(data["file"]),
            line=None if data["line"] is None else int(data["line"]),
            severity=str(data["severity"]),
            chapter=None if data["chapter"] is None else str(data["chapter"]),
        )

    def __str__(self) -> str:
        where = f"{Path(self.file).name}:{self.line}: " if self.file and self.line else ""
        return f"{where}{self.message}"


@dataclass(frozen=True)
class CallReport:
    """What a call of a launcher did: the cudaError_t it returned, what was found, what was counted."""

    status: int
    status_name: str
    findings: tuple[Finding, ...] = ()
    kernels: tuple[KernelCounts, ...] = ()
    seconds: float = 0.0


class BuildError(Exception):
    """The source file did not become a program: `findings` say why, `log` is the compiler's own text."""

    def __init__(self, findings: Sequence[Finding], log: str = "") -> None:
        super().__init__("\n".join(str(f) for f in findings))
        self.findings = tuple(findings)
        self.log = log


class Unavailable(UserError):
    """This machine cannot run the backend: `message` names the cause and what to do about it."""


@dataclass(frozen=True)
class Needs:
    """What of a confined process a program cannot do without."""

    reserves_memory: bool = False  # far more addresses than it uses: CUDA and torch do
    removes_files: bool = False  # where it may write: a compiler's, which names each file twice
    alone: bool = False  # it needs no threads beside it


class Program(Protocol):
    """A built source file, as `build(path, ...)` of each backend makes it. Nothing of the file has run yet.

    `prototypes` are C declarations of the launchers that the operator promises. The backend lets the compiler see
    them before the file (`-include`), so that a wrong signature is a compile error: Finding "wrong-signature" with
    `expected` = the prototype. A launcher that is missing after the build is "missing-export", and its values name
    the exports that are there, so that a misspelling shows. A Triton file has no prototypes: it is Python.

    In order: `split`, the process is closed as far as `needs` allows, `prepare`, then calls.
    """

    @property
    def usable(self) -> bool:
        """False once a call has cost this process its device: only a new process can call again."""
        ...

    @property
    def needs(self) -> Needs:
        """What a process that is to run the file must be left."""
        ...

    def split(self) -> bool:
        """Makes the processes that load the file beside this one: copies of it, each of which returns from here, is to
        be closed like this one and to `prepare`, where it stays. Returns whether this is the one that makes the calls.
        """
        ...

    def prepare(self) -> None:
        """Loads the file, where a file that cannot be loaded is to be told from one that fails in a call: its own code
        may run from here on. Raises BuildError."""
        ...

    def call(self, function: str, args: Sequence[Arg], way: str = "") -> CallReport:
        """Calls the launcher `function`, as it is or in one of `onekernel.ways`. Buffers are updated in place. Raises
        BuildError if there is no such export."""
        ...

    def timed(
        self, function: str, args: Sequence[Arg], launches: int, kept: int
    ) -> tuple[CallReport, tuple[float, ...]]:
        """Calls the launcher `launches` times and gives the seconds of each; buffers hold what launch `kept` left.

        Raises Unavailable on a backend whose times mean nothing: those of an interpreter and of a simulator.
        """
        ...


class Untimed:
    """A program whose times mean nothing, as an interpreter's and a simulator's do, and that has no device to lose."""

    usable = True

    def split(self) -> bool:
        """No process is beside this one."""
        return True

    def timed(
        self, function: str, args: Sequence[Arg], launches: int, kept: int
    ) -> tuple[CallReport, tuple[float, ...]]:
        raise Unavailable(Message("grading.not-timed"))
