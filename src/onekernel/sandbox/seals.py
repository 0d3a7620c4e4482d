"""Seals on answers: what the worker has written, nothing of the submission may change afterwards, though it runs in the
same process and may write the same files. After each call, and each answer to a request of a Python exercise, the
worker sends a hash of the answer through a pipe that the grader holds, from which nothing can be taken back. A second
seal on an answer, which only the submission can have sent, breaks both.
"""

from __future__ import annotations

import hashlib
import os
import struct
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

NAME = "seals"
BUILD = (1 << 32) - 1  # in the place of a call's number: what came of the build, told before there is an input
_SEAL = struct.Struct("<I28s")  # the number of a call, the hash: shorter than PIPE_BUF, so never in two parts
_MOST_BYTES = 1 << 20  # more than a pipe holds


def of(files: Mapping[str, bytes]) -> bytes:
    """The hash of an answer: of its files by name."""
    made = hashlib.sha256()
    for name, data in sorted(files.items()):
        made.update(f"{name}:{len(data)}:".encode())
        made.update(data)
    return made.digest()[:28]


class Sealing:
    """The worker's end, opened before the process is closed."""

    def __init__(self, folder: Path) -> None:
        self._pipe = os.open(folder / NAME, os.O_WRONLY | os.O_CLOEXEC)

    def put(self, call: int, files: Mapping[str, bytes]) -> None:
        os.write(self._pipe, _SEAL.pack(call, of(files)))


class Seals:
    """The grader's end."""

    def __init__(self, pipe: int) -> None:
        self._pipe = pipe
        self._kept: dict[int, bytes | None] | None = None

    def hold(self, call: int, files: Mapping[str, bytes]) -> bool:
        """Whether the answer is the one that was sealed; asked when all who could seal have ended."""
        if self._kept is None:
            self._kept = dict(self._read())
        return self._kept.get(call) == of(files)

    def _read(self) -> Iterator[tuple[int, bytes | None]]:
        data, seen = b"", set[int]()
        with suppress(BlockingIOError):  # somebody could still write: nothing more has come
            while len(data) < _MOST_BYTES and (more := os.read(self._pipe, 1 << 16)):
                data += more
        for at in range(0, len(data) - _SEAL.size + 1, _SEAL.size):
            call, seal = _SEAL.unpack_from(data, at)
            yield call, None if call in seen else seal
            seen.add(call)


@contextmanager
def expected(folder: Path) -> Iterator[Seals]:
    """Puts the pipe into a job's folder and holds its end until the answers are read."""
    os.mkfifo(folder / NAME, 0o600)
    pipe = os.open(folder / NAME, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        yield Seals(pipe)
    finally:
        os.close(pipe)
